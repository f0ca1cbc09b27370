// Package template fills in `{{ … }}`: the part of Horae's templates (docs/jobs.md) that most jobs use. Those are paths
// such as input.order.id or input["a b"][0], literals, and some filters. Everything else is reported as Unknown when
// the definition is read, so that the run goes to a worker that knows it.
package template

import (
	"fmt"
	"strings"
)

// Unknown is a template that this agent cannot read.
type Unknown struct{ Why string }

func (u *Unknown) Error() string { return u.Why }

// Template is a text with places to fill in.
type Template struct{ parts []part }

// part is literal text, or an expression.
type part struct {
	text string
	expr *expression
}

type expression struct {
	value   operand
	filters []filter
}

// operand is a path below a name, or a literal.
type operand struct {
	literal any
	path    []any // names and indexes; empty for a literal
}

type filter struct {
	name string
	args []operand
}

// Parse reads a template.
func Parse(text string) (*Template, error) {
	made := &Template{}
	for {
		before, rest, found := strings.Cut(text, "{{")
		if strings.Contains(before, "{%") || strings.Contains(before, "{#") {
			return nil, &Unknown{"its template has a statement or a comment"}
		}
		made.parts = append(made.parts, part{text: before})
		if !found {
			return made, nil
		}
		scanner := &scanner{text: rest}
		expr, err := scanner.expression()
		if err != nil {
			return nil, err
		}
		made.parts = append(made.parts, part{expr: expr})
		text = scanner.text
	}
}

type scanner struct{ text string }

func unknown(format string, args ...any) error {
	return &Unknown{"its template " + fmt.Sprintf(format, args...)}
}

func (s *scanner) expression() (*expression, error) {
	value, err := s.operand()
	if err != nil {
		return nil, err
	}
	made := &expression{value: value}
	for {
		switch {
		case s.take("}}"):
			return made, nil
		case s.take("|"):
			next, err := s.filter()
			if err != nil {
				return nil, err
			}
			made.filters = append(made.filters, next)
		default:
			return nil, unknown("has an expression that this agent does not know")
		}
	}
}

func (s *scanner) filter() (filter, error) {
	made := filter{name: s.name()}
	if _, known := filters[made.name]; !known {
		return made, unknown("uses the filter %q", made.name)
	}
	for open := s.take("("); open; {
		if s.take(")") {
			break
		}
		arg, err := s.operand()
		if err != nil {
			return made, err
		}
		made.args = append(made.args, arg)
		if !s.take(",") && !strings.HasPrefix(s.text, ")") {
			return made, unknown("has arguments that this agent does not know")
		}
	}
	if most := filters[made.name].args; len(made.args) > most {
		return made, unknown("gives %d arguments to the filter %s", len(made.args), made.name)
	}
	return made, nil
}

func (s *scanner) operand() (operand, error) {
	s.skip()
	if s.text == "" {
		return operand{}, unknown("is not closed")
	}
	if literal, found, err := s.literal(); found || err != nil {
		return operand{literal: literal}, err
	}
	name := s.name()
	switch name {
	case "run", "job", "input", "secrets":
	default:
		return operand{}, unknown("uses %q", name)
	}
	made := operand{path: []any{name}}
	for {
		switch {
		case s.take("."):
			field := s.name()
			if field == "" {
				return made, unknown("has a path that this agent does not know")
			}
			made.path = append(made.path, field)
		case s.take("["):
			key, found, err := s.literal()
			if err != nil || !found || !s.take("]") {
				return made, unknown("has an index that this agent does not know")
			}
			made.path = append(made.path, key)
		default:
			return made, nil
		}
	}
}

// literal reads a string, a number or a constant.
func (s *scanner) literal() (any, bool, error) {
	s.skip()
	for _, quote := range []string{"'", `"`} {
		if strings.HasPrefix(s.text, quote) {
			inner, rest, closed := strings.Cut(s.text[1:], quote)
			if !closed || strings.Contains(inner, `\`) {
				return nil, false, unknown("has a text with an escape, or one that is not closed")
			}
			s.text = rest
			return inner, true, nil
		}
	}
	if digits := s.while("0123456789"); digits != "" {
		if strings.HasPrefix(s.text, ".") {
			return nil, false, unknown("has a number with a fraction")
		}
		var number int
		_, err := fmt.Sscan(digits, &number)
		return number, true, err
	}
	for word, value := range map[string]any{"true": true, "false": false, "none": nil} {
		if rest := s.text; len(rest) >= len(word) && strings.EqualFold(rest[:len(word)], word) {
			if name := (&scanner{text: rest}).name(); strings.EqualFold(name, word) {
				s.text = rest[len(word):]
				return value, true, nil
			}
		}
	}
	return nil, false, nil
}

func (s *scanner) skip() { s.text = strings.TrimLeft(s.text, " \t\r\n") }

func (s *scanner) take(mark string) bool {
	s.skip()
	if !strings.HasPrefix(s.text, mark) {
		return false
	}
	s.text = s.text[len(mark):]
	s.skipUnless(mark)
	return true
}

// skipUnless skips blanks after a mark, except after the end of an expression, where they are text.
func (s *scanner) skipUnless(mark string) {
	if mark != "}}" {
		s.skip()
	}
}

func (s *scanner) name() string {
	s.skip()
	return s.while("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")
}

func (s *scanner) while(letters string) string {
	rest := strings.TrimLeft(s.text, letters)
	found := s.text[:len(s.text)-len(rest)]
	s.text = rest
	return found
}
