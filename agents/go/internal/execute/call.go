package execute

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"time"

	"horae-agent/internal/guard"
	"horae-agent/internal/protocol"
)

const mostRedirects = 5

// Caller carries out calls. Connections are kept for a few seconds and reused, cookies are not kept, and the proxies
// of the environment are not used: they would reach what the guard refuses.
type Caller struct{ client *http.Client }

// NewCaller is a caller that may reach private addresses, or not.
func NewCaller(allowPrivate bool) *Caller {
	dialer := &guard.Dialer{AllowPrivate: allowPrivate, Lookup: net.DefaultResolver.LookupNetIP}
	return &Caller{&http.Client{
		Transport: &http.Transport{
			DialContext:            dialer.Dial,
			DisableCompression:     true,
			IdleConnTimeout:        4 * time.Second,
			MaxIdleConnsPerHost:    100,
			MaxResponseHeaderBytes: 64 << 10,
			TLSHandshakeTimeout:    30 * time.Second,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Call carries out a call. A stop of whatever kind closes its connection.
func (c *Caller) Call(attempt *Attempt) protocol.Outcome {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		select {
		case <-attempt.Stop.Asked:
			cancel()
		case <-ctx.Done():
		}
	}()
	outcome, err := c.follow(ctx, attempt)
	if err == nil {
		return outcome
	}
	var definition *refused
	var address *guard.Refused
	if errors.As(err, &definition) || errors.As(err, &address) {
		return Failure(true, inWords(err))
	}
	return Failure(false, inWords(err))
}

// inWords leaves out the URL of an error, which may contain a secret.
func inWords(err error) string {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	return err.Error()
}

// follow makes the call, and those to which it is redirected.
func (c *Caller) follow(ctx context.Context, attempt *Attempt) (protocol.Outcome, error) {
	target := attempt.Definition.Call
	next, err := target.request(attempt)
	if err != nil {
		return protocol.Outcome{}, err
	}
	times := newStopwatch()
	for hop := 0; hop <= mostRedirects; hop++ {
		response, err := c.client.Do(next.message(times.traced(ctx)))
		if err != nil {
			return protocol.Outcome{}, err
		}
		location := response.Header.Get("Location")
		if !target.FollowRedirects || !isRedirect(response.StatusCode) || target.expects(response.StatusCode) || location == "" {
			defer response.Body.Close()
			times.headers()
			return target.answered(attempt, response, times)
		}
		response.Body.Close()
		if next, err = next.redirected(attempt, response.StatusCode, location); err != nil {
			return protocol.Outcome{}, err
		}
	}
	return protocol.Outcome{}, refuse("more than %d redirects", mostRedirects)
}

// stopwatch measures the parts of a call, in milliseconds.
type stopwatch struct {
	began  time.Time
	Shown  map[string]float64
	asking time.Time
}

func newStopwatch() *stopwatch {
	return &stopwatch{began: time.Now(), Shown: map[string]float64{}}
}

func (s *stopwatch) traced(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { s.asking = time.Now() },
		GotConn: func(got httptrace.GotConnInfo) {
			if !got.Reused {
				s.Shown["connect_ms"] = since(s.asking)
			}
		},
	})
}

func (s *stopwatch) headers() { s.Shown["headers_ms"] = since(s.began) }

func (s *stopwatch) total() { s.Shown["total_ms"] = since(s.began) }

func since(at time.Time) float64 { return float64(time.Since(at).Microseconds()) / 1000 }

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

func (t *CallTarget) expects(status int) bool {
	for _, text := range t.Expect {
		first, last := 0, 0
		if len(text) == 3 && text[1:] == "xx" {
			first = int(text[0]-'0') * 100
			last = first + 99
		} else if size, _ := fmt.Sscanf(text, "%d-%d", &first, &last); size == 1 {
			last = first
		}
		if first <= status && status <= last {
			return true
		}
	}
	return false
}
