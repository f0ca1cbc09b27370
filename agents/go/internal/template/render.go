package template

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

const longest = 1_000_000 // characters that a template may render to

// undefined is the value of a path that leads nowhere.
type undefined struct{ path string }

// filters by name, with the number of arguments that each may have.
var filters = map[string]struct {
	args  int
	apply func(value any, args []any) (any, error)
}{
	"default":   {1, fallback},
	"tojson":    {0, func(value any, _ []any) (any, error) { return jsonText(value) }},
	"string":    {0, ofText(func(text string) string { return text })},
	"lower":     {0, ofText(strings.ToLower)},
	"upper":     {0, ofText(strings.ToUpper)},
	"trim":      {0, ofText(strings.TrimSpace)},
	"urlencode": {0, urlencode},
}

// Render fills in the places from these values.
func (t *Template) Render(values map[string]any) (string, error) {
	var made strings.Builder
	for _, part := range t.parts {
		text := part.text
		if part.expr != nil {
			var err error
			if text, err = part.expr.render(values); err != nil {
				return "", err
			}
		}
		if made.Len()+len(text) > longest {
			return "", fmt.Errorf("it renders to more than %d characters", longest)
		}
		made.WriteString(text)
	}
	return made.String(), nil
}

func (e *expression) render(values map[string]any) (string, error) {
	value := e.value.in(values)
	for _, next := range e.filters {
		var args []any
		for _, arg := range next.args {
			args = append(args, arg.in(values))
		}
		var err error
		if value, err = filters[next.name].apply(value, args); err != nil {
			return "", err
		}
	}
	return text(value)
}

func (o operand) in(values map[string]any) any {
	if len(o.path) == 0 {
		return o.literal
	}
	var value any = values
	for i, step := range o.path {
		next, found := below(value, step)
		if !found {
			return undefined{fmt.Sprint(o.path[:i+1]...)}
		}
		value = next
	}
	return value
}

func below(value, step any) (any, bool) {
	switch is := value.(type) {
	case map[string]any:
		name, isName := step.(string)
		found, there := is[name]
		return found, isName && there
	case map[string]string:
		name, _ := step.(string)
		found, there := is[name]
		return found, there
	case []any:
		index, isIndex := step.(int)
		if !isIndex || index >= len(is) {
			return nil, false
		}
		return is[index], true
	}
	return nil, false
}

// text is a value as it is inserted: strings as they are, everything else as JSON.
func text(value any) (string, error) {
	if plain, is := value.(string); is {
		return plain, nil
	}
	return jsonText(value)
}

func jsonText(value any) (string, error) {
	if missing, is := value.(undefined); is {
		return "", fmt.Errorf("%s is not defined", missing.path)
	}
	var made bytes.Buffer
	encoder := json.NewEncoder(&made)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "", err
	}
	return strings.TrimSuffix(made.String(), "\n"), nil
}

func fallback(value any, args []any) (any, error) {
	if _, missing := value.(undefined); !missing {
		return value, nil
	}
	if len(args) == 0 {
		return "", nil
	}
	return args[0], nil
}

func ofText(change func(string) string) func(any, []any) (any, error) {
	return func(value any, _ []any) (any, error) {
		plain, err := text(value)
		return change(plain), err
	}
}

// urlencode escapes everything, including slashes.
func urlencode(value any, _ []any) (any, error) {
	plain, err := text(value)
	return strings.ReplaceAll(url.QueryEscape(plain), "+", "%20"), err
}
