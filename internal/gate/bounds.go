package gate

import (
	"fmt"
	"strings"

	"botwork/workqueue"
)

// Bounds are what a machine must not exceed, or must have left, for the worker to take items. The
// zero value has no bounds.
type Bounds struct {
	// CPU is how busy the processors may be, in percent of all of them; 0: no bound.
	CPU float64

	// MemoryFree and DiskFree are the bytes that must be free; 0: no bound.
	MemoryFree, DiskFree int64

	// Folders are where DiskFree must be free, in each of them. A folder that does not exist
	// counts as the nearest one above it.
	Folders []string
}

// None reports whether there is no bound.
func (b Bounds) None() bool { return b.CPU == 0 && b.MemoryFree == 0 && b.DiskFree == 0 }

// margin is by how much a value must be within its bound before the gate opens: points of the
// processors' percentage, and a share of the bytes.
const (
	marginPoints = 5
	marginShare  = 0.1
)

// watched is one bound with its latest values, the oldest first.
type watched struct {
	name    string // of the resource, as the reason has it
	measure func() (float64, error)

	most, least float64 // the bound: the value is at most most, or at least least; 0: the other one applies
	text        func(value float64) string

	atLeast int // values that are needed to judge

	values  []float64
	closed  bool // beyond the bound, and not yet within it by the margin
	failing bool // the latest measurement failed
}

// sample measures, and judges by the latest values. It returns the error of the first of several
// failures in a row; what cannot be measured closes nothing.
func (w *watched) sample() error {
	v, err := w.measure()
	if err != nil {
		first := !w.failing
		w.values, w.closed, w.failing = nil, false, true
		if first {
			return fmt.Errorf("measure %s: %w", w.name, err)
		}
		return nil
	}
	w.failing = false
	w.values = append(w.values, v)
	w.values = w.values[max(len(w.values)-samples, 0):]
	w.closed = len(w.values) >= w.atLeast && w.beyond(w.mean())
	return nil
}

// mean returns the mean of the latest values.
func (w *watched) mean() float64 {
	sum := 0.0
	for _, v := range w.values {
		sum += v
	}
	return sum / float64(len(w.values))
}

// beyond reports whether a value is beyond the bound or, if it was before, not yet within it by the
// margin.
func (w *watched) beyond(v float64) bool {
	most, least := w.most, w.least
	if w.closed {
		most, least = max(most-marginPoints, most/2), least*(1+marginShare)
	}
	return w.most > 0 && v > most || v < least
}

// reason describes a value that keeps the gate closed.
func (w *watched) reason() string {
	bound, side, v := w.least, "below", w.mean()
	if w.most > 0 {
		bound, side = w.most, "over"
	}
	if w.most > 0 && v <= w.most || w.most == 0 && v >= w.least {
		side = "still near" // until the margin is reached
	}
	return fmt.Sprintf("%s %s %s %s", w.name, w.text(v), side, w.text(bound))
}

func percentText(v float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") + "%"
}

// bytesText returns a size as settings have it, rounded: 500MB, 1.3GB.
func bytesText(v float64) string {
	if n := int64(v); n%(1<<20) == 0 {
		return workqueue.SizeText(n)
	}
	if v >= 1<<30 {
		return fmt.Sprintf("%.1fGB", v/(1<<30))
	}
	return fmt.Sprintf("%.0fMB", v/(1<<20))
}
