package cron

import (
	"math/bits"
	"time"
)

// Count returns how many planned instants are in the range, which includes from and excludes to. For whole days
// without a change of the clocks it needs no search, so it is fast for expressions that fire often.
func (s *Schedule) Count(from, to time.Time) int {
	if !from.Before(to) {
		return 0
	}
	switch p := s.plan.(type) {
	case interval:
		step := time.Duration(p)
		first := p.next(from.Add(-1))
		if !first.Before(to) {
			return 0
		}
		return int((to.Sub(first)-1)/step) + 1
	case *wall:
		return p.count(from, to)
	}
	return 0
}

func (w *wall) count(from, to time.Time) (n int) {
	for from.Before(to) {
		p := periodAt(from, w.zone)
		midnight := p.naive(from).Truncate(24 * time.Hour)
		end := midnight.Add(24 * time.Hour).Add(-p.offset) // of the day, unless the clocks change
		// The rules about gaps and overlaps also hold for the days beside a change.
		const margin = 26 * time.Hour
		calm := (p.start.IsZero() || p.start.Before(from.Add(-margin))) && (p.end.IsZero() || p.end.After(end.Add(margin)))
		if calm && p.naive(from).Equal(midnight) && !end.After(to) {
			n += w.perDay(midnight)
			from = end
			continue
		}
		if !calm {
			// Search day by day, until the clocks are calm again.
			end = from.Add(24 * time.Hour)
		}
		if end.After(to) {
			end = to
		}
		for at := w.next(from.Add(-1)); !at.IsZero() && at.Before(end); at = w.next(at) {
			n++
		}
		from = end
	}
	return n
}

// perDay returns how often the expression matches on a naive day.
func (w *wall) perDay(day time.Time) int {
	const star = 1 << 63
	s := &w.spec
	date, weekday := s.Dom&(1<<day.Day()) != 0, s.Dow&(1<<day.Weekday()) != 0
	matches := date && weekday
	if s.Dom&star == 0 && s.Dow&star == 0 {
		matches = date || weekday
	}
	if !matches || s.Month&(1<<day.Month()) == 0 {
		return 0
	}
	n := 1
	for _, field := range []uint64{s.Second, s.Minute, s.Hour} {
		n *= bits.OnesCount64(field &^ star)
	}
	return n
}
