package work

import (
	"context"
	"fmt"
	"log"
	"time"

	"horae-agent/internal/boottime"
	"horae-agent/internal/execute"
	"horae-agent/internal/protocol"
	"horae-agent/internal/redact"
)

const (
	longestWait = 20.0 // seconds that a claim may be held open
	leaseShare  = 0.8  // of a lease after which an attempt must be dead
)

// claimRuns keeps a claim open while there are free slots, until the context ends.
func (a *Agent) claimRuns(ctx context.Context) {
	for {
		free := a.freeSlots(ctx)
		if free == 0 {
			return
		}
		a.claim(ctx, free)
	}
}

// freeSlots waits for one; 0 if nothing more is to be claimed.
func (a *Agent) freeSlots(ctx context.Context) int {
	for {
		a.mutex.Lock()
		free := a.settings.Slots - a.busy
		if a.draining || ctx.Err() != nil {
			free = 0
		}
		waits := free <= 0 && !a.draining && ctx.Err() == nil
		a.mutex.Unlock()
		if !waits {
			return free
		}
		select {
		case <-a.changed:
		case <-ctx.Done():
		}
	}
}

// claim sends one claim until it is answered. Its token stays the same, so that a lost reply loses no runs.
func (a *Agent) claim(ctx context.Context, free int) {
	terms := a.terms()
	wait := longestWait
	if terms.LongestWaitSeconds < wait {
		wait = terms.LongestWaitSeconds
	}
	token := newID()
	var pause protocol.Backoff
	for again := false; ; again = true {
		request := protocol.ClaimRequest{
			WorkerID: a.workerID(), Token: token, Again: again, Slots: free, Wait: wait, Condition: a.condition(),
		}
		var claimed protocol.Claimed
		sent := boottime.Now()
		err := a.try(ctx, "claim", patience+seconds(wait), request, &claimed)
		switch {
		case err == nil:
			a.take(token, sent, &claimed, free)
			return
		case ctx.Err() != nil:
			a.withdraw(token)
			return
		case !mayPass(err):
			a.fail(fmt.Errorf("a claim was refused: %w", err))
			return
		}
		protocol.Pause(ctx, pause.After(err))
	}
}

// withdraw ends a claim whose answer is unknown, and returns what it took.
func (a *Agent) withdraw(token string) {
	if a.gate.pause() > 0 {
		return // the key is refused: nothing that it took is ours
	}
	ctx, cancel := context.WithTimeout(context.Background(), seconds(a.terms().LeaseSeconds))
	defer cancel()
	var claimed protocol.Claimed
	if err := a.insist(ctx, "claim", patience, func() any {
		condition := a.condition()
		condition.Status = "draining"
		return protocol.ClaimRequest{WorkerID: a.workerID(), Token: token, Again: true, Condition: condition}
	}, &claimed); err != nil {
		log.Printf("a claim could not be withdrawn: what it took is given to others later: %v", err)
		return
	}
	var returned []protocol.Returned
	for _, run := range claimed.Runs {
		returned = append(returned, protocol.Returned{Held: protocol.Held{ID: run.ID, Token: token}})
	}
	a.release(returned)
}

// take starts the runs of a claim, and returns those that this agent cannot read.
func (a *Agent) take(token string, sent boottime.Instant, claimed *protocol.Claimed, free int) {
	if claimed.Drain {
		a.drain()
	}
	lease := claimed.LeaseSeconds
	if lease <= 0 {
		lease = a.terms().LeaseSeconds
	}
	until := sent.Add(seconds(claimed.WaitedSeconds + leaseShare*lease))
	jobs := map[string]*protocol.Job{}
	for i := range claimed.Jobs {
		job := &claimed.Jobs[i]
		jobs[fmt.Sprint(job.JobID, " ", job.Version)] = job
	}
	var returned []protocol.Returned
	for i, run := range claimed.Runs {
		held := protocol.Held{ID: run.ID, Token: token}
		if i >= free {
			returned = append(returned, protocol.Returned{Held: held})
			continue
		}
		if err := a.start(held, run, jobs[fmt.Sprint(run.JobID, " ", run.Version)], until); err != nil {
			why := err.Error()
			if len(why) > 400 {
				why = why[:400]
			}
			returned = append(returned, protocol.Returned{Held: held, Unreadable: &why})
		}
	}
	a.release(returned)
}

// start begins an attempt. The error says why its definition cannot be read.
func (a *Agent) start(held protocol.Held, run protocol.Run, job *protocol.Job, until boottime.Instant) error {
	if job == nil {
		return fmt.Errorf("the claim has no definition of it")
	}
	terms := a.terms()
	attempt := &execute.Attempt{
		Run: run, Secrets: job.Secrets, Redactor: redact.New(job.Secrets), Stop: execute.NewStop(),
		Lease: execute.NewLease(until), Grace: terms.GraceSeconds,
	}
	made := newHolding(a, held, attempt, terms)
	if job.Fault != nil {
		a.hold(made, 0)
		made.end(execute.Failure(job.Fault.Permanent, job.Fault.Error), 0)
		return nil
	}
	definition, err := execute.Read(job.Definition)
	if err != nil {
		return err
	}
	attempt.Definition = definition
	if definition.Grace != nil {
		attempt.Grace = *definition.Grace
	}
	if a.hold(made, 1) {
		go made.execute()
	}
	return nil
}

// release returns runs that were not started.
func (a *Agent) release(runs []protocol.Returned) {
	if len(runs) == 0 {
		return
	}
	// After that the leases are over, and there is nothing to return.
	ctx, cancel := context.WithTimeout(context.Background(), seconds(a.terms().LeaseSeconds))
	defer cancel()
	var answer struct{ Released int }
	if err := a.insist(ctx, "release", patience, func() any {
		return protocol.ReleaseRequest{WorkerID: a.workerID(), Runs: runs}
	}, &answer); err != nil {
		log.Printf("%d runs could not be released: they are given to others later: %v", len(runs), err)
	}
}

func seconds(number float64) time.Duration { return time.Duration(number * float64(time.Second)) }
