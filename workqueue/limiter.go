package workqueue

import "time"

// Limiter counts assigned items against the limits of queues: the number that are
// assigned or run at a time, and the number that start in a period. It begins with
// the uses from the database and sees no other changes. So its caller must hold the
// cluster's assignment lock until the assignments are committed. Ends of runs, which
// do not wait for that lock, only make more room than it counts.
type Limiter struct {
	queues map[string]*LimitUse
	full   Full
	marked map[LimitKey]bool // what full contains; Key "" is the whole queue
}

// NewLimiter returns a limiter that begins with these uses.
func NewLimiter(uses []LimitUse) *Limiter {
	l := &Limiter{queues: make(map[string]*LimitUse, len(uses)), marked: map[LimitKey]bool{}}
	for i := range uses {
		u := &uses[i]
		if u.Keys == nil {
			u.Keys = map[string]Use{}
		}
		l.queues[u.Queue] = u
		l.Allows(u.Queue, "")
		for key := range u.Keys {
			l.Allows(u.Queue, key)
		}
	}
	return l
}

// Use returns the use of a queue's limits, nil if it has none.
func (l *Limiter) Use(queue string) *LimitUse { return l.queues[queue] }

// Allows reports whether one more item of the queue, and of the key ("" is none), may
// be assigned. A queue that the limiter does not have has no limits.
func (l *Limiter) Allows(queue, key string) bool {
	u := l.queues[queue]
	switch {
	case u == nil:
		return true
	case u.Use.LimitReached(u.Limits.Concurrency, u.Limits.Rate.Limit):
		l.markFull(LimitKey{Queue: queue})
		return false
	case key != "" && u.Keys[key].LimitReached(u.Limits.KeyConcurrency, u.Limits.KeyRate.Limit):
		l.markFull(LimitKey{Queue: queue, Key: key})
		return false
	}
	return true
}

// LimitReached reports whether one of the limits, 0 for none, is used up.
func (u Use) LimitReached(held, started int) bool {
	return held > 0 && u.Held >= held || started > 0 && u.Started >= started
}

func (l *Limiter) markFull(k LimitKey) {
	if l.marked[k] {
		return
	}
	l.marked[k] = true
	if k.Key == "" {
		l.full.Queues = append(l.full.Queues, k.Queue)
	} else {
		l.full.Keys = append(l.full.Keys, k)
	}
}

// Take counts an item as assigned.
func (l *Limiter) Take(queue, key string) {
	u := l.queues[queue]
	if u == nil {
		return
	}
	u.Use = u.Use.plusOne()
	if key != "" {
		u.Keys[key] = u.Keys[key].plusOne()
	}
}

func (u Use) plusOne() Use { return Use{Held: u.Held + 1, Started: u.Started + 1} }

// The bounds of a pace, the time after which another check for room under a rate is
// useful: about when there is room again, but not so often that the checks cost much.
const (
	minPace = time.Second
	maxPace = 10 * time.Second
)

// Pace returns how soon one more item may be allowed if only rates forbid it now;
// else 0.
func (l *Limiter) Pace(queue, key string) time.Duration {
	u := l.queues[queue]
	if u == nil || u.Use.LimitReached(u.Limits.Concurrency, 0) || key != "" && u.Keys[key].LimitReached(u.Limits.KeyConcurrency, 0) {
		return 0
	}
	pace := time.Duration(0)
	if u.Use.LimitReached(0, u.Limits.Rate.Limit) {
		pace = u.Limits.Rate.Pace()
	}
	if key != "" && u.Keys[key].LimitReached(0, u.Limits.KeyRate.Limit) {
		pace = max(pace, u.Limits.KeyRate.Pace())
	}
	return pace
}

// Pace returns how soon after a rate was found used up another check for room is useful.
func (r Rate) Pace() time.Duration {
	return min(max(time.Duration(r.Per)/time.Duration(r.Limit), minPace), maxPace)
}

// Full returns the queues and keys that were found full.
func (l *Limiter) Full() Full { return l.full }

// Size returns the number of queues, keys and pipelines.
func (f Full) Size() int { return len(f.Queues) + len(f.Keys) + len(f.Pipelines) }
