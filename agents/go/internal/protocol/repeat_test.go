package protocol

import (
	"errors"
	"testing"
	"time"
)

func TestPausesGrowAndAreBounded(t *testing.T) {
	var pause Backoff
	for try := 0; try < 20; try++ {
		if made := pause.After(errors.New("refused")); made <= 0 || made > 3*time.Second {
			t.Fatalf("try %d: %s", try, made)
		}
	}
	if pause.next != longest {
		t.Fatal(pause.next)
	}
	if made := pause.After(&Problem{Status: 429, RetryAfter: 10 * time.Second}); made < 10*time.Second {
		t.Fatalf("sooner than the server asked for: %s", made)
	}
	if made := pause.After(&Problem{Status: 503, RetryAfter: 24 * time.Hour}); made > 2*longestAsks {
		t.Fatalf("a server can stop it for a day: %s", made)
	}
}

func TestWhatIsRepeated(t *testing.T) {
	for status, repeated := range map[int]bool{400: false, 401: false, 403: false, 404: false, 413: false, 422: false, 429: true, 500: true, 502: true, 503: true} {
		if Passing(&Problem{Status: status}) != repeated {
			t.Error(status)
		}
	}
	if !Passing(errors.New("connection reset")) {
		t.Error("a request without an answer is not repeated")
	}
}
