package sqlstore

import (
	"context"
	"slices"

	"botwork/workqueue"
)

// progressColumns are the progress of a run inside a JSON parameter. Nil keeps the value of the
// row.
type progressColumns struct {
	NewStep     *string `json:",omitempty"`
	NewProgress *string `json:",omitempty"`
	NewPercent  *int    `json:",omitempty"`
	NewTail     *string `json:",omitempty"`
	NewHash     *string `json:",omitempty"`

	NewStepTimes *string `json:",omitempty"`
}

func newProgressColumns(n *workqueue.ProgressNote) progressColumns {
	return progressColumns{
		NewStep: null(clip(n.Step, nameLen)), NewProgress: null(clip(n.Progress, reasonLen)), NewPercent: n.Percent,
		NewTail: null(n.LogTail), NewHash: null(n.PipelineHash), NewStepTimes: null(string(n.StepTimes)),
	}
}

// progressRow is a ProgressNote inside a JSON parameter.
type progressRow struct {
	refRow
	progressColumns
	NewOutput *string
}

// Progress implements workqueue.LeaseStore.
func (s *leaseStore) Progress(ctx context.Context, workerID int64, instanceID string, notes []workqueue.ProgressNote) ([]int64, error) {
	if len(notes) == 0 {
		return nil, nil
	}
	claim := func(n *workqueue.ProgressNote) refRow { return refRow{n.ItemID, n.Fence} }
	notes, later := once(notes, claim)
	lost, err := passingOver(ctx, func(only map[refRow]bool) ([]int64, []refRow, error) {
		return s.progress(ctx, workerID, instanceID, those(notes, only, claim))
	})
	if err != nil || len(later) == 0 {
		return lost, err
	}
	more, err := s.Progress(ctx, workerID, instanceID, later)
	return append(lost, more...), err
}

// progress records notes of different claims.
func (s *leaseStore) progress(ctx context.Context, workerID int64, instanceID string, notes []workqueue.ProgressNote) ([]int64, []refRow, error) {
	rows := make([]progressRow, len(notes))
	refs := make([]refRow, len(notes))
	for i, n := range notes {
		refs[i] = refRow{ItemID: n.ItemID, ItemFence: n.Fence}
		rows[i] = progressRow{refs[i], newProgressColumns(&n), null(string(n.Output))}
		if n.Encrypted {
			var err error
			if rows[i].NewOutput, err = s.sealText(rows[i].NewOutput, outputColumn, n.ItemID); err != nil {
				return nil, nil, err
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b progressRow) int { return a.compare(b.refRow) })
	batch, err := jsonRows(rows)
	if err != nil {
		return nil, nil, err
	}
	return s.change(ctx, "record progress", fenced{
		statement: "progress", refs: refs,
		values: values{"worker": workerID, "instance": instanceID, "rows": batch},
	})
}

// Lost implements workqueue.LeaseStore.
func (s *leaseStore) Lost(ctx context.Context, workerID int64, instanceID string, held []workqueue.ItemRef) ([]int64, error) {
	if len(held) == 0 {
		return nil, nil
	}
	refs := refRows(held)
	still, err := s.stillHeld(ctx, workerID, instanceID, refs)
	if err != nil {
		return nil, err
	}
	return itemIDs(missing(refs, still)), nil
}

// stillHeld returns the claims that the worker has, and those that cannot be read now because another
// session holds their rows.
func (s *leaseStore) stillHeld(ctx context.Context, workerID int64, instanceID string, refs []refRow) ([]refRow, error) {
	read := func(refs []refRow) (still []refRow, err error) {
		batch, err := jsonRows(refs)
		if err != nil {
			return nil, err
		}
		return s.reading.refs(ctx, s.readers, "still_held", values{"worker": workerID, "instance": instanceID, "rows": batch})
	}
	var still []refRow
	err := s.retryReading(ctx, "find lost leases", func() (err error) {
		if still, err = read(refs); !isLockTimeout(err) {
			return err
		}
		still = nil
		for _, ref := range refs {
			one, err := read([]refRow{ref})
			if isLockTimeout(err) {
				one, err = []refRow{ref}, nil
			}
			if err != nil {
				return err
			}
			still = append(still, one...)
		}
		return nil
	})
	return still, err
}
