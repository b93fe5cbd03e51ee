package cli

import (
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"

	"botwork/internal/visible"
)

// ProgressBar shows the progress of long work. It prints nothing if standard error is not a
// terminal.
type ProgressBar struct {
	writer  progress.Writer // nil: prints nothing
	tracker *progress.Tracker
	drawn   chan struct{} // closed after the bar was drawn for the last time
}

// NewProgress starts a bar for work of total units, 0 if that is unknown; Stop ends it.
func (s *Streams) NewProgress(what string, total int) *ProgressBar {
	if !IsTerminal(s.Stderr) {
		return &ProgressBar{}
	}
	b := &ProgressBar{
		writer:  progress.NewWriter(),
		tracker: &progress.Tracker{Message: visible.Line(what), Total: int64(total)},
		drawn:   make(chan struct{}),
	}
	b.writer.SetOutputWriter(Raw(s.Stderr))
	// Do not use Stop: a call before Render has started would be lost.
	b.writer.SetAutoStop(true)
	b.writer.SetUpdateFrequency(100 * time.Millisecond)
	b.writer.AppendTracker(b.tracker)
	go func() {
		defer close(b.drawn)
		b.writer.Render()
	}()
	return b
}

func (b *ProgressBar) Add(n int) {
	if b.writer != nil {
		b.tracker.Increment(int64(n))
	}
}

// Done completes a bar whose total was unknown.
func (b *ProgressBar) Done() {
	if b.writer != nil {
		b.tracker.MarkAsDone()
	}
}

// Stop draws the bar for the last time, as failed if the work is not complete.
func (b *ProgressBar) Stop() {
	if b.writer == nil {
		return
	}
	if !b.tracker.IsDone() {
		b.tracker.MarkAsErrored()
	}
	<-b.drawn
}
