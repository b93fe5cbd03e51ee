package workqueue

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Band is a range of priorities, both ends included. Larger priorities run
// first. The named bands of the product are high (above 1000), medium
// (500 to 1000) and low (below 500). Where a Band is a parameter, the zero Band
// means every priority; a band of priority 0 alone would look the same, so
// NewBand rejects it.
type Band struct {
	Min, Max int
}

// MediumPriority is the lowest priority that is not low.
const MediumPriority = 500

// EveryPriority is the band that holds all items.
var EveryPriority = Band{Min: math.MinInt32, Max: math.MaxInt32}

// Contains reports whether an item of this priority belongs to the band.
func (b Band) Contains(priority int) bool { return b.Min <= priority && priority <= b.Max }

// Empty reports whether the band contains no priority.
func (b Band) Empty() bool { return b.Min > b.Max }

// Overlaps reports whether the bands have a priority in common.
func (b Band) Overlaps(other Band) bool { return b.Min <= other.Max && other.Min <= b.Max }

// Includes reports whether every priority of other is in the band.
func (b Band) Includes(other Band) bool { return b.Min <= other.Min && other.Max <= b.Max }

// Intersect returns the band of the priorities that are in both; it may be empty.
func (b Band) Intersect(other Band) Band {
	return Band{Min: max(b.Min, other.Min), Max: min(b.Max, other.Max)}
}

// JoinBands returns the smallest list of bands that together contain the same
// priorities, lowest first. No two of them overlap or are adjacent.
func JoinBands(bands []Band) []Band {
	var joined []Band
	for _, b := range slices.SortedStableFunc(slices.Values(bands), func(a, b Band) int { return cmp.Compare(a.Min, b.Min) }) {
		last := len(joined) - 1
		switch {
		case b.Empty():
		case last >= 0 && b.Min-1 <= joined[last].Max:
			joined[last].Max = max(joined[last].Max, b.Max)
		default:
			joined = append(joined, b)
		}
	}
	return joined
}

// String names the priorities: "any priority", "priority 1001 and above", "priority
// below 500", "priority 500", "priority 500 to 1000".
func (b Band) String() string {
	switch {
	case b == (Band{}) || b.Min <= math.MinInt32 && b.Max >= math.MaxInt32:
		return "any priority"
	case b.Max >= math.MaxInt32:
		return fmt.Sprintf("priority %d and above", b.Min)
	case b.Min <= math.MinInt32:
		return fmt.Sprintf("priority below %d", b.Max+1)
	case b.Min == b.Max:
		return fmt.Sprintf("priority %d", b.Min)
	default:
		return fmt.Sprintf("priority %d to %d", b.Min, b.Max)
	}
}

// NewBand returns the band of `minPriority`, `abovePriority` and `belowPriority` of a
// pipeline; nil means no bound. At most one of minimum and above may be set.
func NewBand(minimum, above, below *int) (Band, error) {
	b := EveryPriority
	if minimum != nil && above != nil {
		return b, errors.New("minPriority and abovePriority: want one of the two")
	}
	for _, bound := range []*int{minimum, above, below} {
		if bound != nil && !ItemPriorityRange(*bound) {
			return b, fmt.Errorf("priority %d: want %d to %d", *bound, math.MinInt32, math.MaxInt32)
		}
	}
	if minimum != nil {
		b.Min = *minimum
	}
	if above != nil {
		b.Min = *above + 1
	}
	if below != nil {
		b.Max = *below - 1
	}
	if b.Empty() {
		return b, fmt.Errorf("no priority is at least %d and at most %d", b.Min, b.Max)
	}
	if b == (Band{}) {
		return b, errors.New("a band of priority 0 alone is not possible; hint: lower minPriority or raise belowPriority by 1")
	}
	return b, nil
}
