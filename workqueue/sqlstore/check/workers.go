package check

import (
	"context"
	"fmt"
	"time"

	"botwork/workqueue"
)

// workers checks the rows of workers.
func (r *reading) workers(ctx context.Context) error {
	workers, err := r.db.Workers(ctx)
	if err != nil {
		return err
	}
	r.examined(workqueue.CheckWorker, "workers", int64(len(workers)))
	for i, w := range workers {
		v := workqueue.Violation{Check: workqueue.CheckWorker, Worker: new(w.Name)}
		switch {
		case i > 0 && workers[i-1].Name == w.Name:
			if i > 1 && workers[i-2].Name == w.Name {
				continue
			}
			v.Mark = "name"
			v.Found = fmt.Sprintf("two workers with the same name, with the ids %d and %d", workers[i-1].ID, w.ID)
			v.Wanted = "one row for each name"
			v.Hint = "the constraint UQ_BotWorkers_Name is missing: stop both workers, delete one row, and add the constraint again"
		case w.State != workqueue.WorkerStopped && w.LeaseExpiresAt != nil && w.LeaseExpiresAt.After(r.now.Add(tooFar)):
			v.Mark = "lease"
			v.Found = fmt.Sprintf("%s, with a lease until %s: more than a day in the future", w.State, w.LeaseExpiresAt.UTC().Format(time.RFC3339))
			v.Wanted = "a lease of minutes: until it ends, a dead worker keeps its name and its items"
			v.Hint = "if the worker is running, its next heartbeat corrects it; if not, set LeaseExpiresAt to NULL"
		case w.State != workqueue.WorkerActive && w.State != workqueue.WorkerDraining && w.State != workqueue.WorkerStopped:
			v.Mark = "state"
			v.Found = fmt.Sprintf("State is %q", w.State)
			v.Wanted = "active, draining or stopped"
			v.Hint = "no pass assigns items to it: set State to stopped, or start it again"
		default:
			continue
		}
		r.add(v)
	}
	return nil
}
