package protocol

import (
	"context"
	"errors"
	"math/rand"
	"net/http"
	"time"
)

const (
	firstPause  = 100 * time.Millisecond
	longest     = 2 * time.Second
	longest429  = 5 * time.Second
	longestAsks = time.Minute // what a Retry-After may ask for
)

// Backoff is the pause between tries, doubled each time, with some randomness.
type Backoff struct{ next time.Duration }

// Reset begins again, after a success.
func (b *Backoff) Reset() { b.next = 0 }

// After is how long to wait after this error.
func (b *Backoff) After(err error) time.Duration {
	most := longest
	asked := time.Duration(0)
	var told *Problem
	if errors.As(err, &told) {
		asked = told.RetryAfter
		if told.Status == http.StatusTooManyRequests {
			most = longest429
		}
	}
	if b.next < firstPause {
		b.next = firstPause
	}
	pause := b.next/2 + time.Duration(rand.Int63n(int64(b.next)))
	if b.next *= 2; b.next > most {
		b.next = most
	}
	if asked > longestAsks {
		asked = longestAsks
	}
	if pause < asked {
		pause = asked + time.Duration(rand.Int63n(int64(firstPause)))
	}
	return pause
}

// Pause waits, unless the context ends before.
func Pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Passing tells whether a request may succeed when it is repeated as it is.
func Passing(err error) bool {
	var told *Problem
	if !errors.As(err, &told) {
		return true // no answer
	}
	return told.Status == http.StatusTooManyRequests || told.Status == http.StatusRequestTimeout || told.Status >= 500
}

// Is tells whether an error is a problem with this status.
func Is(err error, status int) bool {
	var told *Problem
	return errors.As(err, &told) && told.Status == status
}
