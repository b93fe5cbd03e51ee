package sqlstore

import (
	"context"
	"slices"

	"botwork/workqueue"
)

// progressColumns are what a run has come to, inside a JSON parameter. Nil
// keeps what the row holds.
type progressColumns struct {
	NewStep     *string
	NewProgress *string
	NewTail     *string
}

func newProgressColumns(step, progress, tail string) progressColumns {
	return progressColumns{NewStep: null(clip(step, nameLen)), NewProgress: null(clip(progress, reasonLen)), NewTail: null(tail)}
}

// progressRow is a ProgressNote inside a JSON parameter.
type progressRow struct {
	refRow
	progressColumns
}

// Progress implements workqueue.LeaseStore.
func (s *Store) Progress(ctx context.Context, workerID int64, instanceID string, notes []workqueue.ProgressNote) ([]int64, error) {
	if len(notes) == 0 {
		return nil, nil
	}
	rows := make([]progressRow, len(notes))
	refs := make([]refRow, len(notes))
	for i, n := range notes {
		refs[i] = refRow{ItemID: n.ItemID, ItemFence: n.Fence}
		rows[i] = progressRow{refs[i], newProgressColumns(n.Step, n.Progress, n.LogTail)}
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
