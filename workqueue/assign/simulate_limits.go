package assign

import (
	"time"

	"botwork/workqueue"
)

// limitStart is one limit as a situation begins: of a queue, or of one key of it.
type limitStart struct {
	queue   string
	key     string // "" for the queue's own limit
	most    int    // items at a time; 0: any number
	rate    workqueue.Rate
	held    int
	started int // in the last period
}

// limit finds the limits of an item.
func (s *Situation) limit(i int32) {
	it, h := &s.Items[i], &s.hot[i]
	if it.Queue == "" {
		return
	}
	for u := range s.uses {
		use := &s.uses[u]
		if use.Queue != it.Queue {
			continue
		}
		h.queue = int32(u) //nolint:gosec // there are fewer queues
		if it.LimitKey == "" || use.Limits.KeyConcurrency == 0 && use.Limits.KeyRate.Limit == 0 {
			return
		}
		k := workqueue.LimitKey{Queue: it.Queue, Key: it.LimitKey}
		at, ok := s.keys[k]
		if !ok {
			at = int32(len(s.keyLimits)) //nolint:gosec // there are no more keys than items
			s.keys[k] = at
			used := use.Keys[it.LimitKey]
			s.keyLimits = append(s.keyLimits, limitStart{
				queue: it.Queue, key: it.LimitKey, most: use.Limits.KeyConcurrency, rate: use.Limits.KeyRate, held: used.Held, started: used.Started,
			})
		}
		h.key = at
		return
	}
}

func (s *Situation) prepareLimits() {
	s.queueLimits, s.keyLimits, s.keys = nil, nil, map[workqueue.LimitKey]int32{}
	for u := range s.uses {
		use := &s.uses[u]
		s.queueLimits = append(s.queueLimits, limitStart{
			queue: use.Queue, most: use.Limits.Concurrency, rate: use.Limits.Rate, held: use.Use.Held, started: use.Use.Started,
		})
	}
}

// limitUse is what a simulation uses of a limit. Since it is unknown when earlier starts leave
// their period, all of them count for a whole period.
type limitUse struct {
	*limitStart
	held    int     // more or fewer than at the beginning
	pending int     // assigned and not started: they count as starting now
	starts  []int64 // the times of later starts, if there is a rate
	old     int     // how many of them are out of the period
}

func newLimitUses(of []limitStart) []limitUse {
	uses := make([]limitUse, len(of))
	for i := range of {
		uses[i].limitStart = &of[i]
	}
	return uses
}

func (l *limitUse) reset() { l.held, l.pending, l.starts, l.old = 0, 0, l.starts[:0], 0 }

// use returns what is used at a time.
func (l *limitUse) use(now int64) workqueue.Use {
	u := workqueue.Use{Held: max(l.limitStart.held+l.held, 0), Started: l.pending}
	if l.rate.Limit > 0 {
		for l.old < len(l.starts) && now-l.starts[l.old] >= int64(l.rate.Per) {
			l.old++
		}
		u.Started += len(l.starts) - l.old
		if now < int64(l.rate.Per) {
			u.Started += l.started
		}
	}
	return u
}

// full reports whether no other item may be assigned. If that is only because of the rate, pace is how
// soon to try again.
func (l *limitUse) full(now int64) (full bool, pace time.Duration) {
	u := l.use(now)
	if u.LimitReached(l.most, 0) {
		return true, 0
	}
	if u.LimitReached(0, l.rate.Limit) {
		return true, l.rate.Pace()
	}
	return false, 0
}

func (l *limitUse) assign() {
	l.held++
	l.pending++
}

func (l *limitUse) start(now int64) {
	l.pending--
	if l.rate.Limit > 0 {
		l.starts = append(l.starts, now)
	}
}

// eachLimit calls do for the limits of an item.
func (m *Simulation) eachLimit(i int32, do func(*limitUse)) {
	if q := m.s.hot[i].queue; q >= 0 {
		do(&m.queueUses[q])
	}
	if k := m.s.hot[i].key; k >= 0 {
		do(&m.keyUses[k])
	}
}

// limitUses returns the limits as a pass reads them.
func (m *Simulation) limitUses() []workqueue.LimitUse {
	uses := make([]workqueue.LimitUse, len(m.s.uses))
	at := map[string]int{}
	for i := range uses {
		uses[i] = m.s.uses[i]
		uses[i].Use = m.queueUses[i].use(m.now)
		uses[i].Keys = map[string]workqueue.Use{}
		for key, use := range m.s.uses[i].Keys {
			if m.now >= int64(uses[i].Limits.KeyRate.Per) {
				use.Started = 0
			}
			uses[i].Keys[key] = use
		}
		at[uses[i].Queue] = i
	}
	for k := range m.keyUses {
		uses[at[m.keyUses[k].queue]].Keys[m.keyUses[k].key] = m.keyUses[k].use(m.now)
	}
	return uses
}
