// Package redact replaces secrets in what an attempt outputs: their values, and the usual encodings of these
// (docs/secrets.md).
package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"strings"
)

const (
	shortest     = 4 // bytes: shorter values would be found everywhere
	shortestLine = 8 // of a value with several lines, shorter lines are too common
)

// forms are all texts in which this value may appear.
func forms(value string) map[string]bool {
	found := map[string]bool{}
	for _, text := range []string{value, strings.TrimSpace(value)} {
		if len(text) >= shortest {
			add(found, text)
			add(found, escaped(text)...)
			add(found, encoded(text)...)
		}
	}
	if lines := strings.Split(value, "\n"); len(lines) > 1 {
		for _, line := range lines {
			if line = strings.TrimSpace(line); len(line) >= shortestLine {
				add(found, line)
				add(found, escaped(line)...)
			}
		}
	}
	return found
}

func add(found map[string]bool, texts ...string) {
	for _, text := range texts {
		if len(text) >= shortest {
			found[text] = true
		}
	}
}

// escaped are the forms of a text in URLs and in JSON.
func escaped(text string) []string {
	var made []string
	for _, safe := range []string{"", "/", "!'()*", "/:?#[]@!$&'()*+,;="} { // Python twice, JavaScript, curl
		quoted := percent(text, safe)
		made = append(made, quoted, lowerEscapes(quoted))
	}
	plus, path := url.QueryEscape(text), url.PathEscape(text)
	made = append(made, plus, lowerEscapes(plus), path, lowerEscapes(path))
	if quoted, err := json.Marshal(text); err == nil {
		inner := string(quoted[1 : len(quoted)-1])
		made = append(made, inner, asciiOnly(inner))
	}
	var plain strings.Builder
	encoder := json.NewEncoder(&plain)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(text) == nil {
		quoted := strings.TrimSuffix(plain.String(), "\n")
		inner := quoted[1 : len(quoted)-1]
		made = append(made, inner, strings.ReplaceAll(inner, "/", `\/`), asciiOnly(inner))
	}
	return made
}

func percent(text, safe string) string {
	const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
	var made strings.Builder
	for i := 0; i < len(text); i++ {
		if strings.IndexByte(unreserved, text[i]) >= 0 || strings.IndexByte(safe, text[i]) >= 0 {
			made.WriteByte(text[i])
		} else {
			made.WriteString("%" + strings.ToUpper(hex.EncodeToString([]byte{text[i]})))
		}
	}
	return made.String()
}

func lowerEscapes(text string) string {
	parts := strings.Split(text, "%")
	for i, part := range parts[1:] {
		if len(part) >= 2 {
			parts[i+1] = strings.ToLower(part[:2]) + part[2:]
		}
	}
	return strings.Join(parts, "%")
}

// asciiOnly is JSON as Python writes it: \u escapes for everything else, in pairs beyond U+FFFF.
func asciiOnly(text string) string {
	var made strings.Builder
	for _, r := range text {
		switch {
		case r < 0x80:
			made.WriteRune(r)
		case r > 0xFFFF:
			r -= 0x10000
			made.WriteString(unit(0xD800+r>>10) + unit(0xDC00+r&0x3FF))
		default:
			made.WriteString(unit(r))
		}
	}
	return made.String()
}

func unit(r rune) string {
	return `\u` + hex.EncodeToString([]byte{byte(r >> 8), byte(r)})
}

// encoded are the forms of a text in base64 and hexadecimal: alone, with a line break, and inside something longer.
func encoded(text string) []string {
	var made []string
	for _, whole := range []string{text, text + "\n"} {
		packed := base64.StdEncoding.EncodeToString([]byte(whole))
		made = append(made, packed, strings.TrimRight(packed, "="))
		made = append(made, wrapped(packed, 64)...)
		made = append(made, wrapped(packed, 76)...)
	}
	for before := 0; before < 3; before++ {
		packed := base64.StdEncoding.EncodeToString(append(make([]byte, before), text...))
		made = append(made, packed[(before*8+5)/6:(before+len(text))*8/6])
	}
	for _, packed := range made {
		made = append(made, strings.NewReplacer("+", "-", "/", "_").Replace(packed))
	}
	digits := hex.EncodeToString([]byte(text))
	made = append(made, digits, strings.ToUpper(digits))
	return append(made, wrapped(digits, 60)...)
}

// wrapped are the lines of a text that is broken into columns, if there are several.
func wrapped(text string, columns int) []string {
	var lines []string
	for start := 0; len(text) > columns && start < len(text); start += columns {
		end := start + columns
		if end > len(text) {
			end = len(text)
		}
		if end-start >= shortestLine {
			lines = append(lines, text[start:end])
		}
	}
	return lines
}
