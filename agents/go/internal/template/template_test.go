package template

import (
	"errors"
	"testing"
)

var values = map[string]any{
	"run":     map[string]any{"id": "r1", "attempt": 2},
	"input":   map[string]any{"a b": []any{"x", map[string]any{"n": 7}}, "name": `O"Neil/é`, "none": nil},
	"secrets": map[string]string{"KEY": "s"},
}

func TestRendering(t *testing.T) {
	for source, expected := range map[string]string{
		"plain":                          "plain",
		"{{ run.id }}-{{run.attempt}} .": "r1-2 .",
		`{{ input["a b"][1].n }}{{ input['name'] }}`: `7O"Neil/é`,
		`{{ input.name | tojson }}`:                  `"O\"Neil/é"`,
		`{{ input.name | urlencode }}`:               `O%22Neil%2F%C3%A9`,
		`{{ input.missing | default("-") | upper }}`: "-",
		`{{ input.none }}{{ input["a b"] }}`:         `null["x",{"n":7}]`,
		`{{ secrets.KEY }}`:                          "s",
		`{{ true }} {{ 'x' }}`:                       "true x",
	} {
		parsed, err := Parse(source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		if shown, err := parsed.Render(values); err != nil || shown != expected {
			t.Errorf("%s: %q, %v", source, shown, err)
		}
	}
}

func TestWhatIsNotDefinedIsAFault(t *testing.T) {
	for _, source := range []string{"{{ input.missing }}", "{{ input.name.deeper }}", "{{ secrets.OTHER | lower }}", `{{ input["a b"][9] }}`} {
		parsed, err := Parse(source)
		if err != nil {
			t.Fatal(err)
		}
		if shown, err := parsed.Render(values); err == nil {
			t.Errorf("%s: %q", source, shown)
		}
	}
}

func TestWhatIsNotKnownIsToldWhenParsed(t *testing.T) {
	for _, source := range []string{
		"{% if input %}x{% endif %}", "{# note #}", "{{ input.a + 1 }}", "{{ input | sum }}", "{{ range(3) }}",
		"{{ input.a", "{{ 'it\\'s' }}", "{{ secrets[input.which] }}", "{{ other }}", "{{- run.id }}", "{{ 1.5 }}", "{{ }}",
	} {
		var reason *Unknown
		if _, err := Parse(source); !errors.As(err, &reason) {
			t.Errorf("%s: %v", source, err)
		}
	}
}
