// Package work is the agent itself: it claims runs, renews their leases, carries them out, and reports.
package work

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"os"
	"runtime"
	"sync"
	"time"

	"horae-agent/internal/execute"
	"horae-agent/internal/protocol"
)

// Settings is what an agent is told when it starts.
type Settings struct {
	URL, Key, Name, Version string
	Queues, Offers          []string
	Slots                   int
	AllowPrivate            bool
	DrainTimeout            time.Duration
}

// Agent works for an installation.
type Agent struct {
	settings Settings
	client   *protocol.Client
	caller   *execute.Caller
	instance string

	gate gate // closed for a while when the key is refused

	mutex    sync.Mutex
	welcome  protocol.Welcome
	held     map[protocol.Held]*holding
	busy     int // attempts that are executed
	done     int
	trouble  string
	draining bool

	changed chan struct{} // something happened that a waiting loop may want to know
	fatal   chan error    // the agent cannot go on
	drained func()        // stops claiming
	pending chan struct{} // the reporter has something to do
}

// New is an agent that has not begun.
func New(settings Settings) *Agent {
	return &Agent{
		settings: settings,
		client:   protocol.NewClient(settings.URL, settings.Key),
		caller:   execute.NewCaller(settings.AllowPrivate),
		instance: newID(),
		held:     map[protocol.Held]*holding{},
		changed:  make(chan struct{}, 1),
		pending:  make(chan struct{}, 1),
		fatal:    make(chan error, 1),
		drained:  func() {},
	}
}

// newID is a random UUID.
func newID() string {
	var raw [16]byte
	if _, err := rand.Read(raw[:]); err != nil {
		panic(err)
	}
	raw[6], raw[8] = raw[6]&0x0F|0x40, raw[8]&0x3F|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", raw[:4], raw[4:6], raw[6:8], raw[8:10], raw[10:])
}

// Run works until it is told to stop, and then leaves in an orderly way. A second signal on stop shortens that.
func (a *Agent) Run(stop <-chan os.Signal) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	starting, give := context.WithCancel(ctx)
	go func() {
		select {
		case <-stop:
			give()
		case <-starting.Done():
		}
	}()
	if err := a.insistOnRegistering(starting); err != nil {
		return err
	}
	give()
	claiming, stopClaiming := context.WithCancel(ctx)
	a.mutex.Lock()
	a.drained = stopClaiming
	a.mutex.Unlock()
	claimed := make(chan struct{})
	go func() { defer close(claimed); a.claimRuns(claiming) }()
	go a.renewLeases(ctx)
	go a.watchLeases(ctx)
	go a.report(ctx)
	select {
	case err := <-a.fatal:
		stopClaiming()
		a.loseAll()
		a.waitUntil(5*time.Second, nil, func() bool { return a.busy == 0 })
		return err
	case <-stop:
	}
	a.leave(stop, stopClaiming, claimed)
	return nil
}

// leave is an orderly shutdown.
func (a *Agent) leave(stop <-chan os.Signal, stopClaiming func(), claimed <-chan struct{}) {
	log.Print("stopping: no more runs are claimed, what is running may finish")
	a.drain()
	stopClaiming()
	<-claimed
	if !a.waitUntil(a.settings.DrainTimeout, stop, func() bool { return a.busy == 0 }) {
		for _, one := range a.holdings() {
			one.stop(protocol.Interrupted)
		}
	}
	// Whatever cannot be reported is given up when its lease is over, so that this ends.
	a.waitUntil(24*time.Hour, nil, func() bool { return a.busy == 0 && len(a.held) == 0 })
	if a.gate.pause() > 0 {
		return // the key is refused: there is nobody to take leave of
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	var nothing struct{}
	if err := a.insist(ctx, "goodbye", 5*time.Second, func() any {
		return protocol.Goodbye{WorkerID: a.workerID(), RunsDone: a.condition().RunsDone}
	}, &nothing); err != nil {
		log.Printf("no goodbye: %v", err)
	}
}

// waitUntil waits for a condition, which is called with the mutex locked; false if it did not come true in time.
func (a *Agent) waitUntil(most time.Duration, cut <-chan os.Signal, true_ func() bool) bool {
	over := time.NewTimer(most)
	defer over.Stop()
	for {
		a.mutex.Lock()
		is := true_()
		a.mutex.Unlock()
		if is {
			return true
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-cut:
			return false
		case <-over.C:
			return false
		}
	}
}

func (a *Agent) workerID() string {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.welcome.WorkerID
}

func (a *Agent) terms() protocol.Welcome {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.welcome
}

func (a *Agent) condition() protocol.Condition {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	made := protocol.Condition{Status: "idle", Busy: a.busy, RunsDone: a.done}
	if a.busy > 0 {
		made.Status = "busy"
	}
	if a.draining {
		made.Status = "draining"
	}
	if a.trouble != "" {
		made.Trouble = &a.trouble
	}
	return made
}

// drain stops claiming for good; what is held goes on.
func (a *Agent) drain() {
	a.mutex.Lock()
	first := !a.draining
	a.draining = true
	stopClaiming := a.drained
	a.mutex.Unlock()
	if first {
		stopClaiming()
		nudge(a.changed)
	}
}

func (a *Agent) registration() protocol.Registration {
	host, _ := os.Hostname()
	return protocol.Registration{
		Instance: a.instance, Protocols: []int{protocol.Version}, Name: a.settings.Name, Version: a.settings.Version,
		Hostname: host, Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Queues: a.settings.Queues, Offers: a.settings.Offers, Slots: a.settings.Slots,
	}
}

func nudge(signal chan struct{}) {
	select {
	case signal <- struct{}{}:
	default:
	}
}
