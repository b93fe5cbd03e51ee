package runner

import (
	"strings"
	"time"

	"botwork/workqueue"
)

// refusalLimit is how often the database may refuse one result while it accepts others. Then
// the item is cancelled without the result.
const refusalLimit = 10

// completion is the outcome of a run that is not written yet.
type completion struct {
	finish    workqueue.Finish
	onSettled func(settled bool)
	locked    bool // another session of the database held the row when it was to be written

	// pause doubles with each refusal; retryAt is when the next try is due.
	pause   time.Duration
	retryAt time.Time

	// refusals counts refusals between which the database accepted another write; acceptedAt
	// is the completer's count of accepted writes at the last refusal.
	refusals   int
	acceptedAt uint64
}

// refuse records that the database refused this result when it was written alone. It reports
// whether the result was replaced by a failure that names the reason: a run whose result can
// never be written would keep its lease, and block the pipeline that executes it, forever. A
// result is replaced only after refusalLimit refusals while the database accepts other writes;
// a database that is unreachable or full accepts none.
func (c *completion) refuse(err error, accepted uint64, now time.Time) (replaced bool) {
	c.pause = min(max(2*c.pause, firstPause), longestPause)
	c.retryAt = now.Add(c.pause)
	if c.acceptedAt == accepted {
		return false
	}
	c.acceptedAt = accepted
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

// plainText returns the part of a text that every database accepts: up to 1,000 characters of
// printable ASCII, with ? for others.
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
