package bench

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// AssignOptions are the options of [Assign].
type AssignOptions struct {
	Common
	Items    int // that are ready
	Workers  int // registered workers, including the one that runs the pass
	Capacity int // slots of each worker
}

// Figures of an assignment pass.
const PassSeconds Figure = "passSeconds"

// Work is the total that Progress reports: the items that are created and then assigned.
func (o AssignOptions) Work() int { return 2 * o.work(o.Items) }

// pass is a pipeline that assigns items but runs none. Its horizon covers all items.
const pass = `name: Pass
trigger: {cron: "0 0 1 1 *"}
steps:
  - handler: AssignTasksToWorker
    with: {minPriority: 500, workers: available, horizon: 365d}
`

// Assign measures a pass that assigns ready items to workers. No item runs. An item
// counts as lost if the pass did not assign it.
func Assign(ctx context.Context, o AssignOptions) (Report, error) {
	var all Count
	rounds, err := o.series(ctx, func(ctx context.Context, of size) (Sample, error) {
		s, count, err := o.round(ctx, of(o.Items))
		all.add(count)
		return s, err
	})
	report := o.newReport("assign", o.Items, rounds)
	err = errors.Join(err, report.count(all))
	report.RanTwice = nil
	return report, err
}

func (o AssignOptions) round(ctx context.Context, items int) (s Sample, count Count, err error) {
	s = Sample{}
	err = o.inStore(ctx, func(store *sqlstore.Store, dsn string) error {
		f, err := o.newFiller(ctx, dsn)
		if err != nil {
			return err
		}
		defer f.db.Close()
		if err := o.prepare(ctx, f, store, items); err != nil {
			return err
		}
		proc, err := worker{
			name: "bench", capacity: o.Capacity, handler: &tally{}, bare: true, files: map[string]string{"pass.yaml": pass},
		}.start(ctx, store)
		if err != nil {
			return err
		}
		begin := startUsage()
		err = proc.RunOnce(ctx, "Pass")
		s[PassSeconds] = time.Since(begin.at).Seconds()
		s[ItemsPerSecond] = float64(items) / s[PassSeconds]
		s.usage(begin, items)
		o.progress(items)
		if err == nil {
			count, err = o.countAssigned(ctx, f.db, dsn, items)
		}
		return errors.Join(err, proc.Stop(context.WithoutCancel(ctx)))
	})
	return s, count, err
}

// prepare creates the items and registers the other workers.
func (o AssignOptions) prepare(ctx context.Context, f *filler, store *sqlstore.Store, items int) error {
	id, err := enqueueOne(ctx, store, newItem())
	if err != nil {
		return err
	}
	o.progress(1)
	if err := f.copies(ctx, id, items-1, times{"CreatedAt": "0", "AvailableAt": "0"}); err != nil {
		return err
	}
	for i := 1; i < o.Workers; i++ {
		_, err := store.RegisterWorker(ctx, workqueue.WorkerSpec{
			Name: fmt.Sprint("bench-", i), InstanceID: fmt.Sprint("instance-", i), Host: "bench", PID: i,
			Version: "bench", Capacity: o.Capacity, Lease: time.Hour,
		})
		if err != nil {
			return err
		}
	}
	return f.analyse(ctx)
}

// countAssigned counts the items in the database that have a worker.
func (o AssignOptions) countAssigned(ctx context.Context, db *sql.DB, dsn string, items int) (Count, error) {
	if o.spoil != nil {
		if err := o.spoil(dsn, nil); err != nil {
			return Count{}, err
		}
	}
	var assigned int
	err := db.QueryRowContext(ctx, `SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "State" = 5 AND "WorkerId" IS NOT NULL`).Scan(&assigned)
	return Count{Items: items, Lost: items - assigned}, err
}
