package storetest

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"botwork/workqueue"
	"botwork/workqueue/storetest/reference"
)

// ratePeriod is the period of rates; wait also advances to its ends.
const ratePeriod = 45 * time.Second

// limit changes or removes the limits of the queue, like a user would.
func (m *machine) limit(t *rapid.T) {
	l := workqueue.QueueLimits{}
	if !seldom(t, "none") {
		some := rapid.SampledFrom([]int{0, 2, 1})
		l.Concurrency, l.KeyConcurrency = some.Draw(t, "concurrency"), some.Draw(t, "key concurrency")
		l.Rate.Limit, l.KeyRate.Limit = some.Draw(t, "rate"), some.Draw(t, "key rate")
	}
	if l.Rate.Limit > 0 {
		l.Rate.Per = workqueue.Duration(ratePeriod)
	}
	if l.KeyRate.Limit > 0 {
		l.KeyRate.Per = workqueue.Duration(ratePeriod / 3)
	}
	m.Exec(m.test, setLimits(l))
	m.model.Limits = l
}

func setLimits(l workqueue.QueueLimits) string {
	null := func(n int64) string {
		if n == 0 {
			return "NULL"
		}
		return fmt.Sprint(n)
	}
	period := func(r workqueue.Rate) string { return null(time.Duration(r.Per).Milliseconds()) }
	return fmt.Sprintf(`UPDATE "BotQueues" SET "ConcurrencyLimit" = %s, "KeyConcurrencyLimit" = %s,
		"RateLimit" = %s, "RatePeriodMs" = %s, "KeyRateLimit" = %s, "KeyRatePeriodMs" = %s`,
		null(int64(l.Concurrency)), null(int64(l.KeyConcurrency)),
		null(int64(l.Rate.Limit)), period(l.Rate), null(int64(l.KeyRate.Limit)), period(l.KeyRate))
}

// readLimits does what a pass does if queues have limits: it reads the limits, and
// then the due items of queues and keys that are not full.
func (m *machine) readLimits(ctx context.Context, t *rapid.T, tx workqueue.AssignTx, next *reference.Model, band workqueue.Band, max int) {
	uses, err := tx.Limits(ctx)
	must(t, err)
	same(t, "the use of limits", append([]workqueue.LimitUse{}, uses...), next.LimitUses())
	for i := range uses {
		uses[i].Keys = maps.Clone(uses[i].Keys)
	}
	full := workqueue.NewLimiter(uses).Full()
	if seldom(t, "a key is full") {
		full.Keys = append(slices.Clip(full.Keys), workqueue.LimitKey{Queue: workqueue.DefaultQueue, Key: "O'Neill"})
	}
	due, err := tx.DueItems(ctx, band, full, max)
	must(t, err)
	same(t, "due items that are not full", withoutFurther(due), next.DueExcluding(band, full, max))
}
