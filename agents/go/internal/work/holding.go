package work

import (
	"fmt"
	"log"
	"sync"
	"time"
	"unicode/utf8"

	"horae-agent/internal/boottime"
	"horae-agent/internal/execute"
	"horae-agent/internal/protocol"
)

const (
	largestChunk = 32 << 10  // bytes of a piece of output
	mostPending  = 512 << 10 // bytes of output that wait to be reported; beyond, the script waits
	lost         = "lost"
)

// holding is a run that this agent holds: it executes it, or has yet to report it.
type holding struct {
	protocol.Held
	agent   *Agent
	attempt *execute.Attempt
	began   time.Time
	room    int // characters of output that are still kept

	mutex    sync.Mutex
	drained  *sync.Cond // less output is pending
	chunks   []chunk
	size     int // bytes in chunks
	seq      int // of the last chunk that was collected
	full     bool
	progress *protocol.Progress
	outcome  *ended
	why      string // it was stopped from outside: the kind of its outcome
	finished bool   // its attempt is over
}

type chunk struct {
	stream, text string
	at           time.Time
}

type ended struct {
	outcome protocol.Outcome
	at      time.Time
}

func newHolding(agent *Agent, held protocol.Held, attempt *execute.Attempt, terms protocol.Welcome) *holding {
	made := &holding{Held: held, agent: agent, attempt: attempt, began: time.Now(), room: terms.LogLimit}
	made.drained = sync.NewCond(&made.mutex)
	attempt.Log = made
	return made
}

// execute carries out the attempt, and leaves its outcome to the reporter.
func (h *holding) execute() {
	began := boottime.Now()
	limit := time.AfterFunc(seconds(h.attempt.Definition.Timeout), func() { h.stop(protocol.TimedOut) })
	var outcome protocol.Outcome
	if h.attempt.Definition.Script != nil {
		outcome = execute.Script(h.attempt)
	} else {
		outcome = h.agent.caller.Call(h.attempt)
	}
	limit.Stop()
	h.end(h.explained(outcome), began.Since())
	h.agent.freed(h)
}

// stop ends the attempt from outside; the first reason counts.
func (h *holding) stop(why string) {
	h.mutex.Lock()
	if h.why == "" && !h.finished {
		h.why = why
		h.attempt.Stop.Ask()
	}
	h.mutex.Unlock()
}

// lose ends the attempt at once: its run belongs to somebody else, and nothing more is reported.
func (h *holding) lose() {
	h.mutex.Lock()
	h.why, h.full, h.progress, h.outcome = lost, true, nil, nil
	h.chunks, h.size = nil, 0
	h.drained.Broadcast()
	h.mutex.Unlock()
	h.attempt.Stop.Kill()
}

func (h *holding) isLost() bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.why == lost
}

// explained is the outcome of an attempt, or of the reason for which it was stopped.
func (h *holding) explained(outcome protocol.Outcome) protocol.Outcome {
	h.mutex.Lock()
	why := h.why
	h.finished = true
	h.mutex.Unlock()
	var line string
	switch why {
	case protocol.TimedOut:
		line = fmt.Sprintf("it took longer than its timeout of %g s", h.attempt.Definition.Timeout)
	case protocol.Cancelled:
		line = "cancelled"
	case protocol.Interrupted:
		line = "the agent is shutting down"
	default:
		return outcome
	}
	outcome.Kind, outcome.Error, outcome.Permanent, outcome.RetryAfter, outcome.ParkFor = why, &line, false, nil, nil
	return outcome
}

// end leaves the outcome to the reporter.
func (h *holding) end(outcome protocol.Outcome, took time.Duration) {
	outcome.Held, outcome.DurationMs = h.Held, took.Milliseconds()
	if outcome.Result != nil {
		*outcome.Result = h.attempt.Redactor.JSON(*outcome.Result)
	}
	if outcome.Error != nil {
		*outcome.Error = h.attempt.Redactor.Text(*outcome.Error)
	}
	h.mutex.Lock()
	if h.why != lost {
		h.outcome = &ended{outcome, time.Now()}
	}
	h.mutex.Unlock()
	nudge(h.agent.pending)
}

// Write takes output. It waits while too much of it is pending.
func (h *holding) Write(stream, text string) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for text != "" && !h.full {
		for h.size > mostPending && !h.full {
			h.drained.Wait()
		}
		var part string
		part, text = cut(text, largestChunk)
		if count := utf8.RuneCountInString(part); count > h.room {
			part = string([]rune(part)[:h.room])
			h.full = true
			log.Printf("run %s: the rest of its output is not kept", h.ID)
		} else {
			h.room -= count
		}
		h.add(stream, part)
	}
	nudge(h.agent.pending)
}

func (h *holding) add(stream, text string) {
	if text == "" || h.why == lost {
		return
	}
	h.size += len(text)
	if last := len(h.chunks) - 1; last >= 0 && h.chunks[last].stream == stream && len(h.chunks[last].text)+len(text) <= largestChunk {
		h.chunks[last].text += text
		return
	}
	h.chunks = append(h.chunks, chunk{stream, text, time.Now()})
}

// cut divides a text between two characters.
func cut(text string, most int) (string, string) {
	if len(text) <= most {
		return text, ""
	}
	for !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most], text[most:]
}

// Progress replaces what was reported before.
func (h *holding) Progress(fraction float64, note string) {
	made := &protocol.Progress{Held: h.Held, Fraction: fraction}
	if note != "" {
		note = firstRunes(note, 500)
		made.Note = &note
	}
	h.mutex.Lock()
	if h.why != lost {
		h.progress = made
	}
	h.mutex.Unlock()
	nudge(h.agent.pending)
}

func firstRunes(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}
