package work

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"sync"
	"time"

	"horae-agent/internal/protocol"
)

const (
	patience     = 10 * time.Second // for an answer, beyond what the request lets the server wait
	refusedPause = 30 * time.Second // between tries with a key that is refused
)

// gate holds back all requests for a while.
type gate struct {
	mutex sync.Mutex
	until time.Time
}

func (g *gate) close(pause time.Duration) {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.until = time.Now().Add(pause)
}

// pause is how long it stays closed.
func (g *gate) pause() time.Duration {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	return time.Until(g.until)
}

func (g *gate) wait(ctx context.Context) {
	if pause := g.pause(); pause > 0 {
		protocol.Pause(ctx, pause)
	}
}

// try sends a request once. It takes care of what concerns the agent as a whole: a refused key, an unknown worker.
func (a *Agent) try(ctx context.Context, verb string, patience time.Duration, request, answer any) error {
	a.gate.wait(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	timed, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err := a.client.Send(timed, verb, request, answer)
	var problem *protocol.Problem
	switch {
	case err == nil:
		a.note("")
	case !errors.As(err, &problem):
		a.note(err.Error())
	case problem.Status == http.StatusUnauthorized:
		log.Print("the worker key is refused: all attempts are ended, and their runs are given to others")
		a.gate.close(refusedPause)
		a.loseAll()
	case problem.Status == http.StatusForbidden:
		a.fail(fmt.Errorf("the worker key may not do this: %s", problem.Detail))
	case verb != "register" && (problem.Kind == "unknown-worker" || problem.Kind == "unsupported-protocol"):
		if again := a.insistOnRegistering(ctx); again != nil {
			return again
		}
		return &registeredAgain{problem}
	default:
		a.note(problem.Error())
	}
	return err
}

// registeredAgain is a request to repeat, now that the worker is known again.
type registeredAgain struct{ *protocol.Problem }

// mayPass tells whether to repeat a request as it is.
func mayPass(err error) bool {
	var again *registeredAgain
	return errors.As(err, &again) || protocol.Passing(err) || protocol.Is(err, http.StatusUnauthorized)
}

// insist sends a request until it is answered, or refused for good, or the context ends.
func (a *Agent) insist(ctx context.Context, verb string, patience time.Duration, request func() any, answer any) error {
	var pause protocol.Backoff
	for {
		err := a.try(ctx, verb, patience, request(), answer)
		if err == nil || ctx.Err() != nil || !mayPass(err) {
			return err
		}
		protocol.Pause(ctx, pause.After(err))
	}
}

func (a *Agent) insistOnRegistering(ctx context.Context) error {
	var welcome protocol.Welcome
	if err := a.insist(ctx, "register", patience, func() any { return a.registration() }, &welcome); err != nil {
		err = fmt.Errorf("the agent cannot register: %w", err)
		if ctx.Err() == nil {
			a.fail(err)
		}
		return err
	}
	if welcome.Protocol != protocol.Version {
		err := fmt.Errorf("the installation speaks protocol %d, and this agent %d", welcome.Protocol, protocol.Version)
		a.fail(err)
		return err
	}
	a.mutex.Lock()
	first := a.welcome.WorkerID == ""
	a.welcome = welcome
	a.mutex.Unlock()
	if first {
		log.Printf("registered as %s", welcome.Name)
	}
	return nil
}

func (a *Agent) note(trouble string) {
	if len(trouble) > 200 {
		trouble = trouble[:200]
	}
	a.mutex.Lock()
	changed := trouble != a.trouble
	a.trouble = trouble
	a.mutex.Unlock()
	if changed && trouble != "" {
		log.Print(trouble)
	}
}

func (a *Agent) fail(err error) {
	select {
	case a.fatal <- err:
	default:
	}
}
