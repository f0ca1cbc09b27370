package execute

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sort"
	"strconv"
	"strings"
	"time"

	"horae-agent/internal/protocol"
)

const (
	largestBody    = 64 << 10 // bytes that are read of an answer
	largestHeaders = 16 << 10 // bytes that are kept of its headers
	longestPause   = 31_536_000.0
)

// answered is what an answer means.
func (t *CallTarget) answered(attempt *Attempt, response *http.Response, times *stopwatch) (protocol.Outcome, error) {
	raw, err := io.ReadAll(io.LimitReader(response.Body, largestBody+1))
	if err != nil {
		return protocol.Outcome{}, err
	}
	times.total()
	truncated := len(raw) > largestBody
	if truncated {
		raw = raw[:largestBody]
	}
	result := resultOf(response, raw, truncated, times)
	status := response.StatusCode
	made := protocol.Outcome{Kind: protocol.Succeeded}
	switch {
	case status == http.StatusAccepted && t.Callback != nil:
		made.Kind, made.ParkFor = protocol.Parked, &t.Callback.Timeout
		attempt.Log.Write("system", fmt.Sprintf("answered with 202; waiting for its callback, at most %g s\n", t.Callback.Timeout))
	case !t.expects(status):
		passing := status == 408 || status == 425 || status == 429 || status >= 500
		line := fmt.Sprintf("HTTP %s", response.Status)
		if status < 300 {
			line += ", where the job expects " + strings.Join(t.Expect, ", ")
		}
		made = Failure(!passing, line)
		if passing {
			made.RetryAfter = retryAfter(response.Header)
		}
	}
	made.ResponseCode, made.Result = &status, &result
	return made, nil
}

// resultOf is what is kept of an answer. Its body is shortened if it needs so many escapes that it would be too large.
func resultOf(response *http.Response, raw []byte, truncated bool, times *stopwatch) string {
	for {
		var made bytes.Buffer
		encoder := json.NewEncoder(&made)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(map[string]any{
			"status": response.StatusCode, "headers": plain(response.Header),
			"body": decoded(raw, response.Header.Get("Content-Type")), "truncated": truncated, "timings": times.Shown,
		}); err != nil {
			panic(err) // nothing in there can fail
		}
		if made.Len() <= protocol.LargestResult || len(raw) == 0 {
			return strings.TrimSpace(made.String())
		}
		raw, truncated = raw[:len(raw)/2], true
	}
}

// decoded is text in ISO 8859-1 if the answer says so, otherwise in UTF-8.
func decoded(raw []byte, kind string) string {
	text := string(raw)
	if strings.Contains(strings.ToLower(kind), "iso-8859-1") {
		runes := make([]rune, len(raw))
		for i, b := range raw {
			runes[i] = rune(b)
		}
		text = string(runes)
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// plain are the headers, by names in lower case, repeated ones joined, all of them bounded.
func plain(headers http.Header) map[string]string {
	names := make([]string, 0, len(headers))
	for name := range headers {
		names = append(names, name)
	}
	sort.Strings(names)
	kept, size := map[string]string{}, 0
	for _, name := range names {
		value := decoded([]byte(strings.Join(headers[name], ", ")), "")
		if size += len(name) + len(value); size > largestHeaders {
			break
		}
		kept[strings.ToLower(name)] = value
	}
	return kept
}

// retryAfter is in seconds. A date is compared with the server's own clock: ours may be off.
func retryAfter(headers http.Header) *float64 {
	value := strings.TrimSpace(headers.Get("Retry-After"))
	seconds, err := strconv.ParseUint(value, 10, 40)
	pause := float64(seconds)
	if err != nil {
		until, err := http.ParseTime(value)
		if err != nil {
			return nil
		}
		from, err := http.ParseTime(headers.Get("Date"))
		if err != nil {
			from = time.Now()
		}
		pause = until.Sub(from).Seconds()
	}
	if pause < 0 {
		pause = 0
	}
	if pause > longestPause {
		pause = longestPause
	}
	return &pause
}
