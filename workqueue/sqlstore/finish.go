package sqlstore

import (
	"context"
	"errors"
	"slices"
	"time"

	"botwork/workqueue"
)

// finishRow is a Finish inside a JSON parameter. Nil is SQL's NULL.
type finishRow struct {
	refRow
	NewState     int
	Failures     int
	DelayMs      *int64  `json:",omitempty"`
	NewOutput    *string `json:",omitempty"`
	NewAnalytics *string `json:",omitempty"`
	ErrorText    *string `json:",omitempty"`
	Kind         *string `json:",omitempty"`
	KeepMs       *int64  `json:",omitempty"`
	Hidden       int     `json:",omitempty"`
	TookMs       *int64  `json:",omitempty"`
	Unbegun      int     `json:",omitempty"` // 1: it was released before its run started
	Alone        int     `json:",omitempty"` // 1: it leaves its batch
	heldBy
	progressColumns
	statColumns
}

// Finish implements workqueue.LeaseStore.
func (s *leaseStore) Finish(ctx context.Context, workerID int64, instanceID string, finishes []workqueue.Finish) ([]int64, error) {
	if len(finishes) == 0 {
		return nil, nil
	}
	finishes, _ = once(finishes, claimOf)
	lost, err := passingOver(ctx, func(only map[refRow]bool) ([]int64, []refRow, error) {
		list := those(finishes, only, claimOf)
		write := func(plainly bool) ([]int64, []refRow, error) {
			ends, err := s.ends(ctx, &workerID, nil, list, plainly)
			if err != nil {
				return nil, nil, err
			}
			ends.values["worker"], ends.values["instance"] = workerID, instanceID
			return s.change(ctx, "finish items", ends)
		}
		lost, locked, err := write(s.engine.endsPlainly(list))
		if errors.Is(err, errNotAll) {
			lost, locked, err = write(false)
		}
		return lost, locked, err
	})
	locked, isLocked := errors.AsType[*workqueue.LockedError](err)
	if err != nil && (!isLocked || len(locked.Items) == len(finishes)) {
		return nil, err
	}
	queues := make([]string, len(finishes))
	for i := range finishes {
		queues[i] = finishes[i].QueueName
	}
	s.ended(queues...)
	s.readyAgain(finishes)
	// The ends are already written: an error here must not make the caller retry them. The next
	// trim removes what is left.
	_ = s.trimArchives(ctx, archivesOf(finishes))
	return lost, err
}

func claimOf(f *workqueue.Finish) refRow { return refRow{f.ItemID, f.Fence} }

// ends returns the statement that records ends of runs, with everything that belongs to them,
// for the worker with this id, or for robots (nil) by what each holds. With plainly, plain ends use a separate
// statement.
func (s *leaseStore) ends(ctx context.Context, worker *int64, robots map[refRow]heldBy, finishes []workqueue.Finish, plainly bool) (fenced, error) {
	var plain plainEnds
	rows := make([]finishRow, 0, len(finishes))
	refs := make([]refRow, len(finishes))
	after := aftermath{
		s: s, attempts: map[refRow]attemptRow{}, removed: map[refRow]bool{}, steps: map[refRow]bool{}, copies: map[refRow]workqueue.Finish{},
		runs: runEnds{s: s.bookkeeping, worker: workerOf(worker), returned: map[refRow]run{}},
	}
	for i := range finishes {
		f := &finishes[i]
		refs[i] = refRow{ItemID: f.ItemID, ItemFence: f.Fence}
		if a := f.Attempt; a != nil {
			attempt := attemptRow{
				refRow: refs[i], Number: a.Number, Result: a.Outcome, HolderID: worker, StepName: null(clip(a.Step, nameLen)),
			}
			if a.Failed() {
				attempt.ErrorText, attempt.Kind = null(f.Error), null(string(f.ErrorKind))
			} else {
				attempt.ErrorText = null(a.Reason)
			}
			after.attempts[refs[i]] = attempt
		}
		after.expect(refs[i], *f)
		row, err := s.finishRow(f)
		if err != nil {
			return fenced{}, err
		}
		if plainly && isPlain(f) {
			after.runs.plain(refs[i])
			plain = append(plain, plainEnd{finishRow: row, started: f.StartedAt, queue: f.QueueName, pipeline: f.Pipeline, priority: f.Priority})
		} else {
			row.statColumns, row.heldBy = after.runs.columns(refs[i]), robots[refs[i]]
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b finishRow) int { return a.compare(b.refRow) })
	batch, err := jsonRows(rows)
	return fenced{
		statement: "finish", refs: refs, robots: robots, plain: plain, more: after.any(), runs: after.runs.returned,
		values: values{"worker": nil, "instance": nil, "rows": batch, "now": s.nowArg()},
		then:   func(on runner, written []refRow) error { return after.write(ctx, on, written) },
	}, err
}

// workerOf returns a worker's id, 0 for a robot.
func workerOf(worker *int64) int64 {
	if worker == nil {
		return 0
	}
	return *worker
}

func (s *leaseStore) finishRow(f *workqueue.Finish) (finishRow, error) {
	row := finishRow{
		refRow: refRow{ItemID: f.ItemID, ItemFence: f.Fence}, NewState: int(f.State), Failures: f.RetryCount,
		NewOutput: null(string(f.Output)), NewAnalytics: null(string(f.Analytics)), ErrorText: null(f.Error), Kind: null(string(f.ErrorKind)),
		progressColumns: newProgressColumns(&workqueue.ProgressNote{
			Step: f.Step, Progress: f.Progress, LogTail: f.LogTail, PipelineHash: f.PipelineHash, Percent: f.Percent, StepTimes: f.StepTimes,
		}),
	}
	if !f.Released() {
		row.DelayMs = new(ms(f.Delay))
	}
	if f.Encrypted {
		var err error
		if row.NewOutput, err = s.sealText(row.NewOutput, outputColumn, f.ItemID); err != nil {
			return row, err
		}
	}
	if f.Retain != nil && *f.Retain > 0 {
		row.KeepMs = new(ms(*f.Retain))
	}
	if f.Delete == workqueue.DeletionLogical {
		row.Hidden = 1
	}
	if f.Took > 0 {
		row.TookMs = new(tookMs(f.Took))
	}
	if f.Alone {
		row.Alone = 1
	}
	if f.Returned() {
		row.Unbegun = 1
	}
	return row, nil
}

// tookMs returns the duration of a run, rounded to the milliseconds of the columns.
func tookMs(took time.Duration) int64 {
	return min(took, longest).Round(time.Millisecond).Milliseconds()
}

// archivesOf returns the queues whose archives have grown by these ends.
func archivesOf(finishes []workqueue.Finish) []string {
	var queues []string
	for _, f := range finishes {
		if f.State == workqueue.Cancelled && f.QueueName != "" && !slices.Contains(queues, f.QueueName) {
			queues = append(queues, f.QueueName)
		}
	}
	return queues
}
