package assign

import (
	"maps"
	"time"

	"botwork/workqueue"
)

// forecastLimits are the limits of queues and how much of them is used during a forecast. Since
// it is unknown when earlier starts leave their period, all of them count for a whole period.
type forecastLimits struct {
	uses   []workqueue.LimitUse // as they were read
	began  time.Time
	held   map[workqueue.LimitKey]int // more or fewer than were read; Key "" is the whole queue
	starts map[int64]*forecastStart   // of items assigned since, by their ids
}

// forecastStart counts against a rate limit.
type forecastStart struct {
	workqueue.LimitKey
	at time.Time // zero: it has not started
}

func newForecastLimits(uses []workqueue.LimitUse, now time.Time) *forecastLimits {
	return &forecastLimits{uses: uses, began: now, held: map[workqueue.LimitKey]int{}, starts: map[int64]*forecastStart{}}
}

// count adds to or subtracts from the items of a queue with limits.
func (l *forecastLimits) count(it *workqueue.DueItem, more int) {
	if it.Queue == "" {
		return
	}
	l.held[workqueue.LimitKey{Queue: it.Queue}] += more
	if it.LimitKey != "" {
		l.held[workqueue.LimitKey{Queue: it.Queue, Key: it.LimitKey}] += more
	}
}

// give counts an assigned item, start its start, and end its end.
func (l *forecastLimits) give(it *workqueue.DueItem) {
	l.count(it, 1)
	if it.Queue != "" {
		l.starts[it.ID] = &forecastStart{LimitKey: workqueue.LimitKey{Queue: it.Queue, Key: it.LimitKey}}
	}
}

func (l *forecastLimits) start(id int64, now time.Time) {
	if s := l.starts[id]; s != nil {
		s.at = now
	}
}

func (l *forecastLimits) end(it *workqueue.DueItem) { l.count(it, -1) }

// at returns what is used at a time.
func (l *forecastLimits) at(now time.Time) []workqueue.LimitUse {
	uses := make([]workqueue.LimitUse, len(l.uses))
	for i := range l.uses {
		u := l.uses[i]
		per, keyPer := time.Duration(u.Limits.Rate.Per), time.Duration(u.Limits.KeyRate.Per)
		u.Keys = maps.Clone(u.Keys)
		if u.Keys == nil {
			u.Keys = map[string]workqueue.Use{}
		}
		u.Use.Held = max(u.Use.Held+l.held[workqueue.LimitKey{Queue: u.Queue}], 0)
		if now.Sub(l.began) >= per {
			u.Use.Started = 0
		}
		for key, use := range u.Keys {
			if now.Sub(l.began) >= keyPer {
				use.Started = 0
			}
			u.Keys[key] = use
		}
		for k, n := range l.held {
			if k.Queue == u.Queue && k.Key != "" {
				use := u.Keys[k.Key]
				use.Held = max(use.Held+n, 0)
				u.Keys[k.Key] = use
			}
		}
		for _, s := range l.starts {
			if s.Queue != u.Queue {
				continue
			}
			if s.at.IsZero() || now.Sub(s.at) < per {
				u.Use.Started++
			}
			if s.Key != "" && (s.at.IsZero() || now.Sub(s.at) < keyPer) {
				use := u.Keys[s.Key]
				use.Started++
				u.Keys[s.Key] = use
			}
		}
		uses[i] = u
	}
	return uses
}
