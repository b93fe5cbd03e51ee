package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"botwork/workqueue"
)

const (
	// byHandBatch bounds the rows of one statement that are read with their payloads.
	byHandBatch = 200

	// byHandBatches bounds how many of them one pass handles under the assignment lock. The next
	// pass handles the rest.
	byHandBatches = 25
)

// byHandRow is a waiting item that was inserted by hand.
type byHandRow struct {
	refRow
	queue      string
	priority   int
	naturalKey *string
	uniqueKey  *string
	payload    nullText
}

// appliedRow is what a queue's policy sets for such an item, inside a JSON parameter.
type appliedRow struct {
	refRow
	NewPriority int
	NewKey      *string
	LifeMs      any
}

type refusedRow struct {
	refRow
	Reason string
	Kind   workqueue.ErrorKind
}

// ApplyPolicies implements workqueue.AssignTx.
func (a *assignTx) ApplyPolicies(ctx context.Context) (total workqueue.AppliedPolicies, err error) {
	var queues []workqueue.Queue
	for range byHandBatches {
		rows, err := a.byHand(ctx)
		if err != nil {
			return total, fmt.Errorf("find items inserted by hand: %w", err)
		}
		if len(rows) == 0 {
			return total, nil
		}
		if queues == nil {
			if queues, err = findQueues(a.s.in(ctx, a.tx)); err != nil {
				return total, fmt.Errorf("read the queues: %w", err)
			}
		}
		done, err := a.applyPolicies(ctx, queues, rows)
		total.Applied += done.Applied
		total.Refused += done.Refused
		if err != nil {
			return total, fmt.Errorf("apply policies to items inserted by hand: %w", err)
		}
		a.archived = a.archived || done.Refused > 0
		// Rows were found but none changed: other processes changed them first.
		if len(rows) < byHandBatch || done == (workqueue.AppliedPolicies{}) {
			return total, nil
		}
	}
	return total, nil
}

// byHandEvery is how often the checkouts of a process look for items that were inserted by hand.
// Queues for robots may have no worker whose passes do that.
const byHandEvery = time.Second

// applyByHand applies the policies of queues to items that were inserted by hand, if that was not
// done just now.
func (s *checkouts) applyByHand(ctx context.Context) error {
	last, now := s.byHandAt.Load(), time.Now().UnixNano()
	if now-last < int64(byHandEvery) || !s.byHandAt.CompareAndSwap(last, now) {
		return nil
	}
	ids := 0
	rows, err := s.queries.query(ctx, s.db, "by_hand", values{"limit_rows": 1})
	if err == nil {
		err = eachRow(rows, func() error { ids++; return nil })
	}
	if err != nil || ids == 0 {
		return err
	}
	err = s.tx(ctx, func(tx *sql.Tx) error {
		_, err := s.assignTx(tx).ApplyPolicies(ctx)
		return err
	})
	if classify(err) == uniqueError {
		return nil // another item was just enqueued with the key of one of them: the next look refuses that one
	}
	return err
}

func (a *assignTx) byHand(ctx context.Context) ([]byHandRow, error) {
	rows, err := a.s.queries.query(ctx, a.tx, "by_hand", values{"limit_rows": byHandBatch})
	if err != nil {
		return nil, err
	}
	var list []byHandRow
	err = eachRow(rows, func() error {
		var r byHandRow
		if err := rows.Scan(&r.ItemID, &r.ItemFence, &r.queue, &r.priority, &r.naturalKey, &r.uniqueKey, &r.payload); err != nil {
			return err
		}
		list = append(list, r)
		return nil
	})
	return list, err
}

// applyPolicies handles one batch: the rows are in the order of their ids, so the oldest of several
// with the same key comes first.
func (a *assignTx) applyPolicies(ctx context.Context, queues []workqueue.Queue, rows []byHandRow) (done workqueue.AppliedPolicies, err error) {
	holders, err := a.uniqueHolders(ctx, queues, rows)
	if err != nil {
		return done, err
	}
	var applied []appliedRow
	var refused []refusedRow
	for i := range rows {
		r := &rows[i]
		q := queueOf(queues, r.queue)
		if q == nil {
			q = &workqueue.Queue{Name: r.queue} // it was renamed meanwhile
		}
		key := r.key(q)
		if reason, kind := a.refusal(q, r, holders[key]); reason != "" {
			refused = append(refused, refusedRow{r.refRow, clip(reason, refusalLen), kind})
			continue
		}
		if key != "" {
			holders[key] = r.ItemID
		}
		applied = append(applied, appliedRow{r.refRow, r.priority + q.PriorityOffset, null(key), aboveZero(ms(time.Duration(q.TTL)))})
	}
	if done.Applied, err = a.writeApplied(ctx, applied); err != nil {
		return done, err
	}
	done.Refused, err = a.writeRefused(ctx, refused)
	return done, err
}

// refusalLen bounds the error of a refused item, in UTF-16 units.
const refusalLen = 4000

// key returns the unique key that the item must get; "" for none, and for an item that already has
// one.
func (r *byHandRow) key(q *workqueue.Queue) string {
	if r.naturalKey == nil || r.uniqueKey != nil {
		return ""
	}
	return q.UniqueKey(*r.naturalKey)
}

// refusal returns why the queue refuses the item; "" if it accepts it. holder is the item that has
// its unique key, 0 for none.
func (a *assignTx) refusal(q *workqueue.Queue, r *byHandRow, holder int64) (string, workqueue.ErrorKind) {
	const origin = "the row was inserted by hand, and its queue refuses it: "
	if holder != 0 && holder != r.ItemID {
		return fmt.Sprintf(origin+"item %d has the natural key %.200q already, and keys are unique (keys.unique) in the queue %q", holder, *r.naturalKey, q.Name),
			workqueue.KindCancelled
	}
	if !workqueue.ItemPriorityRange(r.priority + q.PriorityOffset) {
		return fmt.Sprintf(origin+"priority %d with the queue's offset %d is out of range", r.priority, q.PriorityOffset), workqueue.KindBusiness
	}
	if err := a.s.schemas.CheckPayload(q, workqueue.JSONText(r.payload)); err != nil {
		return origin + err.Error(), workqueue.KindBusiness
	}
	return "", ""
}

// uniqueHolders returns the items that have the unique keys of the rows.
func (a *assignTx) uniqueHolders(ctx context.Context, queues []workqueue.Queue, rows []byHandRow) (map[string]int64, error) {
	holders := map[string]int64{}
	var keys []keyRow
	for i := range rows {
		if q := queueOf(queues, rows[i].queue); q != nil {
			if key := rows[i].key(q); key != "" {
				keys = append(keys, keyRow{"unique", key})
			}
		}
	}
	if len(keys) == 0 {
		return holders, nil
	}
	batch, err := jsonRows(keys)
	if err != nil {
		return nil, err
	}
	found, err := a.s.queries.query(ctx, a.tx, "key_holders", values{"rows": batch, "now": a.s.nowArg()})
	if err != nil {
		return nil, err
	}
	err = eachRow(found, func() error {
		var key keyRow
		var id int64
		if err := found.Scan(&key.Kind, &key.Hash, &id); err != nil {
			return err
		}
		holders[key.Hash] = id
		return nil
	})
	return holders, err
}

func (a *assignTx) writeApplied(ctx context.Context, rows []appliedRow) (int, error) {
	if len(rows) == 0 {
		return 0, nil
	}
	batch, err := jsonRows(rows)
	if err != nil {
		return 0, err
	}
	n, err := a.s.queries.exec(ctx, a.tx, "apply_policies", values{"rows": batch})
	return int(n), err
}

func (a *assignTx) writeRefused(ctx context.Context, rows []refusedRow) (int, error) {
	if len(rows) == 0 {
		return 0, nil
	}
	batch, err := jsonRows(rows)
	if err != nil {
		return 0, err
	}
	changed, err := a.s.queries.ids(ctx, a.tx, "refuse_by_hand", values{"rows": batch, "now": a.s.nowArg()})
	if err != nil {
		return 0, err
	}
	return len(changed), a.s.keepEnded(ctx, a.tx, changed)
}
