package cron

import (
	"slices"
	"sort"
	"time"
)

// horizon limits every search. The rarest expression that fires at all is 29 February,
// with eight years between two dates around a century such as 2100.
const horizon = 9 * 366 * 24 * time.Hour

// Schedule computes when a trigger is due. It is immutable and safe for concurrent use.
// Create one with [Parse] or [Every].
type Schedule struct {
	plan plan
}

// plan computes planned instants.
type plan interface {
	// next returns the first planned instant after the given one, or the zero time if
	// there is none within the horizon.
	next(after time.Time) time.Time
}

// Next returns the first planned instant strictly after the given one, in UTC, or the
// zero time if there is none within about nine years.
func (s *Schedule) Next(after time.Time) time.Time {
	return s.plan.next(after)
}

// Prev returns the latest planned instant that is not after at, in UTC, or the zero time
// if there is none within the previous nine years.
func (s *Schedule) Prev(at time.Time) time.Time {
	if p, ok := s.plan.(interval); ok {
		return p.prev(at)
	}
	// Planned instants of an expression are whole seconds. Whether one of them is within
	// the last n seconds can only change from no to yes as n grows, so a binary search
	// with Next finds the smallest n. A separate backward implementation of the
	// daylight-saving rules could disagree with the forward one.
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

// Between returns the planned instants after from and up to to, earliest first, at most
// limit of them. from is excluded and to is included, so that consecutive calls that
// share a boundary neither skip nor repeat an instant.
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
