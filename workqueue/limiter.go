package workqueue

import "time"

// Limiter counts what is given out against the limits of queues: of the number
// that are assigned or run at a time, and of the number that start in a period.
// It begins with what the database says and knows of no other giver: whoever has
// one holds the cluster's assignment lock until what was given is committed.
// Ends of runs, which do not wait for that lock, only leave more room than it
// counts with.
type Limiter struct {
	queues map[string]*LimitUse
	full   Full
	told   map[LimitKey]bool // what stands in full; Key "" is the whole queue
}

// NewLimiter takes over the uses.
func NewLimiter(uses []LimitUse) *Limiter {
	l := &Limiter{queues: make(map[string]*LimitUse, len(uses)), told: map[LimitKey]bool{}}
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

// Use returns what a queue uses of its limits, nil if it has none.
func (l *Limiter) Use(queue string) *LimitUse { return l.queues[queue] }

// Allows tells whether one more item may be given out: of the queue, and of the
// key where it has one ("" is none). A queue that the limiter does not know has
// no limits.
func (l *Limiter) Allows(queue, key string) bool {
	u := l.queues[queue]
	switch {
	case u == nil:
		return true
	case u.Use.Reaches(u.Limits.Concurrency, u.Limits.Rate.Limit):
		l.tell(LimitKey{Queue: queue})
		return false
	case key != "" && u.Keys[key].Reaches(u.Limits.KeyConcurrency, u.Limits.KeyRate.Limit):
		l.tell(LimitKey{Queue: queue, Key: key})
		return false
	}
	return true
}

// Reaches reports whether one of the limits, 0 for none, is used up.
func (u Use) Reaches(held, started int) bool {
	return held > 0 && u.Held >= held || started > 0 && u.Started >= started
}

func (l *Limiter) tell(k LimitKey) {
	if l.told[k] {
		return
	}
	l.told[k] = true
	if k.Key == "" {
		l.full.Queues = append(l.full.Queues, k.Queue)
	} else {
		l.full.Keys = append(l.full.Keys, k)
	}
}

// Take counts an item that is given out.
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

// Paces are how soon it makes sense to look for a place under a rate again: about
// when one comes free, but not so often that looking becomes the work.
const (
	minPace = time.Second
	maxPace = 10 * time.Second
)

// Pace is how soon one more item may be allowed that is not now, when only rates
// stand against it; else 0.
func (l *Limiter) Pace(queue, key string) time.Duration {
	u := l.queues[queue]
	if u == nil || u.Use.Reaches(u.Limits.Concurrency, 0) || key != "" && u.Keys[key].Reaches(u.Limits.KeyConcurrency, 0) {
		return 0
	}
	pace := time.Duration(0)
	if u.Use.Reaches(0, u.Limits.Rate.Limit) {
		pace = u.Limits.Rate.pace()
	}
	if key != "" && u.Keys[key].Reaches(0, u.Limits.KeyRate.Limit) {
		pace = max(pace, u.Limits.KeyRate.pace())
	}
	return pace
}

func (r Rate) pace() time.Duration {
	return min(max(time.Duration(r.Per)/time.Duration(r.Limit), minPace), maxPace)
}

// Full names the queues and keys that have been found without a place.
func (l *Limiter) Full() Full { return l.full }

// Size grows with what Full names.
func (f Full) Size() int { return len(f.Queues) + len(f.Keys) + len(f.Pipelines) }
