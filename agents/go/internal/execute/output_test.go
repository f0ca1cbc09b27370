package execute

import (
	"strings"
	"testing"

	"horae-agent/internal/redact"
)

func TestOutputInAnyPieces(t *testing.T) {
	text := "first ä\n::progress 0.5 half done\n::progress is a word\n:: not\n::progress 40%\nlast \u20ac s3cr3t"
	for cut := 0; cut <= len(text); cut++ {
		log := &noLog{}
		known := redact.New(map[string]string{"K": "s3cr3t"})
		made := newOutput("stdout", &Attempt{Log: log, Redactor: known})
		made.take([]byte(text[:cut]), false)
		made.take([]byte(text[cut:]), false)
		made.take(nil, true)
		if shown := log.text.String(); shown != "first ä\n::progress is a word\n:: not\nlast \u20ac ***" || log.notes.String() != "half done" {
			t.Fatalf("cut at %d: %q, %q", cut, shown, log.notes.String())
		}
	}
}

func TestALongLineIsNotHeldBack(t *testing.T) {
	log := &noLog{}
	made := newOutput("stdout", &Attempt{Log: log, Redactor: redact.New(nil)})
	made.take([]byte("::progress "+strings.Repeat("x", 2*longestMark)), false)
	if log.text.Len() == 0 {
		t.Fatal("it is held back")
	}
}
