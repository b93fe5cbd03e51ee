package runner

import (
	"strings"
	"time"

	"botwork/workqueue"
)

// refusalLimit is how often the database may refuse one result while it takes
// others, before the item is cancelled without the result.
const refusalLimit = 10

// completion is the end of a run on its way into the database.
type completion struct {
	finish workqueue.Finish
	over   func(settled bool)

	// pause doubles with each refusal; retryAt is when the next try is due.
	pause   time.Duration
	retryAt time.Time

	// refusals counts those between which the database took something else;
	// taken is the completer's count at the last one.
	refusals int
	taken    uint64
}

// refuse notes that the database refused this result by itself. It tells
// whether the result has been replaced by a failure that names the reason: a
// run whose end can never be written would keep its lease, and the pipeline
// that executes it, for ever. Only what is refused refusalLimit times while the
// database takes other writes is replaced; a database that is away, or full,
// takes nothing.
func (c *completion) refuse(err error, taken uint64, now time.Time) (replaced bool) {
	c.pause = min(max(2*c.pause, firstPause), longestPause)
	c.retryAt = now.Add(c.pause)
	if c.taken == taken {
		return false
	}
	c.taken = taken
	if c.refusals++; c.refusals < refusalLimit {
		return false
	}
	c.refusals = 0
	c.finish = workqueue.Finish{
		ItemID: c.finish.ItemID, Fence: c.finish.Fence, State: workqueue.Cancelled, RetryCount: c.finish.RetryCount,
		Error: "the run has ended, but the database refused its result: " + plainText(err.Error()), ErrorKind: workqueue.KindPermanent,
	}
	return true
}

// plainText keeps of a text what every database takes: its printable ASCII,
// and not too much of it.
func plainText(text string) string {
	const most = 1000
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
	return text[:min(len(text), most)]
}
