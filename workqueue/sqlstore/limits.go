package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"botwork/workqueue"
)

// startsBatch bounds how many rows of the log of starts a pass removes: twice
// what it is likely to add, so that the log stays short and no statement long.
const startsBatch = 2 * rescueBatch

// rateRow is a queue that limits starts. A period that the queue does not have is 0. A JSON
// parameter contains only the exported fields.
type rateRow struct {
	QueueName string
	KeepMs    int64 // the longer one

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

// limitUses counts; before it counts starts it calls update, if a queue limits them.
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

// limited reads the queues that have limits.
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

// updateStarts brings the log of starts up to date.
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

// addUse counts for a queue, and for the key where the queue limits keys. A queue
// may have lost its limits since they were read.
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

// noteStarts notes what Write has assigned, when a queue limits starts.
func (a *assignTx) noteStarts(ctx context.Context) error {
	if !a.rated {
		return nil
	}
	if _, err := a.s.queries.exec(ctx, a.tx, "starts_assigned", nil); err != nil {
		return fmt.Errorf("note starts: %w", err)
	}
	return nil
}

// taking counts items against the limits of their queues for code that claims without a
// pass, such as a robot's checkout: inside one transaction, call Allows before each item,
// Take for each claimed item, and noteTaken at the end.
type taking struct {
	*workqueue.Limiter
	a *assignTx
}

// takeWithinLimits takes the cluster's assignment lock, which ends with the
// transaction, and reads the limits. It must come before the first statement that
// locks an item: passes take the lock first. Where the queue's row shows no limit
// there is no need for it. Limiter().Full() is what to leave out of a selection.
func (s *Store) takeWithinLimits(ctx context.Context, tx *sql.Tx) (*taking, error) {
	if err := s.engine.lockAssignment(ctx, s, tx); err != nil {
		return nil, err
	}
	a := s.assignTx(tx)
	uses, err := a.Limits(ctx)
	if err != nil {
		return nil, err
	}
	return &taking{Limiter: workqueue.NewLimiter(uses), a: a}, nil
}

// limitKey is the key that limits count an item by.
func (s *Store) limitKey(key *string) string { return s.engine.limitKey(orZero(key)) }

// noteTaken notes the starts of items that are running now, with the fences that
// they were given.
func (t *taking) noteTaken(ctx context.Context, taken []refRow) error {
	if !t.a.rated {
		return nil
	}
	for chunk := range slices.Chunk(taken, writeBatch) {
		batch, err := jsonRows(chunk)
		if err != nil {
			return err
		}
		if _, err := t.a.s.queries.exec(ctx, t.a.tx, "starts_taken", values{"rows": batch, "now": t.a.s.nowArg()}); err != nil {
			return fmt.Errorf("note starts: %w", err)
		}
	}
	return nil
}
