package work

import (
	"context"
	"log"
	"net/http"
	"time"

	"horae-agent/internal/protocol"
)

const (
	gathering  = 100 * time.Millisecond // output is collected for so long, unless an outcome waits
	mostItems  = 1_000                  // of each list of a report
	mostBytes  = 2 << 20                // of text in a report; JSON may need six times as much
	escapeCost = 8
)

// report sends what the attempts leave: output in order, then progress, then outcomes. A batch is repeated as it is
// until it is answered, before anything else is sent.
func (a *Agent) report(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case <-a.pending:
		case <-ctx.Done():
			return
		}
		if !a.outcomeWaits() {
			protocol.Pause(ctx, gathering)
		}
		for batch := a.collect(); len(batch) > 0 && ctx.Err() == nil; batch = a.collect() {
			a.deliver(ctx, batch)
		}
	}
}

func (a *Agent) outcomeWaits() bool {
	for _, one := range a.holdings() {
		one.mutex.Lock()
		waits := one.outcome != nil
		one.mutex.Unlock()
		if waits {
			return true
		}
	}
	return false
}

// item is one entry of a report: exactly one of the pointers is set.
type item struct {
	of       *holding
	at       time.Time
	log      *protocol.LogChunk
	progress *protocol.Progress
	outcome  *protocol.Outcome
}

// collect takes what waits, as much as fits into one report.
func (a *Agent) collect() []item {
	room := mostBytes
	if most := a.terms().MaxBodyBytes / escapeCost; most < room {
		room = most
	}
	var batch []item
	for _, one := range a.holdings() {
		if room <= 0 || len(batch) >= mostItems-3 {
			break
		}
		batch, room = one.collect(batch, room)
	}
	return batch
}

func (h *holding) collect(batch []item, room int) ([]item, int) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for len(h.chunks) > 0 && room > 0 && len(batch) < mostItems-2 {
		next := h.chunks[0]
		h.chunks = h.chunks[1:]
		h.size -= len(next.text)
		room -= len(next.text)
		h.seq++
		batch = append(batch, item{of: h, at: next.at, log: &protocol.LogChunk{
			Held: h.Held, Seq: h.seq, Stream: next.stream, Text: next.text,
		}})
	}
	h.drained.Broadcast()
	if h.progress != nil {
		batch = append(batch, item{of: h, progress: h.progress})
		h.progress = nil
	}
	if h.outcome != nil && len(h.chunks) == 0 && (room > 0 || len(batch) == 0) {
		batch = append(batch, item{of: h, at: h.outcome.at, outcome: &h.outcome.outcome})
		if h.outcome.outcome.Result != nil {
			room -= len(*h.outcome.outcome.Result)
		}
		h.outcome = nil
	}
	return batch, room
}

// deliver sends a batch until it is answered. One that is refused is divided, down to the item that is wrong.
func (a *Agent) deliver(ctx context.Context, batch []item) {
	var pause protocol.Backoff
	for {
		batch = stillHeld(batch)
		if len(batch) == 0 || ctx.Err() != nil {
			return
		}
		var answer protocol.Reported
		err := a.try(ctx, "report", patience, a.reportOf(batch), &answer)
		if err == nil {
			a.delivered(batch, answer)
			return
		}
		if !mayPass(err) {
			if len(batch) > 1 {
				a.deliver(ctx, batch[:len(batch)/2])
				a.deliver(ctx, batch[len(batch)/2:])
				return
			}
			if batch = a.amended(batch[0], err); len(batch) == 0 {
				return
			}
		}
		protocol.Pause(ctx, pause.After(err))
	}
}

// stillHeld leaves out what belongs to runs that were lost: about them nothing is reported.
func stillHeld(batch []item) []item {
	var kept []item
	for _, one := range batch {
		if !one.of.isLost() {
			kept = append(kept, one)
		}
	}
	return kept
}

// amended is what is reported instead of something that was refused: nothing, or a failure in place of an outcome.
func (a *Agent) amended(one item, err error) []item {
	log.Printf("run %s: a report was refused: %v", one.of.ID, err)
	if one.outcome == nil {
		return nil
	}
	if one.outcome.Kind == protocol.Failed && one.outcome.Result == nil && !protocol.Is(err, http.StatusRequestEntityTooLarge) {
		a.lose(one.of)
		return nil
	}
	line := firstRunes("the installation refused the outcome of this attempt: "+err.Error(), 1_000)
	one.outcome = &protocol.Outcome{
		Held: one.of.Held, Kind: protocol.Failed, Error: &line, ExitCode: one.outcome.ExitCode,
		ResponseCode: one.outcome.ResponseCode, DurationMs: one.outcome.DurationMs,
	}
	return []item{one}
}

func (a *Agent) reportOf(batch []item) protocol.Report {
	made := protocol.Report{
		WorkerID: a.workerID(), Outcomes: []protocol.Outcome{}, Logs: []protocol.LogChunk{}, Progress: []protocol.Progress{},
	}
	for _, one := range batch {
		switch {
		case one.log != nil:
			told := *one.log
			told.MsAgo = time.Since(one.at).Milliseconds()
			made.Logs = append(made.Logs, told)
		case one.progress != nil:
			made.Progress = append(made.Progress, *one.progress)
		default:
			told := *one.outcome
			told.EndedMsAgo = time.Since(one.at).Milliseconds()
			made.Outcomes = append(made.Outcomes, told)
		}
	}
	return made
}

// delivered draws the conclusions of an answer. Refused outcomes are over as well: the run is not ours.
func (a *Agent) delivered(batch []item, answer protocol.Reported) {
	full := map[string]bool{}
	for _, id := range answer.LogFull {
		full[id] = true
	}
	for _, one := range batch {
		if full[one.of.ID] {
			one.of.fill()
		}
		if one.outcome != nil {
			a.mutex.Lock()
			a.done++
			a.mutex.Unlock()
			a.forget(one.of)
		}
	}
}

// fill drops output that is not kept any more.
func (h *holding) fill() {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.full, h.chunks, h.size = true, nil, 0
	h.drained.Broadcast()
}
