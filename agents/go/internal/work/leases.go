package work

import (
	"context"
	"time"

	"horae-agent/internal/boottime"
	"horae-agent/internal/protocol"
)

const (
	renewShare = 0.6 // of a lease after which a renewal is given up, so that there is time for another
	watchEvery = 50 * time.Millisecond
)

// hold begins to hold a run; false if it is held already.
func (a *Agent) hold(made *holding, busy int) bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if _, already := a.held[made.Held]; already {
		return false
	}
	a.held[made.Held] = made
	a.busy += busy
	return true
}

// freed says that an attempt is over, and its slot is free.
func (a *Agent) freed(one *holding) {
	a.mutex.Lock()
	a.busy--
	a.mutex.Unlock()
	if one.isLost() {
		a.forget(one)
	}
	nudge(a.changed)
}

// forget ends the holding of a run.
func (a *Agent) forget(one *holding) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	delete(a.held, one.Held)
}

func (a *Agent) holdings() []*holding {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	made := make([]*holding, 0, len(a.held))
	for _, one := range a.held {
		made = append(made, one)
	}
	return made
}

// lose gives up a run at once.
func (a *Agent) lose(one *holding) {
	one.lose()
	a.forget(one)
}

func (a *Agent) loseAll() {
	for _, one := range a.holdings() {
		a.lose(one)
	}
}

// watchLeases gives up what could not be renewed in time. Keepers of scripts do the same, should this process hang.
func (a *Agent) watchLeases(ctx context.Context) {
	ticks := time.NewTicker(watchEvery)
	defer ticks.Stop()
	for ctx.Err() == nil {
		for _, one := range a.holdings() {
			if one.attempt.Lease.Until().Until() <= 0 {
				a.note("a lease could not be renewed in time: its attempt was ended")
				a.lose(one)
			}
		}
		select {
		case <-ticks.C:
		case <-ctx.Done():
		}
	}
}

// renewLeases renews, on a goroutine of its own, while runs are held or no claim tells that this agent lives.
func (a *Agent) renewLeases(ctx context.Context) {
	var pause protocol.Backoff
	for ctx.Err() == nil {
		protocol.Pause(ctx, seconds(a.terms().HeartbeatSeconds))
		for ctx.Err() == nil {
			err := a.renew(ctx)
			if err == nil {
				pause.Reset()
				break
			}
			protocol.Pause(ctx, pause.After(err))
		}
	}
}

func (a *Agent) renew(ctx context.Context) error {
	known := map[string]*holding{}
	request := protocol.RenewRequest{WorkerID: a.workerID(), Runs: []protocol.Held{}, Condition: a.condition()}
	for _, one := range a.holdings() {
		known[one.ID] = one
		request.Runs = append(request.Runs, one.Held)
	}
	if len(known) == 0 && request.Status != "draining" {
		return nil
	}
	terms := a.terms()
	sent := boottime.Now()
	var answer protocol.Renewed
	if err := a.try(ctx, "renew", seconds(renewShare*terms.LeaseSeconds), request, &answer); err != nil {
		return err
	}
	for _, id := range answer.Renewed {
		if one := known[id]; one != nil {
			one.attempt.Lease.Prolong(sent.Add(seconds(leaseShare * terms.LeaseSeconds)))
		}
	}
	for _, id := range answer.Cancel {
		if one := known[id]; one != nil {
			one.stop(protocol.Cancelled)
		}
	}
	for _, id := range answer.Lost {
		if one := known[id]; one != nil {
			a.lose(one)
		}
	}
	if answer.Drain {
		a.drain()
	}
	return nil
}
