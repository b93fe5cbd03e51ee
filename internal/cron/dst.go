package cron

import "fmt"

// DST defines what a schedule with fixed hours does when the zone's clocks change; see
// the package documentation. The empty value is First.
type DST string

const (
	First DST = "first" // gap: once, right after it; overlap: the first pass
	Last  DST = "last"  // gap: once, right after it; overlap: the second pass
	Both  DST = "both"  // gap: once, right after it; overlap: both passes
	Skip  DST = "skip"  // gap: not at all; overlap: the first pass
)

func (d DST) validate() error {
	switch d {
	case "", First, Last, Both, Skip:
		return nil
	}
	return fmt.Errorf("dst is %q, want first, last, both or skip", string(d))
}
