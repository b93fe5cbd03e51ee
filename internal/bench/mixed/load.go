package mixed

import (
	"math"
	"math/rand/v2"
	"time"
)

// Kind is what happens to an item in addition to its run.
type Kind string

// The kinds. Each kind except Plain is a fixed share of the load.
const (
	Plain     Kind = "plain"
	Ahead     Kind = "ahead"     // is scheduled: due After its arrival
	Fails     Kind = "fails"     // its first run fails, the next one is due RetryDelay later
	Snoozes   Kind = "snoozes"   // its first run asks to run again After
	Expires   Kind = "expires"   // is cancelled if it has not started After its arrival
	Cancelled Kind = "cancelled" // is cancelled by a user After its arrival
)

// Item is one item of a load.
type Item struct {
	At       time.Duration // when it arrives; 0: before the workers start
	Priority int
	Kind     Kind
	After    time.Duration // see Kind
	Takes    time.Duration // duration of each of its runs
	Estimate time.Duration // the estimate that the queue receives; 0: none
}

// Load has the parameters of a load.
type Load struct {
	For   time.Duration // how long items arrive
	Slots int           // of all workers together
	Scale float64       // the factor applied to all durations below
	Seed  uint64
}

// Durations before scaling: how long a run takes, and how long after its arrival
// something happens to an item.
const (
	shortest, longest = time.Millisecond, 5 * time.Minute

	// tail is the index of the bounded Pareto distribution of the durations of runs. Half
	// of them take less than 22 ms, one in a hundred takes more than 3 minutes; the mean
	// is 6.5 s.
	tail = 0.2

	retryDelay                     = 50 * time.Second
	earliestAhead, latestAhead     = 10 * time.Second, 5 * time.Minute
	earliestSnooze, latestSnooze   = 10 * time.Second, 100 * time.Second
	earliestExpiry, latestExpiry   = 10 * time.Second, 5 * time.Minute
	earliestCancel, latestCancel   = time.Second, 100 * time.Second
	leastEstimate, largestEstimate = 0.25, 4.0 // factors; every second item has an estimate
)

// Shares of the load in percent; all other items are plain and of medium priority.
const (
	highShare, lowShare = 15, 30

	aheadShare, failsShare, snoozesShare, expiresShare, cancelledShare = 10, 5, 5, 5, 5
)

// RetryDelay returns the backoff of items that fail.
func (l Load) RetryDelay() time.Duration { return l.instant(retryDelay) }

// instant scales a duration that the database stores, in whole milliseconds.
func (l Load) instant(d time.Duration) time.Duration {
	return max(l.scaled(d).Round(time.Millisecond), time.Millisecond)
}

func (l Load) scaled(d time.Duration) time.Duration { return time.Duration(float64(d) * l.Scale) }

// Draw creates the load, in order of arrival. It adds items until their runs take as much
// time as all slots have while items arrive. The same Load always gives the same items.
func (l Load) Draw() []Item {
	r := rand.New(rand.NewPCG(l.Seed, 0))
	var items []Item
	room := time.Duration(l.Slots) * l.For
	for room > 0 {
		it := l.item(r)
		room -= it.Takes
		if it.Kind == Fails || it.Kind == Snoozes {
			room -= it.Takes // it runs twice
		}
		items = append(items, it)
	}
	for i := range items {
		items[i].At = l.arrival(float64(i) / float64(len(items)))
	}
	return items
}

func (l Load) item(r *rand.Rand) Item {
	it := Item{Kind: Plain, Takes: l.scaled(pareto(r.Float64()))}
	switch band := r.IntN(100); {
	case band < highShare:
		it.Priority = high + r.IntN(1000)
	case band < highShare+lowShare:
		it.Priority = r.IntN(medium)
	default:
		it.Priority = medium + r.IntN(high-medium)
	}
	between := func(least, most time.Duration) time.Duration {
		return l.instant(least + time.Duration(r.Float64()*float64(most-least)))
	}
	kind := r.IntN(100)
	for _, k := range []struct {
		kind        Kind
		share       int
		least, most time.Duration
	}{
		{Ahead, aheadShare, earliestAhead, latestAhead},
		{Fails, failsShare, retryDelay, retryDelay},
		{Snoozes, snoozesShare, earliestSnooze, latestSnooze},
		{Expires, expiresShare, earliestExpiry, latestExpiry},
		{Cancelled, cancelledShare, earliestCancel, latestCancel},
	} {
		if kind < k.share {
			it.Kind, it.After = k.kind, between(k.least, k.most)
			break
		}
		kind -= k.share
	}
	if r.IntN(2) == 0 {
		factor := leastEstimate * math.Pow(largestEstimate/leastEstimate, r.Float64())
		it.Estimate = max(time.Duration(factor*float64(it.Takes)), time.Millisecond)
	}
	return it
}

// pareto converts a number from [0, 1) to the duration of a run.
func pareto(u float64) time.Duration {
	cut := math.Pow(float64(shortest)/float64(longest), tail)
	return time.Duration(float64(shortest) / math.Pow(1-u*(1-cut), 1/tail))
}

// arrival returns when an item arrives, given the share u of the items before it. A
// twentieth of the items waits when the workers start. The others arrive at 0.45, 1.8 and
// 0.6 times the rate that fills the slots, for a third of the time each.
func (l Load) arrival(u float64) time.Duration {
	third := float64(l.For) / 3
	switch {
	case u < 0.05:
		return 0
	case u < 0.20:
		return time.Duration((u - 0.05) / 0.15 * third)
	case u < 0.80:
		return time.Duration((1 + (u-0.20)/0.60) * third)
	default:
		return time.Duration((2 + (u-0.80)/0.20) * third)
	}
}
