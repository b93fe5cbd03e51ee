package operations

import (
	"context"
	"fmt"
	"time"

	"botwork/pipelines"
	"botwork/workqueue"
)

const (
	// backfillWithin is how long the runs of a backfill may wait for their turn.
	backfillWithin = 24 * time.Hour

	// MostBackfilled bounds a backfill. One of more than FewBackfilled must be confirmed.
	MostBackfilled, FewBackfilled = 1000, 10
)

// BackfillStore is what a backfill needs of the database.
type BackfillStore interface {
	Runs(ctx context.Context, f workqueue.RunFilter) ([]workqueue.PipelineRun, error)
	Firings(ctx context.Context, f workqueue.FiringFilter) ([]workqueue.Firing, error)
	RunRequests(ctx context.Context, f workqueue.RequestFilter) ([]workqueue.RunRequest, error)
	RequestRuns(ctx context.Context, n workqueue.NewRunRequests) ([]int64, error)
}

// BackfillTime is a planned time of a backfill. JSON field names are part of the command line's
// contract.
type BackfillTime struct {
	PlannedAt time.Time `json:"plannedAt"`
	Runs      bool      `json:"runs"`   // the backfill runs it
	Reason    string    `json:"reason"` // why it runs or does not
	RequestID *int64    `json:"requestId"`

	unknown bool // it is older than all records, so it may have run
}

// PlannedTimes returns the planned times of a pipeline from first on and before end, and before now.
// The error is a *RefusedError.
func PlannedTimes(p *pipelines.Pipeline, first, end time.Time) ([]time.Time, error) {
	if p.Trigger == nil || p.Trigger.Schedule == nil {
		return nil, &RefusedError{Code: CodeNoSchedule, Message: fmt.Sprintf("pipeline %q has no cron or every in its trigger, so it has no planned times", p.Name)}
	}
	if now := time.Now(); end.After(now) {
		end = now
	}
	if !first.Before(end) {
		return nil, &RefusedError{Code: CodeBadRange, Message: fmt.Sprintf("got a range from %s, want one that begins before its end and before now", first.Format(time.RFC3339))}
	}
	var planned []time.Time
	for at := p.Trigger.Schedule.Next(first.Add(-1)); !at.IsZero() && at.Before(end); at = p.Trigger.Schedule.Next(at) {
		if len(planned) == MostBackfilled {
			return nil, &RefusedError{Code: CodeBadRange,
				Message: fmt.Sprintf("the range has more than %d planned times, want at most %d; hint: backfill it in parts", MostBackfilled, MostBackfilled)}
		}
		planned = append(planned, at.UTC())
	}
	return planned, nil
}

// PlanBackfill decides which planned times run.
func PlanBackfill(ctx context.Context, store BackfillStore, name string, planned []time.Time) ([]BackfillTime, error) {
	views := make([]BackfillTime, len(planned))
	if len(planned) == 0 {
		return views, nil
	}
	since, until := planned[0], planned[len(planned)-1].Add(time.Millisecond)
	// A schedule of each worker has a run or a record of each worker.
	const most = 100 * MostBackfilled
	runs, err := store.Runs(ctx, workqueue.RunFilter{Pipeline: name, PlannedSince: since, PlannedUntil: until, Limit: most})
	if err != nil {
		return nil, err
	}
	firings, err := store.Firings(ctx, workqueue.FiringFilter{Schedule: name, Since: since, Until: until, Limit: most})
	if err != nil {
		return nil, err
	}
	requests, err := store.RunRequests(ctx, workqueue.RequestFilter{Pipeline: name, PlannedSince: since, PlannedUntil: until, Limit: most})
	if err != nil {
		return nil, err
	}
	oldest, err := oldestRecord(ctx, store, name)
	if err != nil {
		return nil, err
	}
	records := map[int64]*workqueue.Firing{}
	for i := range firings {
		if f, known := &firings[i], records[firings[i].PlannedAt.UnixMilli()]; known == nil || f.Outcome == workqueue.Fired {
			records[f.PlannedAt.UnixMilli()] = f
		}
	}
	taken := map[int64]string{}
	for _, q := range requests {
		if q.State == workqueue.RequestPending {
			taken[q.PlannedAt.UnixMilli()] = fmt.Sprintf("requested by %s already", q.By)
		}
	}
	for _, r := range runs {
		taken[r.PlannedAt.UnixMilli()] = fmt.Sprintf("run %d: %s", r.ID, r.Outcome)
	}
	for i, at := range planned {
		v := BackfillTime{PlannedAt: at, Reason: taken[at.UnixMilli()]}
		f := records[at.UnixMilli()]
		switch {
		case v.Reason != "":
		case f != nil && f.Outcome == workqueue.Fired:
			v.Reason = "fired by worker " + f.RecordedBy
		case f != nil:
			v.Runs, v.Reason = true, fmt.Sprintf("%s: %s", f.Outcome, f.Reason)
		case oldest.IsZero() || at.Before(oldest):
			v.Runs, v.Reason, v.unknown = true, "no record is this old; it may have run", true
		default:
			v.Runs, v.Reason = true, "no record"
		}
		views[i] = v
	}
	return views, nil
}

// oldestRecord returns since when all runs of a pipeline are recorded; zero: none is.
func oldestRecord(ctx context.Context, store BackfillStore, name string) (time.Time, error) {
	runs, err := store.Runs(ctx, workqueue.RunFilter{Pipeline: name, Oldest: true, Limit: 1})
	if err != nil || len(runs) == 0 {
		return time.Time{}, err
	}
	return runs[0].StartedAt, nil
}

// Unconfirmed returns why the backfill must be confirmed; "" if it need not be.
func Unconfirmed(views []BackfillTime) string {
	n, unknown := 0, 0
	for _, v := range views {
		if v.Runs {
			n++
		}
		if v.unknown {
			unknown++
		}
	}
	switch {
	case unknown > 0:
		return fmt.Sprintf("%d planned times are older than all records of the pipeline and may have run", unknown)
	case n > FewBackfilled:
		return fmt.Sprintf("%d runs", n)
	}
	return ""
}

// RequestBackfill requests the runs, and records the requests in views. A planned time that another
// process has requested in the meantime is left out.
func RequestBackfill(ctx context.Context, store BackfillStore, name, by string, views []BackfillTime) error {
	n := workqueue.NewRunRequests{Pipeline: name, By: by, Within: backfillWithin}
	for _, v := range views {
		if v.Runs {
			n.PlannedAt = append(n.PlannedAt, v.PlannedAt)
		}
	}
	if len(n.PlannedAt) == 0 {
		return nil
	}
	ids, err := store.RequestRuns(ctx, n)
	if err != nil {
		return err
	}
	requests, err := store.RunRequests(ctx, workqueue.RequestFilter{
		Pipeline: name, PlannedSince: n.PlannedAt[0], PlannedUntil: n.PlannedAt[len(n.PlannedAt)-1].Add(time.Millisecond), Limit: 10 * MostBackfilled,
	})
	if err != nil {
		return nil // the runs are requested; only their ids are missing
	}
	at := map[int64]int64{}
	for _, q := range requests {
		at[q.ID] = q.PlannedAt.UnixMilli()
	}
	made := map[int64]int64{}
	for _, id := range ids {
		made[at[id]] = id
	}
	for i := range views {
		v := &views[i]
		if !v.Runs {
			continue
		}
		if id, ok := made[v.PlannedAt.UnixMilli()]; ok {
			v.RequestID = &id
		} else {
			v.Runs, v.Reason = false, "started or requested in the meantime"
		}
	}
	return nil
}
