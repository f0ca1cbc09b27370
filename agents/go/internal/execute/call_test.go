package execute

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"horae-agent/internal/boottime"
	"horae-agent/internal/protocol"
	"horae-agent/internal/redact"
)

type noLog struct{ text, notes strings.Builder }

func (l *noLog) Write(_, text string)            { l.text.WriteString(text) }
func (l *noLog) Progress(_ float64, note string) { l.notes.WriteString(note) }

func attemptOf(t *testing.T, definition string, secrets map[string]string) *Attempt {
	t.Helper()
	read, err := Read([]byte(definition))
	if err != nil {
		t.Fatal(err)
	}
	return &Attempt{
		Run: protocol.Run{ID: "run-1", Attempt: 1}, Definition: read, Secrets: secrets, Redactor: redact.New(secrets),
		Log: &noLog{}, Stop: NewStop(), Lease: NewLease(boottime.Now().Add(1e12)), Grace: 1,
	}
}

func callOf(t *testing.T, target string, secrets map[string]string) protocol.Outcome {
	t.Helper()
	return NewCaller(true).Call(attemptOf(t, `{"name": "j", "timeout": 5, "target": `+target+`}`, secrets))
}

func TestARedirectToAnotherHostGetsNoCredentials(t *testing.T) {
	var seen http.Header
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = r.Header }))
	defer other.Close()
	first := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer first.Close()
	target := `{"kind": "http", "method": "POST", "url": "` + first.URL + `", "follow_redirects": true,
		"auth": {"bearer": "{{ secrets.KEY }}"}, "headers": {"X-Api-Key": "{{ secrets.KEY }}", "X-Mine": "{{ secrets.KEY }}", "X-Plain": "kept"}, "body": %BODY%}`
	secrets := map[string]string{"KEY": "hidden-value"}
	if made := callOf(t, strings.Replace(target, "%BODY%", `"{}"`, 1), secrets); made.Kind != protocol.Succeeded {
		t.Fatal(*made.Error)
	}
	for name, values := range seen {
		if strings.Contains(strings.Join(values, ""), "hidden-value") {
			t.Errorf("%s was sent to another host", name)
		}
	}
	if seen.Get("X-Plain") != "kept" || seen.Get("Idempotency-Key") != "run-1" {
		t.Error("other headers were not sent")
	}
	if made := callOf(t, strings.Replace(target, "%BODY%", `"{{ secrets.KEY }}"`, 1), secrets); !made.Permanent || !strings.Contains(*made.Error, "secrets in the body") {
		t.Error("a body with a secret was sent to another host")
	}
}

func TestSignatures(t *testing.T) {
	// The example of the Standard Webhooks specification.
	made, err := sign(map[string]string{"K": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}, "K", `msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}`)
	if err != nil || made != "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" {
		t.Fatal(made, err)
	}
}

func TestWhatIsFilledInCannotChangeTheHostOrThePath(t *testing.T) {
	for _, input := range []string{`{"x": "../admin"}`, `{"x": "a b"}`, `{"x": "\n"}`} {
		attempt := attemptOf(t, `{"name": "j", "timeout": 5, "target": {"kind": "http", "url": "http://127.0.0.1:1/{{ input.x }}"}}`, nil)
		attempt.Run.Input = &input
		if made := NewCaller(true).Call(attempt); !made.Permanent {
			t.Errorf("%s: %s", input, *made.Error)
		}
	}
}

func TestStatusesThatAreExpected(t *testing.T) {
	target := CallTarget{Expect: []string{"2xx", "404", "500-502"}}
	for status, expected := range map[int]bool{199: false, 200: true, 299: true, 300: false, 404: true, 405: false, 501: true, 503: false} {
		if target.expects(status) != expected {
			t.Error(status)
		}
	}
}

func TestDefinitionsThatCannotBeRead(t *testing.T) {
	for text, said := range map[string]string{
		`{"name": "j", "timeout": 5, "target": {"kind": "container"}}`:                                          `kind "container"`,
		`{"name": "j", "timeout": 5, "target": {"kind": "script", "source": "x", "new": 1}}`:                    "new",
		`{"name": "j", "timeout": 5, "new": 1, "target": {"kind": "script", "source": "x"}}`:                    "new",
		`{"name": "j", "timeout": 5, "target": {"kind": "script", "source": "x", "sandbox": {}}}`:               "sandbox",
		`{"name": "j", "timeout": 5, "target": {"kind": "script", "source": "x", "limits": {"memory": 1}}}`:     "limits.memory",
		`{"name": "j", "timeout": 5, "target": {"kind": "script"}}`:                                             "source or file",
		`{"name": "j", "timeout": 0, "target": {"kind": "script", "source": "x"}}`:                              "timeout",
		`{"name": "j", "timeout": 5, "target": {"kind": "http", "url": "http://x", "body": "{% if 1 %}"}}`:      "statement",
		`{"name": "j", "timeout": 5, "target": {"kind": "http", "url": "http://x", "query": {"a": "{{ x }}"}}}`: "query.a",
	} {
		if _, err := Read([]byte(text)); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := Read([]byte(`{"name": "j", "timeout": 5, "catch_up_window": 1, "target": {"kind": "script", "source": "x", "limits": {"memory": null}, "sandbox": null}}`)); err != nil {
		t.Error(err)
	}
}
