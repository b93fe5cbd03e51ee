package sqlstore

import (
	"context"
	"slices"

	"botwork/workqueue"
)

// finishRow is a Finish inside a JSON parameter. Nil is SQL's NULL.
type finishRow struct {
	refRow
	NewState  int
	Failures  int
	DelayMs   int64
	NewOutput *string
	ErrorText *string
	Kind      *string
	progressColumns
}

// attemptRow is an attempt inside a JSON parameter.
type attemptRow struct {
	refRow
	Number    int
	Result    string
	HolderID  *int64 `json:"HolderId"`
	StepName  *string
	ErrorText *string
	Kind      *string
}

// Finish implements workqueue.LeaseStore.
func (s *Store) Finish(ctx context.Context, workerID int64, instanceID string, finishes []workqueue.Finish) ([]int64, error) {
	if len(finishes) == 0 {
		return nil, nil
	}
	rows := make([]finishRow, len(finishes))
	refs := make([]refRow, len(finishes))
	notes := map[refRow]attemptRow{}
	for i, f := range finishes {
		refs[i] = refRow{ItemID: f.ItemID, ItemFence: f.Fence}
		rows[i] = finishRow{
			refRow: refs[i], NewState: int(f.State), Failures: f.RetryCount, DelayMs: ms(f.Delay),
			NewOutput: null(string(f.Output)), ErrorText: null(f.Error), Kind: null(string(f.ErrorKind)),
			progressColumns: newProgressColumns(f.Step, f.Progress, f.LogTail),
		}
		if a := f.Attempt; a != nil {
			notes[refs[i]] = attemptRow{
				refRow: refs[i], Number: a.Number, Result: a.Outcome, HolderID: &workerID,
				StepName: null(clip(a.Step, nameLen)), ErrorText: null(f.Error), Kind: null(string(f.ErrorKind)),
			}
		}
	}
	slices.SortFunc(rows, func(a, b finishRow) int { return a.compare(b.refRow) })
	batch, err := jsonRows(rows)
	if err != nil {
		return nil, err
	}
	return s.change(ctx, "finish items", fenced{
		statement: "finish", refs: refs, more: len(notes) > 0,
		values: values{"worker": workerID, "instance": instanceID, "rows": batch, "now": s.nowArg()},
		then:   func(on runner, written []refRow) error { return s.note(ctx, on, notes, written) },
	})
}

// note writes the attempts of the claims among refs.
func (s *Store) note(ctx context.Context, on runner, notes map[refRow]attemptRow, refs []refRow) error {
	var rows []attemptRow
	for _, ref := range refs {
		if n, ok := notes[ref]; ok {
			rows = append(rows, n)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	batch, err := jsonRows(rows)
	if err != nil {
		return err
	}
	_, err = s.queries.exec(ctx, on, "attempts", values{"rows": batch, "now": s.nowArg()})
	return err
}
