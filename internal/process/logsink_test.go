package process_test

import (
	"encoding/json"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"botwork/internal/testdb"
)

// patience bounds every wait of these tests. Normally no wait takes nearly as long.
var patience = testdb.Slow(30 * time.Second)

// logSink stores the log of a process. A test can read it and wait for lines.
type logSink struct {
	mu      sync.Mutex
	lines   []map[string]any
	changed chan struct{} // closed at the next line
}

func newLogSink() *logSink { return &logSink{changed: make(chan struct{})} }

func (l *logSink) logger() zerolog.Logger { return zerolog.New(l).Level(zerolog.DebugLevel) }

// Write implements io.Writer for one JSON line.
func (l *logSink) Write(line []byte) (int, error) {
	fields := map[string]any{}
	if err := json.Unmarshal(line, &fields); err != nil {
		return 0, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fields)
	close(l.changed)
	l.changed = make(chan struct{})
	return len(line), nil
}

// with returns the lines of a message.
func (l *logSink) with(message string) []map[string]any {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.lines), func(line map[string]any) bool { return line["message"] != message })
}

// await waits for the first line of a message and returns it.
func (l *logSink) await(t *testing.T, message string) map[string]any {
	t.Helper()
	return l.awaitNth(t, message, 1)
}

// awaitNth returns the nth line of a message, counted from 1.
func (l *logSink) awaitNth(t *testing.T, message string, n int) map[string]any {
	t.Helper()
	late := time.After(patience)
	for {
		l.mu.Lock()
		changed := l.changed
		l.mu.Unlock()
		if lines := l.with(message); len(lines) >= n {
			return lines[n-1]
		}
		select {
		case <-changed:
		case <-late:
			t.Fatalf("%q was not logged %d times within %v", message, n, patience)
		}
	}
}

// receive receives a value from a channel, with a timeout.
func receive[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(patience):
		t.Fatalf("no %s within %v", what, patience)
		panic("unreachable")
	}
}
