package execute

import (
	"bytes"
	"encoding/json"
	"fmt"

	"horae-agent/internal/template"
)

// Definition is what a job says about its attempts.
type Definition struct {
	Name    string
	Timeout float64
	Grace   *float64
	Script  *ScriptTarget
	Call    *CallTarget
}

// document has every field of docs/jobs.md. One that is not here may change what an attempt must do, so that the
// definition counts as unreadable.
type document struct {
	Name    string          `json:"name"`
	Target  json.RawMessage `json:"target"`
	Timeout float64         `json:"timeout"`
	Grace   *float64        `json:"grace"`

	Description, Tags, Schedule, Retry, Overlap, Queue, Priority, Keep, Alert, Enabled, Notify any

	MaxInstances  any `json:"max_instances"`
	CatchUp       any `json:"catch_up"`
	CatchUpWindow any `json:"catch_up_window"`
	StartWithin   any `json:"start_within"`
}

// Read reads a definition. The error says why this agent cannot.
func Read(text json.RawMessage) (*Definition, error) {
	var told document
	if err := strictly(text, &told); err != nil {
		return nil, err
	}
	var of struct{ Kind string }
	if err := json.Unmarshal(told.Target, &of); err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	made := &Definition{Name: told.Name, Timeout: told.Timeout, Grace: told.Grace}
	var err error
	switch of.Kind {
	case "script":
		made.Script, err = readScript(told.Target)
	case "http":
		made.Call, err = readCall(told.Target)
	default:
		err = fmt.Errorf("this agent does not execute targets of kind %q", of.Kind)
	}
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	if made.Timeout <= 0 {
		return nil, fmt.Errorf("timeout: must be a positive number of seconds")
	}
	return made, nil
}

func strictly(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// parseAll parses the templates of a field that has several, by name.
func parseAll(field string, texts map[string]string) (map[string]*template.Template, error) {
	made := make(map[string]*template.Template, len(texts))
	for name, text := range texts {
		parsed, err := template.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", field, name, err)
		}
		made[name] = parsed
	}
	return made, nil
}
