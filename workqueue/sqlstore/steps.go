package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"gorm.io/gorm/clause"

	"botwork/internal/database"
	"botwork/workqueue"
)

var _ workqueue.StepStore = (*stepStore)(nil)

// stepStore keeps what the attempts of an item have recorded of its steps.
type stepStore struct {
	*connection
	*itemRows

	// turns let the parallel steps of a run write one after another: each write would pass over the
	// item's row while another has it. The index is the item's id modulo their number.
	turns [64]sync.Mutex
}

// stepRow is a record inside a JSON parameter.
type stepRow struct {
	Ordinal int
	Step    string
	Data    *string
}

// stepPlace is what the sealed data of a step is bound to, in addition to the item.
func stepPlace(step string) string { return "Step " + step }

// SaveSteps implements workqueue.StepStore. Most steps have no record, so the first statement does it.
func (s *stepStore) SaveSteps(ctx context.Context, ref workqueue.ItemRef, steps []workqueue.StepRecord) error {
	steps, err := lastOfEach(steps)
	if err != nil || len(steps) == 0 {
		return err
	}
	doing := fmt.Sprintf("record steps of item %d", ref.ItemID)
	return s.whileHeld(ctx, doing, ref, func(encrypted bool) (written bool, err error) {
		rows := make([]stepRow, len(steps))
		for i, r := range steps {
			rows[i] = stepRow{i + 1, r.Step, new(string(r.Data))}
			if encrypted {
				if rows[i].Data, err = s.sealText(rows[i].Data, stepPlace(r.Step), ref.ItemID); err != nil {
					return false, err
				}
			}
		}
		batch, err := jsonRows(rows)
		if err != nil {
			return false, err
		}
		for _, statement := range []string{"steps_add", "steps_replace"} {
			n, err := s.writeSteps(ctx, doing, statement, ref, values{"rows": batch, "now": s.nowArg()})
			if err != nil || int(n) == len(rows) {
				return err == nil, err
			}
		}
		return false, nil
	})
}

// DropSteps implements workqueue.StepStore.
func (s *stepStore) DropSteps(ctx context.Context, ref workqueue.ItemRef) error {
	doing := fmt.Sprintf("remove records of steps of item %d", ref.ItemID)
	return s.whileHeld(ctx, doing, ref, func(bool) (written bool, err error) {
		n, err := s.writeSteps(ctx, doing, "steps_drop", ref, values{})
		if err != nil || n > 0 {
			return err == nil, err
		}
		left, err := s.recordedSteps(ctx, ref.ItemID)
		return err == nil && len(left) == 0, err
	})
}

// lastOfEach returns the last record of each step, in the order of the first ones.
func lastOfEach(steps []workqueue.StepRecord) ([]workqueue.StepRecord, error) {
	at := make(map[string]int, len(steps))
	list := make([]workqueue.StepRecord, 0, len(steps))
	for _, r := range steps {
		if err := r.Validate(); err != nil {
			return nil, err
		}
		if i, found := at[r.Step]; found {
			list[i] = r
			continue
		}
		at[r.Step] = len(list)
		list = append(list, r)
	}
	return list, nil
}

// writeSteps runs one statement for a claim, and returns how many records it changed.
func (s *stepStore) writeSteps(ctx context.Context, doing, statement string, ref workqueue.ItemRef, v values) (n int64, err error) {
	v["item"], v["fence"] = ref.ItemID, ref.Fence
	err = s.single(ctx, doing, func(on runner) error {
		n, err = s.queries.exec(ctx, on, statement, v)
		return err
	})
	return n, err
}

// whileHeld calls write if the claim is held. If write returns false, the claim was lost meanwhile or
// another session holds the item's row: it tries again a few times.
func (s *stepStore) whileHeld(ctx context.Context, doing string, ref workqueue.ItemRef, write func(encrypted bool) (written bool, err error)) error {
	turn := &s.turns[uint64(ref.ItemID)%uint64(len(s.turns))]
	turn.Lock()
	defer turn.Unlock()
	held := []refRow{{ref.ItemID, ref.Fence}}
	lost, err := passingOver(ctx, func(map[refRow]bool) ([]int64, []refRow, error) {
		encrypted, found, err := s.stepsClaim(ctx, doing, ref)
		switch {
		case isLockTimeout(err):
			return nil, held, nil
		case err != nil:
			return nil, nil, err
		case !found:
			return itemIDs(held), nil, nil
		}
		if written, err := write(encrypted); err != nil || written {
			return nil, nil, err
		}
		return nil, held, nil
	})
	if err == nil && len(lost) > 0 {
		err = workqueue.ErrLeaseLost
	}
	return err
}

// stepsClaim reads whether the claim is held, and whether the item is encrypted. A lock timeout is
// returned as it is.
func (s *stepStore) stepsClaim(ctx context.Context, doing string, ref workqueue.ItemRef) (encrypted, found bool, err error) {
	var timeout error
	err = s.retryReading(ctx, doing, func() error {
		timeout, found = nil, false
		rows, err := s.reading.query(ctx, s.readers, "steps_claim", values{"item": ref.ItemID, "fence": ref.Fence})
		if err == nil {
			err = eachRow(rows, func() error {
				var flag int
				found = true
				err := rows.Scan(&flag)
				encrypted = flag == 1
				return err
			})
		}
		if isLockTimeout(err) {
			timeout, err = err, nil
		}
		return err
	})
	if err == nil {
		err = timeout
	}
	return encrypted, found, err
}

// stepRecord is BotWorkItemSteps.
type stepRecord struct {
	ItemID     int64 `gorm:"column:ItemId;primaryKey"`
	Number     int
	Step       string `gorm:"primaryKey"`
	Data       string
	Fence      int64
	RecordedAt database.Time
}

func (stepRecord) TableName() string { return "BotWorkItemSteps" }

func (s *stepStore) recordedSteps(ctx context.Context, itemID int64) (rows []stepRecord, err error) {
	err = s.retry(ctx, fmt.Sprintf("list steps of item %d", itemID), func() error {
		rows = nil
		return s.listing.WithContext(ctx).Where(map[string]any{"ItemId": itemID}).
			Order(clause.OrderByColumn{Column: column("Number")}).Order(clause.OrderByColumn{Column: column("Step")}).Find(&rows).Error
	})
	return rows, err
}

// Steps implements workqueue.StepStore.
func (s *stepStore) Steps(ctx context.Context, itemID int64) ([]workqueue.StepRecord, error) {
	rows, err := s.recordedSteps(ctx, itemID)
	if err != nil {
		return nil, err
	}
	steps := make([]workqueue.StepRecord, len(rows))
	for i, r := range rows {
		data, err := s.openText(r.Data, stepPlace(r.Step), itemID)
		if err != nil {
			return nil, fmt.Errorf("read the step %q of item %d: %w", r.Step, itemID, err)
		}
		steps[i] = workqueue.StepRecord{Step: r.Step, Data: workqueue.JSONText(data)}
	}
	return steps, nil
}

// endedSteps are the records of an item that has ended from a number on, inside a JSON parameter.
type endedSteps struct {
	refRow
	FirstNumber int
}

// removeSteps removes records of items that have ended, in a transaction that ends or revives them.
func (s *bookkeeping) removeSteps(ctx context.Context, on runner, ended []endedSteps) error {
	if len(ended) == 0 {
		return nil
	}
	slices.SortStableFunc(ended, func(a, b endedSteps) int { return a.compare(b.refRow) })
	batch, err := jsonRows(ended)
	if err != nil {
		return err
	}
	_, err = s.queries.exec(ctx, on, "steps_remove", values{"rows": batch})
	return err
}

// RemoveSteps implements workqueue.HousekeepingStore.
func (s *housekeepingStore) RemoveSteps(ctx context.Context, limit int) (int, error) {
	return s.cleanBatch(ctx, "remove steps of items that have succeeded", "clean_steps", values{"limit_rows": bounded(limit, cleanRows)})
}
