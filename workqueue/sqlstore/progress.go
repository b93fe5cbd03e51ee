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
	notes, later := once(notes, func(n *workqueue.ProgressNote) refRow { return refRow{n.ItemID, n.Fence} })
	lost, err := s.progress(ctx, workerID, instanceID, notes)
	if err != nil || len(later) == 0 {
		return lost, err
	}
	more, err := s.Progress(ctx, workerID, instanceID, later)
	return append(lost, more...), err
}

// progress records notes of different claims.
func (s *leaseStore) progress(ctx context.Context, workerID int64, instanceID string, notes []workqueue.ProgressNote) ([]int64, error) {
	rows := make([]progressRow, len(notes))
	refs := make([]refRow, len(notes))
	for i, n := range notes {
		refs[i] = refRow{ItemID: n.ItemID, ItemFence: n.Fence}
		rows[i] = progressRow{refs[i], newProgressColumns(&n), null(string(n.Output))}
		if n.Encrypted {
			var err error
			if rows[i].NewOutput, err = s.sealText(rows[i].NewOutput, outputColumn, n.ItemID); err != nil {
				return nil, err
			}
		}
	}
	slices.SortFunc(rows, func(a, b progressRow) int { return a.compare(b.refRow) })
	batch, err := jsonRows(rows)
	if err != nil {
		return nil, err
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
	refs := make([]refRow, len(held))
	for i, h := range held {
		refs[i] = refRow{ItemID: h.ItemID, ItemFence: h.Fence}
	}
	batch, err := jsonRows(refs)
	if err != nil {
		return nil, err
	}
	var still []refRow
	err = s.retryReading(ctx, "find lost leases", func() (err error) {
		still, err = s.reading.refs(ctx, s.readers, "still_held", values{"worker": workerID, "instance": instanceID, "rows": batch})
		return err
	})
	if err != nil {
		return nil, err
	}
	return missing(refs, still), nil
}
