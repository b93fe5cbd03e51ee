package cron

import (
	"time"

	"github.com/robfig/cron/v3"
)

// wall is a cron expression for the wall clock of a zone.
//
// The expression is only evaluated in naive time: the reading of the wall clock as if it
// were UTC, in which no hour is skipped or repeated. This type converts naive time to
// real time, one period of constant UTC offset after the other.
type wall struct {
	spec cron.SpecSchedule
	zone *time.Location
	dst  DST

	// elapsed is true if the hour is free: every real instant whose wall clock matches is
	// planned, and dst has no effect.
	elapsed bool
}

func (w *wall) next(after time.Time) time.Time {
	limit := after.Add(horizon)
	for from := after.Add(1); from.Before(limit); {
		p := periodAt(from, w.zone)
		if at := w.within(p, from); !at.IsZero() {
			return at
		}
		if p.end.IsZero() {
			break
		}
		from = p.end
	}
	return time.Time{}
}

// within returns the first planned instant of the period that is not before from, or the
// zero time.
func (w *wall) within(p period, from time.Time) time.Time {
	begin, end := p.naive(from), from.Add(horizon).UTC()
	if !p.end.IsZero() {
		end = p.naive(p.end)
	}
	if !w.elapsed {
		opening := p.naive(p.start)
		switch jump := p.offset - p.before; {
		case jump > 0 && from.Equal(p.start) && w.dst != Skip:
			// The clocks went forward: instants in the gap fire here once.
			if !w.naiveFrom(opening.Add(-jump), opening).IsZero() {
				return p.start.UTC()
			}
		case jump < 0 && (w.dst == First || w.dst == Skip):
			// The clocks went back: the first pass was in the previous period.
			if repeated := opening.Add(-jump); begin.Before(repeated) {
				begin = repeated
			}
		}
		if jump := p.after - p.offset; jump < 0 && w.dst == Last {
			// The clocks will go back: the second pass is in the next period.
			end = end.Add(jump)
		}
	}
	naive := w.naiveFrom(begin, end)
	if naive.IsZero() {
		return time.Time{}
	}
	return naive.Add(-p.offset)
}

// naiveFrom returns the first match of the expression in naive time from begin (included)
// to end (excluded), or the zero time.
func (w *wall) naiveFrom(begin, end time.Time) time.Time {
	for begin.Before(end) {
		if at := w.spec.Next(begin.Add(-1)); !at.IsZero() {
			if at.Before(end) {
				return at
			}
			return time.Time{}
		}
		// The parser stops its search after five years: continue from there.
		begin = time.Date(begin.Year()+6, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return time.Time{}
}

// period is a range of real time in which a zone has a constant offset from UTC.
type period struct {
	// start is inclusive, end exclusive; the zero time means no limit.
	start, end time.Time

	// offset is the wall clock's difference from UTC in this period; before and after are
	// those of the neighbouring periods, or offset if there is none.
	offset, before, after time.Duration
}

func periodAt(t time.Time, zone *time.Location) period {
	local := t.In(zone)
	start, end := local.ZoneBounds()
	if !end.IsZero() && !end.After(t) {
		// When package time extrapolates a zone's rules, it ends a leap year one day
		// early, so that on the last day the period would end before it starts. Any later
		// end is correct if it is not after the next clock change.
		end = t.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	}
	p := period{start: start, end: end, offset: offsetOf(local)}
	p.before, p.after = p.offset, p.offset
	if !start.IsZero() {
		p.before = offsetOf(start.Add(-1))
	}
	if !end.IsZero() {
		p.after = offsetOf(end)
	}
	return p
}

func offsetOf(t time.Time) time.Duration {
	_, seconds := t.Zone()
	return time.Duration(seconds) * time.Second
}

// naive returns the wall clock's reading at a real instant of the period, or at its end.
func (p period) naive(t time.Time) time.Time {
	return t.UTC().Add(p.offset)
}
