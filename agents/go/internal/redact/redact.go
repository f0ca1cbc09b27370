package redact

import (
	"bytes"
	"encoding/json"
	"sort"
	"strings"
)

const mark = "***"

// Redactor knows the forms of some secrets.
type Redactor struct {
	byFirst [256][]string // forms by their first byte, the longest first
	empty   bool
}

// New knows these secrets, which are given by name.
func New(secrets map[string]string) *Redactor {
	found := map[string]bool{}
	for _, value := range secrets {
		for form := range forms(value) {
			found[form] = true
		}
	}
	made := &Redactor{empty: len(found) == 0}
	for form := range found {
		made.byFirst[form[0]] = append(made.byFirst[form[0]], form)
	}
	for _, known := range made.byFirst {
		sort.Slice(known, func(a, b int) bool { return len(known[a]) > len(known[b]) })
	}
	return made
}

// Text replaces the secrets in a whole text.
func (r *Redactor) Text(text string) string {
	stream := Stream{redactor: r}
	return stream.Write(text, true)
}

// JSON replaces the secrets in strings, names and numbers of a JSON text. What cannot be searched is withheld.
func (r *Redactor) JSON(text string) string {
	if r.empty {
		return text
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return `"withheld: it cannot be searched for secrets"`
	}
	value, changed := r.value(value)
	if !changed {
		return text
	}
	var made bytes.Buffer
	encoder := json.NewEncoder(&made)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return `"withheld: it cannot be searched for secrets"`
	}
	return strings.TrimSuffix(made.String(), "\n")
}

func (r *Redactor) value(value any) (any, bool) {
	switch is := value.(type) {
	case string:
		shown := r.Text(is)
		return shown, shown != is
	case json.Number:
		if shown := r.Text(is.String()); shown != is.String() {
			return shown, true
		}
		return is, false
	case []any:
		changed := false
		for i, inner := range is {
			shown, differs := r.value(inner)
			is[i], changed = shown, changed || differs
		}
		return is, changed
	case map[string]any:
		changed := false
		made := make(map[string]any, len(is))
		for name, inner := range is {
			shown, differs := r.value(inner)
			label := r.Text(name)
			made[label], changed = shown, changed || differs || label != name
		}
		return made, changed
	}
	return value, false
}

// Stream replaces secrets in a text that arrives in pieces.
type Stream struct {
	redactor *Redactor
	held     string // the end of the text so far, which may be the beginning of a secret
	covered  int    // how much of it belongs to a form that has been replaced
}

// NewStream begins a text.
func (r *Redactor) NewStream() *Stream { return &Stream{redactor: r} }

// Write returns what can be shown already; with last, everything.
func (s *Stream) Write(text string, last bool) string {
	if s.redactor.empty {
		return text
	}
	text = s.held + text
	var shown strings.Builder
	done := s.covered // up to here, the text is shown or replaced
	at := 0
	for ; at < len(text); at++ {
		end, open := s.redactor.match(text, at, last)
		if open {
			break
		}
		if end > at {
			if at >= done {
				shown.WriteString(text[done:at] + mark)
			}
			if end > done {
				done = end
			}
		}
	}
	if at > done {
		shown.WriteString(text[done:at])
		done = at
	}
	s.held, s.covered = text[at:], done-at
	return shown.String()
}

// match is where the longest form ends that begins here, or whether one may continue beyond the text.
func (r *Redactor) match(text string, at int, last bool) (end int, open bool) {
	rest := text[at:]
	for _, form := range r.byFirst[text[at]] {
		if strings.HasPrefix(rest, form) {
			return at + len(form), false
		}
		if !last && len(form) > len(rest) && strings.HasPrefix(form, rest) {
			return 0, true
		}
	}
	return 0, false
}
