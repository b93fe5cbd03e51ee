package workqueue

import (
	"bytes"
	"strings"
	"time"

	"github.com/rs/zerolog"
)

const (
	// tailLines and tailLine bound what is kept of a run's log: that many lines of
	// that many bytes each.
	tailLines, tailLine = 10, 1000
)

// logTail keeps the last lines of a log. They are formatted only when they are read,
// which for most runs is never.
type logTail struct {
	lines [][]byte // the oldest first
}

func (t *logTail) add(line []byte) {
	var kept []byte
	if len(t.lines) == tailLines {
		kept = t.lines[0][:0]
		copy(t.lines, t.lines[1:])
		t.lines = t.lines[:tailLines-1]
	}
	t.lines = append(t.lines, append(kept, line...))
}

// String returns the lines as a console shows them, the latest last, with times in
// UTC. The item and its pipeline are left out, since they are the same in each line.
func (t *logTail) String() string {
	if len(t.lines) == 0 {
		return ""
	}
	var text strings.Builder
	for _, line := range t.lines {
		var plain bytes.Buffer
		console := zerolog.ConsoleWriter{
			Out: &plain, NoColor: true, TimeFormat: time.RFC3339, TimeLocation: time.UTC,
			FieldsExclude: []string{"item_id", "pipeline"},
		}
		shown := line
		if _, err := console.Write(line); err == nil {
			shown = plain.Bytes()
		}
		shown = bytes.TrimRight(shown, "\n")
		text.Write(bytes.ToValidUTF8(shown[:min(len(shown), tailLine)], nil))
		text.WriteByte('\n')
	}
	return storable(text.String())
}
