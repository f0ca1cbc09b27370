package protocol

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	compressFrom  = 4 << 10  // bytes: below, compression costs more than it saves
	largestAnswer = 64 << 20 // bytes
)

// Client sends requests to the installation. It keeps connections alive, and uses the proxy of the environment.
type Client struct {
	url  string
	key  string
	http *http.Client
}

// NewClient is a client of the installation at this URL.
func NewClient(url, key string) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 8
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse } // the key goes nowhere else
	return &Client{strings.TrimRight(url, "/"), key, &http.Client{Transport: transport, CheckRedirect: refuse}}
}

// Problem is an answer other than 200.
type Problem struct {
	Status     int
	Kind       string // the end of its type, such as "unknown-worker"
	Detail     string
	RetryAfter time.Duration
}

func (p *Problem) Error() string {
	return fmt.Sprintf("HTTP %d %s: %s", p.Status, p.Kind, p.Detail)
}

// Send posts one request, and reads its answer. The error is a *Problem if there was an answer.
func (c *Client) Send(ctx context.Context, verb string, request, answer any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	message, err := c.message(ctx, verb, body)
	if err != nil {
		return err
	}
	response, err := c.http.Do(message)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(io.LimitReader(response.Body, largestAnswer))
	if err != nil {
		return err // cut off in the middle: as if there had been no answer
	}
	if response.StatusCode != http.StatusOK {
		return problem(response, content)
	}
	if err := json.Unmarshal(content, answer); err != nil {
		return fmt.Errorf("the answer to %s is not what the protocol says: %w", verb, err)
	}
	return nil
}

func (c *Client) message(ctx context.Context, verb string, body []byte) (*http.Request, error) {
	encoding := ""
	if len(body) >= compressFrom {
		var packed bytes.Buffer
		writer := gzip.NewWriter(&packed)
		if _, err := writer.Write(body); err != nil {
			return nil, err
		}
		if err := writer.Close(); err != nil {
			return nil, err
		}
		body, encoding = packed.Bytes(), "gzip"
	}
	message, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/api/v1/worker/"+verb, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	message.Header.Set("Authorization", "Bearer "+c.key)
	message.Header.Set("Content-Type", "application/json")
	message.Header.Set("Horae-Worker-Protocol", strconv.Itoa(Version))
	if encoding != "" {
		message.Header.Set("Content-Encoding", encoding)
	}
	return message, nil
}

func problem(response *http.Response, content []byte) *Problem {
	var told struct{ Type, Title, Detail string }
	_ = json.Unmarshal(content, &told) // a proxy's own page is not JSON: the status says enough
	found := &Problem{Status: response.StatusCode, Detail: told.Detail}
	if found.Detail == "" {
		found.Detail = told.Title
	}
	found.Kind = told.Type[strings.LastIndexAny(told.Type, ":/")+1:]
	if seconds, err := strconv.ParseFloat(response.Header.Get("Retry-After"), 64); err == nil && seconds > 0 && seconds < 1e6 {
		found.RetryAfter = time.Duration(seconds * float64(time.Second))
	}
	return found
}
