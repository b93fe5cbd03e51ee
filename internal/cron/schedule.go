package cron

import (
	"slices"
	"sort"
	"time"
)

// horizon bounds every search. The rarest expression that can fire at all is
// 29 February, which is eight years apart around a century such as 2100.
const horizon = 9 * 366 * 24 * time.Hour

// Schedule answers when a trigger comes due. It is immutable and safe for use
// by many goroutines. Make one with [Parse] or [Every].
type Schedule struct {
	plan plan
}

// plan is one way to lay out instants in time.
type plan interface {
	// next returns the first instant after the given one, or the zero time when
	// there is none within the horizon.
	next(after time.Time) time.Time
}

// Next returns the first planned instant strictly after the given one, in UTC,
// or the zero time when there is none within about nine years.
func (s *Schedule) Next(after time.Time) time.Time {
	return s.plan.next(after)
}

// Prev returns the latest planned instant that is not after at, in UTC, or the
// zero time when there is none within the nine years before.
func (s *Schedule) Prev(at time.Time) time.Time {
	if p, ok := s.plan.(interval); ok {
		return p.prev(at)
	}
	// Planned instants of an expression are whole seconds, and whether one lies within the last n
	// seconds can only turn from no to yes as n grows. So the smallest such n can be bisected on
	// Next alone, and no second, backward reading of the daylight-saving rules can disagree with
	// the forward one.
	base := time.Unix(at.Unix(), 0)
	seconds := int(horizon / time.Second)
	ago := sort.Search(seconds, func(n int) bool {
		next := s.Next(secondsBefore(base, n+1))
		return !next.IsZero() && !next.After(at)
	})
	if ago == seconds {
		return time.Time{}
	}
	return s.Next(secondsBefore(base, ago+1))
}

// secondsBefore returns the instant n whole seconds before t.
func secondsBefore(t time.Time, n int) time.Time {
	return t.Add(-time.Duration(n) * time.Second)
}

// Between returns the planned instants after from and up to to, earliest first
// and at most limit of them. The start is left out and the end taken in, so that
// consecutive calls that hand on the same boundary neither lose nor repeat one.
func (s *Schedule) Between(from, to time.Time, limit int) []time.Time {
	var instants []time.Time
	for len(instants) < limit {
		from = s.Next(from)
		if from.IsZero() || from.After(to) {
			break
		}
		instants = append(instants, from)
	}
	return slices.Clip(instants)
}
