package workqueue

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"
)

const (
	// tailLines and tailLine bound what is kept of a run's log: that many lines of
	// that many bytes each.
	tailLines, tailLine = 100, 1000

	// tailTexts is how many growing texts are kept whole, and tailOldText the most bytes that
	// are kept of each of up to tailOldTexts earlier ones.
	tailTexts, tailOldTexts, tailOldText = 4, 16, 4 << 10
)

// logTail keeps the last lines of a log, and growing texts between them, such as the output
// of a program. Both are formatted only when they are read, which for most runs is never.
type logTail struct {
	parts []logPart // the oldest first
	lines int       // how many parts are lines
	texts int       // how many parts are texts
}

// logPart is a line as zerolog writes it, or else a text.
type logPart struct {
	line []byte
	text func() string
	old  bool // the text is complete
}

func (p logPart) isLine() bool    { return p.text == nil }
func (p logPart) mayGrow() bool   { return p.text != nil && !p.old }
func (p logPart) isOldText() bool { return p.old }

func (t *logTail) add(line []byte) {
	var kept []byte
	if t.lines == tailLines {
		oldest := slices.IndexFunc(t.parts, logPart.isLine)
		kept = t.parts[oldest].line[:0]
		t.parts = slices.Delete(t.parts, oldest, oldest+1)
		t.lines--
	}
	t.parts = append(t.parts, logPart{line: append(kept, line...)})
	t.lines++
}

// addText adds a text that may still grow. If there are too many, the oldest one is cut, or
// removed.
func (t *logTail) addText(text func() string) {
	if t.texts == tailTexts+tailOldTexts {
		oldest := slices.IndexFunc(t.parts, logPart.isOldText)
		t.parts = slices.Delete(t.parts, oldest, oldest+1)
		t.texts--
	}
	if t.texts >= tailTexts {
		oldest := slices.IndexFunc(t.parts, logPart.mayGrow)
		last := keepEnd(t.parts[oldest].text(), tailOldText)
		t.parts[oldest] = logPart{text: func() string { return last }, old: true}
	}
	t.parts = append(t.parts, logPart{text: text})
	t.texts++
}

// String returns the lines as a console shows them, the latest last, with times in
// UTC. The item and its pipeline are left out, since they are the same in each line.
func (t *logTail) String() string {
	if len(t.parts) == 0 {
		return ""
	}
	var text strings.Builder
	for _, part := range t.parts {
		if part.text != nil {
			writeText(&text, part.text())
			continue
		}
		var plain bytes.Buffer
		console := zerolog.ConsoleWriter{
			Out: &plain, NoColor: true, TimeFormat: time.RFC3339, TimeLocation: time.UTC,
			FieldsExclude: []string{"item_id", "pipeline"},
		}
		shown := part.line
		if _, err := console.Write(part.line); err == nil {
			shown = plain.Bytes()
		}
		shown = bytes.TrimRight(shown, "\n")
		text.Write(bytes.ToValidUTF8(shown[:min(len(shown), tailLine)], nil))
		text.WriteByte('\n')
	}
	return keepEnd(storable(text.String()), MostKeepLog)
}

// EndingLine returns a line for the log of a run that a person or a rule has ended, in the form of
// the other lines.
func EndingLine(at time.Time, message string, by Actor) string {
	entry := AuditEntry{Actor: by.Name, Via: by.Via}
	var line bytes.Buffer
	log := zerolog.New(&line)
	e := log.Info().Str(zerolog.TimestampFieldName, at.UTC().Format(time.RFC3339)).Str("by", entry.By())
	if by.Host != "" {
		e = e.Str("host", by.Host)
	}
	if by.Reason != "" {
		e = e.Str("reason", by.Reason)
	}
	e.Msg(message)
	var tail logTail
	tail.add(line.Bytes())
	return tail.String()
}

func writeText(to *strings.Builder, text string) {
	to.WriteString(strings.ToValidUTF8(text, "\uFFFD"))
	if text != "" && !strings.HasSuffix(text, "\n") {
		to.WriteByte('\n')
	}
}

// keepEnd returns the last lines of a text that have at most limit bytes, after a line with …
// if there were more. Of a last line that is longer, it returns the end.
func keepEnd(text string, limit int) string {
	const mark = "…\n"
	if len(text) <= limit {
		return text
	}
	if limit <= len(mark) {
		return ""
	}
	kept := text[len(text)-limit+len(mark):]
	if _, lines, found := strings.Cut(kept, "\n"); found && lines != "" {
		return mark + lines
	}
	return mark + strings.ToValidUTF8(kept, "")
}
