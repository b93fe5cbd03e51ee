package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"botwork/workqueue"
)

// startsBatch limits how many old rows of the log of starts a pass removes: twice what a pass
// is likely to add, so that the log and each statement stay short.
const startsBatch = 2 * rescueBatch

// rateRow is a queue that limits the rate of starts. A period is 0 if the queue does not have
// that limit. A JSON parameter has only the exported fields.
type rateRow struct {
	QueueName string
	KeepMs    int64 // the longer period

	rateMs, keyRateMs int64
}

// Limits implements workqueue.LimitTx.
func (a *assignTx) Limits(ctx context.Context) ([]workqueue.LimitUse, error) {
	a.rated = false
	return a.limitUses(ctx, func(ctx context.Context, rates []rateRow) error {
		a.rated = true
		return a.updateStarts(ctx, rates)
	})
}

// LimitUses implements workqueue.AssignView.
func (v *assignView) LimitUses(ctx context.Context) ([]workqueue.LimitUse, error) {
	return v.limitUses(ctx, func(context.Context, []rateRow) error { return nil })
}

// limitUses counts held items and starts. It calls update before it counts starts, if any queue
// limits them.
func (v *assignView) limitUses(ctx context.Context, update func(context.Context, []rateRow) error) ([]workqueue.LimitUse, error) {
	uses, err := v.countLimits(ctx, update)
	if err != nil {
		return nil, fmt.Errorf("read limits: %w", err)
	}
	return uses, nil
}

func (v *assignView) countLimits(ctx context.Context, update func(context.Context, []rateRow) error) ([]workqueue.LimitUse, error) {
	uses, err := v.limited(ctx)
	if err != nil {
		return nil, err
	}
	var rates []rateRow
	held := false
	byName := make(map[string]*workqueue.LimitUse, len(uses))
	for i := range uses {
		u := &uses[i]
		byName[u.Queue] = u
		held = held || u.Limits.Concurrency > 0 || u.Limits.KeyConcurrency > 0
		if r := newRateRow(u); r.KeepMs > 0 {
			rates = append(rates, r)
		}
	}
	if held {
		if err := v.addHeld(ctx, byName); err != nil {
			return nil, err
		}
	}
	if len(rates) == 0 {
		return uses, nil
	}
	if err := update(ctx, rates); err != nil {
		return nil, err
	}
	for _, r := range rates {
		if err := v.countStarts(ctx, byName[r.QueueName], r); err != nil {
			return nil, fmt.Errorf("limit_starts: %w", err)
		}
	}
	return uses, nil
}

// limited returns the queues that have limits.
func (v *assignView) limited(ctx context.Context) ([]workqueue.LimitUse, error) {
	rows, err := v.queries.query(ctx, v.on, "limits", nil)
	if err != nil {
		return nil, err
	}
	var uses []workqueue.LimitUse
	err = eachRow(rows, func() error {
		var q queueRow
		if err := rows.Scan(&q.Name, &q.ConcurrencyLimit, &q.KeyConcurrencyLimit,
			&q.RateLimit, &q.RatePeriodMs, &q.KeyRateLimit, &q.KeyRatePeriodMs); err != nil {
			return err
		}
		uses = append(uses, workqueue.LimitUse{Queue: q.Name, Limits: q.queue().QueueLimits, Keys: map[string]workqueue.Use{}})
		return nil
	})
	return uses, err
}

func newRateRow(u *workqueue.LimitUse) rateRow {
	r := rateRow{QueueName: u.Queue, rateMs: ms(time.Duration(u.Limits.Rate.Per)), keyRateMs: ms(time.Duration(u.Limits.KeyRate.Per))}
	r.KeepMs = max(r.rateMs, r.keyRateMs)
	return r
}

func (v *assignView) addHeld(ctx context.Context, uses map[string]*workqueue.LimitUse) error {
	rows, err := v.queries.query(ctx, v.on, "limit_held", nil)
	if err != nil {
		return err
	}
	return eachRow(rows, func() error {
		var queue string
		var key nullText
		var n int
		if err := rows.Scan(&queue, &key, &n); err != nil {
			return err
		}
		addUse(uses[queue], string(key), workqueue.Use{Held: n}, workqueue.Use{Held: n})
		return nil
	})
}

// updateStarts updates the log of starts.
func (a *assignTx) updateStarts(ctx context.Context, rates []rateRow) error {
	batch, err := jsonRows(rates)
	if err != nil {
		return err
	}
	for _, step := range []struct {
		name   string
		values values
	}{
		{"starts_back", nil},
		{"starts_begun", values{"now": a.s.nowArg()}},
		{"starts_old", values{"rows": batch, "limit_rows": startsBatch, "now": a.s.nowArg()}},
		{"starts_assigned", nil},
	} {
		if _, err := a.s.queries.exec(ctx, a.tx, step.name, step.values); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}

func (v *assignView) countStarts(ctx context.Context, u *workqueue.LimitUse, r rateRow) error {
	rows, err := v.queries.query(ctx, v.on, "limit_starts", values{
		"queue": r.QueueName, "rate_ms": r.rateMs, "key_rate_ms": r.keyRateMs, "keep_ms": r.KeepMs, "now": v.s.nowArg(),
	})
	if err != nil {
		return err
	}
	return eachRow(rows, func() error {
		var key nullText
		var n, ofKey int
		if err := rows.Scan(&key, &n, &ofKey); err != nil {
			return err
		}
		addUse(u, string(key), workqueue.Use{Started: n}, workqueue.Use{Started: ofKey})
		return nil
	})
}

// addUse adds to the use of a queue, and of the key if the queue limits keys. u is nil if the
// queue's limits were removed meanwhile.
func addUse(u *workqueue.LimitUse, key string, n, ofKey workqueue.Use) {
	if u == nil {
		return
	}
	u.Use = plus(u.Use, n)
	if key != "" && (u.Limits.KeyConcurrency > 0 || u.Limits.KeyRate.Limit > 0) {
		u.Keys[key] = plus(u.Keys[key], ofKey)
	}
}

func plus(a, b workqueue.Use) workqueue.Use {
	return workqueue.Use{Held: a.Held + b.Held, Started: a.Started + b.Started}
}

// recordStarts records the items that Write has assigned, if any queue limits starts.
func (a *assignTx) recordStarts(ctx context.Context) error {
	if !a.rated {
		return nil
	}
	if _, err := a.s.queries.exec(ctx, a.tx, "starts_assigned", nil); err != nil {
		return fmt.Errorf("record starts: %w", err)
	}
	return nil
}

// claimLimits checks items against the limits of their queues for claims outside a pass, such
// as a robot's checkout. Inside one transaction, call Allows before each item, Take for each
// claimed item, and recordClaimed at the end.
type claimLimits struct {
	*workqueue.Limiter
	a *assignTx
}

// lockLimits takes the assignment lock until the transaction ends, and reads the limits. Call
// it before the first statement that locks an item, since passes also take the lock first. It
// is not needed for a queue without limits. Full() of the result lists what to exclude from a
// selection.
func (s *assignStore) lockLimits(ctx context.Context, tx *sql.Tx) (*claimLimits, error) {
	if err := s.engine.lockAssignment(ctx, s.connection, tx); err != nil {
		return nil, err
	}
	a := s.assignTx(tx)
	uses, err := a.Limits(ctx)
	if err != nil {
		return nil, err
	}
	return &claimLimits{Limiter: workqueue.NewLimiter(uses), a: a}, nil
}

// limitKey returns the form of a key by which limits count items.
func (s *connection) limitKey(key *string) string { return s.engine.limitKey(orZero(key)) }

// recordClaimed records the starts of items that are now running, with their new fences.
func (t *claimLimits) recordClaimed(ctx context.Context, claimed []refRow) error {
	if !t.a.rated {
		return nil
	}
	for chunk := range slices.Chunk(claimed, writeBatch) {
		batch, err := jsonRows(chunk)
		if err != nil {
			return err
		}
		if _, err := t.a.s.queries.exec(ctx, t.a.tx, "starts_taken", values{"rows": batch, "now": t.a.s.nowArg()}); err != nil {
			return fmt.Errorf("record starts: %w", err)
		}
	}
	return nil
}
