package execute

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"horae-agent/internal/template"
)

const (
	longestHeader = 8_192
	longestURL    = 8_000
)

var (
	secretInside = regexp.MustCompile(`\{\{[^}]*\bsecrets\b`)
	originOf     = regexp.MustCompile(`^[^/?#]*//[^/?#]*`)
	privateEnds  = []string{"-key", "-token", "-secret", "-password"}
)

// CallTarget is a target of kind http (docs/targets/http.md).
type CallTarget struct {
	Kind            string            `json:"kind"`
	Method          string            `json:"method"`
	URL             string            `json:"url"`
	Headers         map[string]string `json:"headers"`
	Query           map[string]string `json:"query"`
	Body            *string           `json:"body"`
	Auth            *callAuth         `json:"auth"`
	Expect          []string          `json:"expect"`
	FollowRedirects bool              `json:"follow_redirects"`
	SignWith        []string          `json:"sign_with"`
	Callback        *struct {
		Timeout float64 `json:"timeout"`
	} `json:"callback"`

	url, body      *template.Template
	headers, query map[string]*template.Template
	auth           map[string]*template.Template
}

type callAuth struct {
	Bearer *string `json:"bearer"`
	Basic  *struct {
		Username string `json:"username"`
		Password string `json:"password"`
	} `json:"basic"`
}

func readCall(text []byte) (*CallTarget, error) {
	made := &CallTarget{Method: http.MethodPost, Expect: []string{"2xx"}}
	if err := strictly(text, made); err != nil {
		return nil, err
	}
	var err error
	if made.url, err = template.Parse(made.URL); err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	if made.Body != nil {
		if made.body, err = template.Parse(*made.Body); err != nil {
			return nil, fmt.Errorf("body: %w", err)
		}
	}
	if made.headers, err = parseAll("headers", made.Headers); err != nil {
		return nil, err
	}
	if made.query, err = parseAll("query", made.Query); err != nil {
		return nil, err
	}
	made.auth, err = parseAll("auth", made.Auth.texts())
	return made, err
}

func (a *callAuth) texts() map[string]string {
	switch {
	case a == nil:
		return nil
	case a.Basic != nil:
		return map[string]string{"username": a.Basic.Username, "password": a.Basic.Password}
	case a.Bearer != nil:
		return map[string]string{"bearer": *a.Bearer}
	}
	return nil
}

// request is one call, or one hop of it.
type request struct {
	method  string
	url     *url.URL
	headers http.Header
	body    []byte // nil: none
}

func (r *request) message(ctx context.Context) *http.Request {
	message := (&http.Request{Method: r.method, URL: r.url, Header: r.headers, Host: r.url.Host}).WithContext(ctx)
	if r.body != nil {
		message.Body, message.ContentLength = io.NopCloser(bytes.NewReader(r.body)), int64(len(r.body))
	}
	return message
}

// request fills in the target for an attempt.
func (t *CallTarget) request(attempt *Attempt) (*request, error) {
	headers, err := t.filledHeaders(attempt)
	if err != nil {
		return nil, err
	}
	body, err := t.filledBody(attempt, headers)
	if err != nil {
		return nil, err
	}
	address, err := t.filledURL(attempt)
	if err != nil {
		return nil, err
	}
	made := &request{t.Method, address, headers, body}
	headers.Del("Horae-Callback-Url")
	if t.Callback != nil {
		if attempt.Run.CallbackURL == nil {
			return nil, refuse("a callback needs an address, and the installation gave none: it lacks HORAE_PUBLIC_URL")
		}
		headers.Set("Horae-Callback-Url", *attempt.Run.CallbackURL)
	}
	return made, made.identify(attempt)
}

func (t *CallTarget) filledHeaders(attempt *Attempt) (http.Header, error) {
	headers := http.Header{"User-Agent": {"horae-agent-go"}, "Accept": {"*/*"}}
	for name, text := range t.headers {
		value, err := attempt.fill("headers."+name, text)
		if err == nil {
			err = checkHeader("headers."+name, value)
		}
		if err != nil {
			return nil, err
		}
		headers.Set(name, value)
	}
	headers.Set("Accept-Encoding", "identity") // so that what is limited on the wire is also limited in memory
	if headers.Get("Idempotency-Key") == "" {
		headers.Set("Idempotency-Key", attempt.Run.ID)
	}
	if attempt.Run.Traceparent != nil && headers.Get("Traceparent") == "" {
		headers.Set("Traceparent", *attempt.Run.Traceparent)
	}
	if t.Auth != nil {
		value, err := t.authorization(attempt)
		if err != nil {
			return nil, err
		}
		headers.Set("Authorization", value)
	}
	return headers, nil
}

func checkHeader(field, value string) error {
	if len(value) > longestHeader {
		return refuse("%s, filled in, is longer than %d characters", field, longestHeader)
	}
	if strings.ContainsAny(value, "\r\n\x00") {
		return refuse("%s, filled in, cannot be sent: it has a line break", field)
	}
	return nil
}

func (t *CallTarget) authorization(attempt *Attempt) (string, error) {
	filled := map[string]string{}
	for name, text := range t.auth {
		value, err := attempt.fill("auth."+name, text)
		if err != nil {
			return "", err
		}
		filled[name] = value
	}
	if bearer, is := filled["bearer"]; is {
		return "Bearer " + bearer, checkHeader("auth.bearer", bearer)
	}
	if strings.Contains(filled["username"], ":") {
		return "", refuse("auth.basic.username must not contain a colon")
	}
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(filled["username"]+":"+filled["password"])), nil
}

func (t *CallTarget) filledBody(attempt *Attempt, headers http.Header) ([]byte, error) {
	var body []byte
	kind := "application/json"
	switch {
	case t.body != nil:
		text, err := attempt.fill("body", t.body)
		if err != nil {
			return nil, err
		}
		body = []byte(text)
		if start := strings.TrimLeft(text, " \t\r\n"); !json.Valid(body) || start == "" || !strings.ContainsRune("{[", rune(start[0])) {
			kind = "text/plain; charset=utf-8"
		}
	case attempt.Run.Input != nil && (t.Method == "POST" || t.Method == "PUT" || t.Method == "PATCH"):
		body = []byte(*attempt.Run.Input)
	default:
		return nil, nil
	}
	if headers.Get("Content-Type") == "" {
		headers.Set("Content-Type", kind)
	}
	return body, nil
}

func (t *CallTarget) filledURL(attempt *Attempt) (*url.URL, error) {
	text, err := attempt.fill("url", t.url)
	if err != nil {
		return nil, err
	}
	if originOf.FindString(text) != originOf.FindString(t.URL) {
		return nil, refuse("the url, filled in, leads to another host than the definition names")
	}
	address, err := checkedURL(text)
	if err != nil {
		return nil, refuse("the url, filled in, %v", err)
	}
	for _, segment := range strings.Split(address.Path, "/") {
		if segment == "." || segment == ".." {
			return nil, refuse("the url, filled in, has . or .. in its path, which would change the path")
		}
	}
	query := address.Query()
	for name, text := range t.query {
		value, err := attempt.fill("query."+name, text)
		if err != nil {
			return nil, err
		}
		query.Add(name, value)
	}
	if len(t.query) > 0 {
		address.RawQuery = query.Encode()
	}
	return address, nil
}

// checkedURL is a URL that may be called. Its error never repeats it.
func checkedURL(text string) (*url.URL, error) {
	if len(text) > longestURL {
		return nil, fmt.Errorf("is longer than %d characters", longestURL)
	}
	if strings.ContainsAny(text, " \t\r\n\x00") {
		return nil, fmt.Errorf("has a blank or a line break")
	}
	address, err := url.Parse(text)
	if err != nil || (address.Scheme != "http" && address.Scheme != "https") || address.Hostname() == "" || address.User != nil {
		return nil, fmt.Errorf("is not a URL with http or https and a host, without a user name")
	}
	return address, nil
}

// identify adds which run this is and when it was sent, and signs that.
func (r *request) identify(attempt *Attempt) error {
	at := strconv.FormatInt(time.Now().Unix(), 10)
	r.headers.Set("Webhook-Id", attempt.Run.ID)
	r.headers.Set("Webhook-Timestamp", at)
	r.headers.Del("Webhook-Signature")
	var signatures []string
	for _, name := range attempt.Definition.Call.SignWith {
		signature, err := sign(attempt.Secrets, name, attempt.Run.ID+"."+at+"."+string(r.body))
		if err != nil {
			return err
		}
		signatures = append(signatures, signature)
	}
	if signatures != nil {
		r.headers.Set("Webhook-Signature", strings.Join(signatures, " "))
	}
	return nil
}
