// Package execute carries out attempts: scripts on this machine, and calls of URLs.
package execute

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"horae-agent/internal/boottime"
	"horae-agent/internal/protocol"
	"horae-agent/internal/redact"
	"horae-agent/internal/template"
)

const longestError = 2_000 // characters

// Log takes what an attempt outputs.
type Log interface {
	Write(stream, text string)
	Progress(fraction float64, note string)
}

// Attempt is one execution of a run.
type Attempt struct {
	Run        protocol.Run
	Definition *Definition
	Secrets    map[string]string
	Redactor   *redact.Redactor
	Log        Log
	Stop       *Stop
	Lease      *Lease
	Grace      float64 // seconds between TERM and KILL
}

// Stop ends an attempt from outside: first it is asked, then (or at once) it is killed.
type Stop struct {
	Asked, Killed chan struct{}
	ask, kill     sync.Once
}

// NewStop has not happened yet.
func NewStop() *Stop {
	return &Stop{Asked: make(chan struct{}), Killed: make(chan struct{})}
}

// Ask lets the attempt end in its own way, for as long as its grace.
func (s *Stop) Ask() { s.ask.Do(func() { close(s.Asked) }) }

// Kill ends the attempt at once.
func (s *Stop) Kill() {
	s.Ask()
	s.kill.Do(func() { close(s.Killed) })
}

// Lease is how long the attempt may go on. It is prolonged by renewals.
type Lease struct {
	mutex sync.Mutex
	until boottime.Instant
	moved chan struct{}
}

// NewLease is valid until then.
func NewLease(until boottime.Instant) *Lease {
	return &Lease{until: until, moved: make(chan struct{}, 1)}
}

// Until is when the attempt must be dead.
func (l *Lease) Until() boottime.Instant {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.until
}

// Prolong moves the end, never back.
func (l *Lease) Prolong(until boottime.Instant) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if until > l.until {
		l.until = until
		select {
		case l.moved <- struct{}{}:
		default:
		}
	}
}

// refused is a definition that cannot be executed, now or later.
type refused struct{ why string }

func (r *refused) Error() string { return r.why }

func refuse(format string, args ...any) error {
	return &refused{fmt.Sprintf(format, args...)}
}

// fill renders a template of the definition.
func (a *Attempt) fill(field string, text *template.Template) (string, error) {
	made, err := text.Render(a.values())
	if err != nil {
		return "", refuse("%s cannot be filled in: %v", field, err)
	}
	return made, nil
}

func (a *Attempt) values() map[string]any {
	var input any
	if a.Run.Input != nil {
		decoder := json.NewDecoder(strings.NewReader(*a.Run.Input))
		decoder.UseNumber()
		_ = decoder.Decode(&input) // what is not JSON is null to templates
	}
	var scheduled any
	if a.Run.ScheduledFor != nil {
		scheduled = *a.Run.ScheduledFor
	}
	return map[string]any{
		"run": map[string]any{
			"id": a.Run.ID, "attempt": a.Run.Attempt, "trigger": a.Run.Trigger, "scheduled_for": scheduled,
		},
		"job":     map[string]any{"id": a.Run.JobID, "name": a.Definition.Name, "version": a.Run.Version},
		"input":   input,
		"secrets": a.Secrets,
	}
}

// Failure is a failed outcome.
func Failure(permanent bool, why string) protocol.Outcome {
	line := oneLine(why)
	return protocol.Outcome{Kind: protocol.Failed, Error: &line, Permanent: permanent}
}

func oneLine(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	text = strings.ReplaceAll(text, "\x00", "\uFFFD")
	if utf8.RuneCountInString(text) > longestError {
		text = string([]rune(text)[:longestError-1]) + "…"
	}
	return text
}
