package execute

import (
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"horae-agent/internal/redact"
)

const longestMark = 1_000 // bytes of a line that reports progress

var progressLine = regexp.MustCompile(`^::progress +(\d{1,3}(?:\.\d{0,20})?)(%?)(?:[ \t]+(.*?))?\s*$`)

// output is one stream of a script on its way to the log: valid text, without the lines that report progress, and
// without secrets.
type output struct {
	stream   string
	log      Log
	redactor *redact.Redactor
	shown    *redact.Stream
	partial  []byte // of a character
	line     string // the beginning of a line that may report progress
	midLine  bool
}

func newOutput(stream string, attempt *Attempt) *output {
	return &output{
		stream: stream, log: attempt.Log, redactor: attempt.Redactor, shown: attempt.Redactor.NewStream(),
	}
}

func (o *output) copy(from io.Reader) {
	buffer := make([]byte, 16<<10)
	for {
		size, err := from.Read(buffer)
		o.take(buffer[:size], err != nil)
		if err != nil {
			return
		}
	}
}

func (o *output) take(raw []byte, last bool) {
	raw = append(o.partial, raw...)
	whole := len(raw)
	for i := 1; !last && i < utf8.UTFMax && i <= len(raw); i++ {
		if utf8.RuneStart(raw[len(raw)-i]) {
			if !utf8.FullRune(raw[len(raw)-i:]) {
				whole = len(raw) - i
			}
			break
		}
	}
	o.partial = append([]byte(nil), raw[whole:]...)
	text := strings.ToValidUTF8(string(raw[:whole]), "\uFFFD")
	if o.stream == "stdout" {
		text = o.withoutProgress(text, last)
	}
	text = strings.ReplaceAll(o.shown.Write(text, last), "\x00", "\uFFFD")
	if text != "" {
		o.log.Write(o.stream, text)
	}
}

// withoutProgress takes out and reports the lines `::progress 0.4 words`. What may become one is held back.
func (o *output) withoutProgress(text string, last bool) string {
	text, o.line = o.line+text, ""
	var kept strings.Builder
	for text != "" {
		line, rest, complete := strings.Cut(text, "\n")
		if !o.midLine && mayReport(line) {
			if !complete && !last && len(line) <= longestMark {
				o.line = text
				return kept.String()
			}
			if o.report(line) {
				text = rest
				continue
			}
		}
		kept.WriteString(line)
		if complete {
			kept.WriteByte('\n')
		}
		o.midLine, text = !complete, rest
	}
	return kept.String()
}

func mayReport(line string) bool {
	const mark = "::progress "
	return strings.HasPrefix(line, mark) || strings.HasPrefix(mark, line)
}

func (o *output) report(line string) bool {
	found := progressLine.FindStringSubmatch(line)
	if found == nil || len(line) > longestMark {
		return false
	}
	fraction, err := strconv.ParseFloat(found[1], 64)
	if found[2] == "%" {
		fraction /= 100
	}
	if err != nil || fraction > 1 {
		return false
	}
	o.log.Progress(fraction, o.redactor.Text(found[3]))
	return true
}
