// Package protocol speaks version 1 of the worker protocol (docs/worker-protocol.md) with a Horae installation.
package protocol

import "encoding/json"

// Version is the only one that this agent speaks.
const Version = 1

// LargestResult is how many bytes a result may have.
const LargestResult = 128 << 10

type Registration struct {
	Instance  string   `json:"instance"`
	Protocols []int    `json:"protocols"`
	Name      string   `json:"name,omitempty"`
	Version   string   `json:"version"`
	Hostname  string   `json:"hostname"`
	Platform  string   `json:"platform"`
	Queues    []string `json:"queues"`
	Offers    []string `json:"offers"`
	Slots     int      `json:"slots"`
}

// Welcome is the answer to a registration.
type Welcome struct {
	WorkerID           string  `json:"worker_id"`
	Protocol           int     `json:"protocol"`
	Name               string  `json:"name"`
	LeaseSeconds       float64 `json:"lease_seconds"`
	HeartbeatSeconds   float64 `json:"heartbeat_seconds"`
	LongestWaitSeconds float64 `json:"longest_wait_seconds"`
	LogLimit           int     `json:"log_limit"`
	MaxBodyBytes       int     `json:"max_body_bytes"`
	GraceSeconds       float64 `json:"grace_seconds"`
}

// Condition is what claims and renewals say about the agent.
type Condition struct {
	Status   string  `json:"status"`
	Busy     int     `json:"busy"`
	RunsDone int     `json:"runs_done"`
	Trouble  *string `json:"trouble"`
}

type ClaimRequest struct {
	WorkerID string  `json:"worker_id"`
	Token    string  `json:"token"`
	Again    bool    `json:"again"`
	Slots    int     `json:"slots"`
	Wait     float64 `json:"wait"`
	Condition
}

type Claimed struct {
	Runs          []Run   `json:"runs"`
	Jobs          []Job   `json:"jobs"`
	More          bool    `json:"more"`
	WaitedSeconds float64 `json:"waited_seconds"`
	LeaseSeconds  float64 `json:"lease_seconds"`
	Drain         bool    `json:"drain"`
}

type Run struct {
	ID           string  `json:"id"`
	JobID        string  `json:"job_id"`
	Version      int     `json:"version"`
	Attempt      int     `json:"attempt"`
	Trigger      string  `json:"trigger"`
	ScheduledFor *string `json:"scheduled_for"`
	Input        *string `json:"input"`
	Traceparent  *string `json:"traceparent"`
	CallbackURL  *string `json:"callback_url"`
}

// Job is the definition of some runs, with the secrets that it names.
type Job struct {
	JobID      string            `json:"job_id"`
	Version    int               `json:"version"`
	Definition json.RawMessage   `json:"definition"`
	Secrets    map[string]string `json:"secrets"`
	Fault      *Fault            `json:"fault"`
}

// Fault says why the secrets of a job are not available.
type Fault struct {
	Error     string `json:"error"`
	Permanent bool   `json:"permanent"`
}

// Held names a run that this agent holds.
type Held struct {
	ID    string `json:"id"`
	Token string `json:"token"`
}

type RenewRequest struct {
	WorkerID string `json:"worker_id"`
	Runs     []Held `json:"runs"`
	Condition
}

type Renewed struct {
	Renewed []string `json:"renewed"`
	Cancel  []string `json:"cancel"`
	Lost    []string `json:"lost"`
	Drain   bool     `json:"drain"`
}

type Report struct {
	WorkerID string     `json:"worker_id"`
	Outcomes []Outcome  `json:"outcomes"`
	Logs     []LogChunk `json:"logs"`
	Progress []Progress `json:"progress"`
}

// The kinds of outcomes.
const (
	Succeeded   = "succeeded"
	Failed      = "failed"
	TimedOut    = "timed_out"
	Cancelled   = "cancelled"
	Interrupted = "interrupted"
	Parked      = "parked"
)

type Outcome struct {
	Held
	Kind         string   `json:"kind"`
	Result       *string  `json:"result"`
	Error        *string  `json:"error"`
	ExitCode     *int     `json:"exit_code"`
	ResponseCode *int     `json:"response_code"`
	Permanent    bool     `json:"permanent"`
	RetryAfter   *float64 `json:"retry_after"`
	ParkFor      *float64 `json:"park_for"`
	DurationMs   int64    `json:"duration_ms"`
	EndedMsAgo   int64    `json:"ended_ms_ago"`
}

type LogChunk struct {
	Held
	Seq    int    `json:"seq"`
	Stream string `json:"stream"`
	Text   string `json:"text"`
	MsAgo  int64  `json:"ms_ago"`
}

type Progress struct {
	Held
	Fraction float64 `json:"fraction"`
	Note     *string `json:"note"`
}

type Reported struct {
	Refused []string `json:"refused"`
	LogFull []string `json:"log_full"`
}

type ReleaseRequest struct {
	WorkerID string     `json:"worker_id"`
	Runs     []Returned `json:"runs"`
}

// Returned is a run that was not started.
type Returned struct {
	Held
	Unreadable *string `json:"unreadable"`
}

type Goodbye struct {
	WorkerID string `json:"worker_id"`
	RunsDone int    `json:"runs_done"`
}
