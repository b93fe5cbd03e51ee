package sqlstore_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// trial is one call of a method on its own rows.
type trial struct {
	call func(ctx context.Context, s *sqlstore.Store) error

	// changed returns how many rows the call has changed, up to method.whole; 0 for a method
	// that only reads.
	changed func() int
}

// method is a method of the store and how to try it.
type method struct {
	name  string
	whole int // rows that a call changes

	// parts is set if a call runs several statements, so that the connection can fail between
	// them.
	parts bool

	prepare func(x *behindProxy) trial
}

const (
	countState    = `SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "WorkerId" = $1 AND "State" = $2`
	countAttempts = `SELECT COUNT(*) FROM "BotWorkItemAttempts" WHERE "WorkerId" = $1`
	countWorker   = `SELECT COUNT(*) FROM "BotWorkers" WHERE "Id" = $1 AND "State" = $2`
)

// assigned registers a worker with three assigned items.
func (x *behindProxy) assigned() (workqueue.Worker, []int64) {
	w := x.make.Worker(storetest.WorkerOpts{})
	return w, x.make.Items(3, storetest.ItemOpts{State: workqueue.Assigned, Worker: w})
}

// running registers a worker that runs three items.
func (x *behindProxy) running() (workqueue.Worker, []workqueue.Item) {
	x.Helper()
	w, _ := x.assigned()
	items, err := x.way.Claim(x.Context(), claimAll(w, time.Hour))
	if err != nil || len(items) != 3 {
		x.Fatalf("claimed %d items, %v; want 3", len(items), err)
	}
	return w, items
}

func claimAll(w workqueue.Worker, lease time.Duration) workqueue.ClaimParams {
	return workqueue.ClaimParams{WorkerID: w.ID, InstanceID: w.InstanceID, Band: workqueue.EveryPriority, Max: 10, Lease: lease}
}

// itemMethods are the methods that change items on request.
var itemMethods = []method{
	{"Enqueue", 3, false, func(x *behindProxy) trial {
		x.store.ForgetPolicies()
		by := x.make.Spec(storetest.WorkerOpts{}).Name
		item := workqueue.NewItem{IntegrationConfig: "x", CreatedBy: by}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.Enqueue(ctx, []workqueue.NewItem{item, item, item})
			return err
		}, func() int { return x.count(`SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "CreatedBy" = $1`, by) }}
	}},
	{"ChangeItem", 1, true, func(x *behindProxy) trial {
		w := x.make.Worker(storetest.WorkerOpts{})
		id := x.make.Item(storetest.ItemOpts{State: workqueue.Assigned, Worker: w}).ID
		// A cancellation finally reads the policies of the queues and ignores errors of that:
		// this must not be part of the answer.
		if err := x.store.CopyPolicies(x.Context(), x.way); err != nil {
			x.Fatal(err)
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			return storetest.Do(ctx, s, workqueue.Cancel, id, "no more")
		},
			func() int { return x.count(countState, w.ID, workqueue.Cancelled) }}
	}},
	{"ChangeItem", 1, true, func(x *behindProxy) trial {
		id := x.make.Item(storetest.ItemOpts{State: workqueue.Processed}).ID
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			return storetest.Do(ctx, s, workqueue.Repeat, id, "")
		}, func() int {
			return x.count(`SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "Id" = $1 AND "State" = 0 AND "WorkerId" IS NULL AND "Output" IS NULL`, id)
		}}
	}},
	{"ChangeItem", 2, true, func(x *behindProxy) trial {
		id := x.make.Item(storetest.ItemOpts{State: workqueue.Cancelled}).ID
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			return storetest.Do(ctx, s, workqueue.Delete, id, "")
		}, func() int {
			return 2 - x.count(`SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "Id" = $1`, id) -
				x.count(`SELECT COUNT(*) FROM "BotWorkItemAttempts" WHERE "ItemId" = $1`, id)
		}}
	}},
	{"ChangeItems", 3, true, func(x *behindProxy) trial {
		by := rand.Text()
		batch := make([]workqueue.NewItem, 3)
		for i := range batch {
			batch[i] = workqueue.NewItem{State: workqueue.Ready, IntegrationConfig: by}
		}
		if _, err := x.way.Enqueue(x.Context(), batch); err != nil {
			x.Fatal(err)
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.ChangeItems(ctx, workqueue.ItemFilter{Pipeline: by}, workqueue.Change{Action: workqueue.Archive})
			return err
		}, func() int {
			return x.count(`SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "IntegrationConfig" = $1 AND "State" = 3`, by)
		}}
	}},
	{"Assign", 3, true, func(x *behindProxy) trial {
		w := x.make.Worker(storetest.WorkerOpts{})
		ids := x.make.Items(3, storetest.ItemOpts{})
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			return s.Assign(ctx, func(ctx context.Context, tx workqueue.AssignTx) error {
				for _, id := range ids {
					if _, err := tx.Write(ctx, []workqueue.Assignment{{ItemID: id, WorkerID: w.ID}}); err != nil {
						return err
					}
				}
				return nil
			})
		}, func() int { return x.count(countState, w.ID, workqueue.Assigned) }}
	}},
	{"ClaimPass", 3, false, func(x *behindProxy) trial {
		w := x.make.Worker(storetest.WorkerOpts{})
		var list []workqueue.Assignment
		for _, id := range x.make.Items(3, storetest.ItemOpts{}) {
			list = append(list, workqueue.Assignment{ItemID: id, WorkerID: w.ID})
		}
		passes := x.count(`SELECT "Value" FROM "BotAssignmentMarks" WHERE "Name" = 'passes'`)
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			claimed, _, err := s.ClaimPass(ctx, int64(passes), list, workqueue.PassClaim{WorkerID: w.ID, InstanceID: w.InstanceID, Lease: time.Hour, Max: 3})
			if err == nil {
				_, err = claimed.Items(ctx)
			}
			return err
		}, func() int { return x.count(countState, w.ID, workqueue.Blocked) }}
	}},
}

// leaseMethods are the methods for the items of one worker.
var leaseMethods = []method{
	{"Claim", 3, false, func(x *behindProxy) trial {
		w, _ := x.assigned()
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.Claim(ctx, claimAll(w, time.Hour))
			return err
		}, func() int { return x.count(countState, w.ID, workqueue.Blocked) }}
	}},
	{"Begin", 3, false, func(x *behindProxy) trial {
		w, items := x.running()
		p := workqueue.BeginParams{WorkerID: w.ID, InstanceID: w.InstanceID}
		for _, it := range items {
			p.Items = append(p.Items, workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence})
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			refused, err := s.Begin(ctx, p)
			if err == nil && len(refused) > 0 {
				err = fmt.Errorf("refused %v", refused)
			}
			return err
		}, func() int {
			return x.count(`SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "WorkerId" = $1 AND "BegunFence" = "Fence"`, w.ID)
		}}
	}},
	{"Join", 3, false, func(x *behindProxy) trial {
		w := x.make.Worker(storetest.WorkerOpts{})
		pipeline := x.newName()
		x.make.Item(storetest.ItemOpts{State: workqueue.Assigned, Worker: w, Pipeline: pipeline})
		claimed, err := x.way.Claim(x.Context(), claimAll(w, time.Hour))
		if err != nil || len(claimed) != 1 {
			x.Fatal(len(claimed), err)
		}
		x.make.Items(2, storetest.ItemOpts{Pipeline: pipeline})
		x.byHand(`UPDATE "BotWorkQueueItems" SET "BatchKey" = 'a', "BatchMax" = 3, "BatchWaitMs" = 1000, "BatchAtMostMs" = 1000 WHERE "IntegrationConfig" = '%s'`, pipeline)
		leader := workqueue.ItemRef{ItemID: claimed[0].ID, Fence: claimed[0].Fence}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.Join(ctx, workqueue.JoinParams{WorkerID: w.ID, InstanceID: w.InstanceID, Leader: leader, Max: 2, Lease: time.Hour})
			return err
		}, func() int {
			return x.count(`SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "IntegrationConfig" = $1 AND "BatchLeaderId" = $2`, pipeline, leader.ItemID)
		}}
	}},
	{"Beat", 4, true, func(x *behindProxy) trial {
		w, items := x.running()
		p := workqueue.BeatParams{WorkerID: w.ID, InstanceID: w.InstanceID, Lease: 3 * time.Hour}
		for _, it := range items {
			p.Held = append(p.Held, workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence})
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.Beat(ctx, p)
			return err
		}, func() int {
			return x.count(`SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "WorkerId" = $1 AND "LeaseExpiresAt" > now() + INTERVAL '2 hours'`, w.ID) +
				x.count(`SELECT COUNT(*) FROM "BotWorkers" WHERE "Id" = $1 AND "LeaseExpiresAt" > now() + INTERVAL '2 hours'`, w.ID)
		}}
	}},
	{"Progress", 3, false, func(x *behindProxy) trial {
		w, items := x.running()
		var notes []workqueue.ProgressNote
		for _, it := range items {
			notes = append(notes, workqueue.ProgressNote{ItemRef: workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence}, Step: "load"})
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.Progress(ctx, w.ID, w.InstanceID, notes)
			return err
		}, func() int {
			return x.count(`SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "WorkerId" = $1 AND "Step" = 'load'`, w.ID)
		}}
	}},
	{"SaveSteps", 3, true, func(x *behindProxy) trial {
		_, items := x.running()
		ref := workqueue.ItemRef{ItemID: items[0].ID, Fence: items[0].Fence}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			return s.SaveSteps(ctx, ref, []workqueue.StepRecord{{Step: "load"}, {Step: "sign"}, {Step: "post"}})
		}, func() int { return x.steps(ref.ItemID) }}
	}},
	{"DropSteps", 3, true, func(x *behindProxy) trial {
		_, items := x.running()
		ref := workqueue.ItemRef{ItemID: items[0].ID, Fence: items[0].Fence}
		x.stepsByHand(ref.ItemID)
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			return s.DropSteps(ctx, ref)
		}, func() int { return 3 - x.steps(ref.ItemID) }}
	}},
	{"Finish", 5, true, func(x *behindProxy) trial {
		w, items := x.running()
		var ends []workqueue.Finish
		for i, state := range []workqueue.State{workqueue.Processed, workqueue.Cancelled, workqueue.Cancelled} {
			f := workqueue.Finish{ItemID: items[i].ID, Fence: items[i].Fence, State: state}
			if state == workqueue.Cancelled {
				f.RetryCount, f.Error, f.ErrorKind = 1, "broken", workqueue.KindPermanent
				f.Attempt = &workqueue.AttemptNote{Number: 1, Outcome: "failed"}
			}
			ends = append(ends, f)
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.Finish(ctx, w.ID, w.InstanceID, ends)
			return err
		}, func() int {
			return x.count(countState, w.ID, workqueue.Processed) + x.count(countState, w.ID, workqueue.Cancelled) + x.count(countAttempts, w.ID)
		}}
	}},
	{"ReleaseAssigned", 3, false, func(x *behindProxy) trial {
		w, _ := x.assigned()
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.ReleaseAssigned(ctx, w.ID, w.InstanceID)
			return err
		}, func() int { return 3 - x.count(countState, w.ID, workqueue.Assigned) }}
	}},
}

// stepsByHand inserts three records of steps of an item.
func (x *behindProxy) stepsByHand(id int64) {
	x.Helper()
	x.byHand(`INSERT INTO "BotWorkItemSteps" ("ItemId", "Number", "Step", "Data", "Fence")
		SELECT %d, n, 'step ' || n, '{}', 1 FROM generate_series(1, 3) n`, id)
}

func (x *behindProxy) steps(id int64) int {
	x.Helper()
	return x.count(`SELECT COUNT(*) FROM "BotWorkItemSteps" WHERE "ItemId" = $1`, id)
}

// workerMethods are the methods for the rows of workers.
var workerMethods = []method{
	{"RegisterWorker", 4, true, func(x *behindProxy) trial {
		w, _ := x.running()
		spec := x.make.Spec(storetest.WorkerOpts{Name: w.Name})
		spec.Replaces = w.InstanceID
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.RegisterWorker(ctx, spec)
			return err
		}, func() int {
			return x.count(`SELECT COUNT(*) FROM "BotWorkers" WHERE "InstanceId" = $1`, spec.InstanceID) +
				x.count(`SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE "WorkerId" = $1 AND "State" = 1 AND "LeaseExpiresAt" IS NULL`, w.ID)
		}}
	}},
	{"DrainWorker", 1, false, func(x *behindProxy) trial {
		w := x.make.Worker(storetest.WorkerOpts{})
		return trial{func(ctx context.Context, s *sqlstore.Store) error { return s.DrainWorker(ctx, w.Name, "") },
			func() int { return x.count(countWorker, w.ID, workqueue.WorkerDraining) }}
	}},
	{"RequestDrain", 1, false, func(x *behindProxy) trial {
		w := x.make.Worker(storetest.WorkerOpts{})
		return trial{func(ctx context.Context, s *sqlstore.Store) error { return s.RequestDrain(ctx, w.Name) },
			func() int { return x.count(countWorker, w.ID, workqueue.WorkerDraining) }}
	}},
	{"ResumeWorker", 1, false, func(x *behindProxy) trial {
		w := x.make.Worker(storetest.WorkerOpts{})
		if err := x.way.RequestDrain(x.Context(), w.Name); err != nil {
			x.Fatal(err)
		}
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.ResumeWorker(ctx, w.Name)
			return err
		}, func() int { return x.count(countWorker, w.ID, workqueue.WorkerActive) }}
	}},
	{"SetWorker", 1, true, func(x *behindProxy) trial {
		w := x.make.Worker(storetest.WorkerOpts{})
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.SetWorker(ctx, w.Name, false, workqueue.WorkerOverrides{Capacity: new(9)})
			return err
		}, func() int {
			return x.count(`SELECT COUNT(*) FROM "BotWorkers" WHERE "Id" = $1 AND "Overrides" IS NOT NULL`, w.ID)
		}}
	}},
	{"StopWorker", 4, true, func(x *behindProxy) trial {
		w, _ := x.assigned()
		return trial{func(ctx context.Context, s *sqlstore.Store) error { return s.StopWorker(ctx, w.ID, w.InstanceID) },
			func() int {
				return x.count(countWorker, w.ID, workqueue.WorkerStopped) + 3 - x.count(countState, w.ID, workqueue.Assigned)
			}}
	}},
}
