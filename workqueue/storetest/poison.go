package storetest

import (
	"context"
	"fmt"
	"strings"
	"time"

	"botwork/workqueue"
)

func poisonTests() []test {
	return []test{
		{"the fifth worker that dies while it runs an item", poisonFifth},
		{"the limit of the item's queue applies", poisonLimit},
		{"releases before the start do not count", poisonAssigned},
		{"claims that had not begun do not count", poisonNotStarted},
		{"each call that records the begin counts", poisonStarted},
	}
}

func poisonFifth(x *fixture) {
	w := x.Worker(WorkerOpts{})
	id := x.Item(ItemOpts{}).ID
	for death := 1; death <= 5; death++ {
		x.wantState(workqueue.Ready, id)
		x.Assign(w, id)
		x.claim(w, 1)
		x.expire(id)
		want := workqueue.RescueResult{Rescued: 1}
		if death == 5 {
			want.Poisoned = 1
		}
		x.wantRescue(want)
	}
	got := x.show(id)
	if got.State != workqueue.Cancelled || got.ReleaseCount != 5 || got.RetryCount != 0 || got.LeaseExpiresAt != nil ||
		deref(got.ErrorKind) != "poison" || !strings.Contains(deref(got.Error), "poison") || deref(got.WorkerID) != deref(&w.ID) {
		x.Errorf("after 5 deaths the item is %s, want it cancelled as poison without failures", asJSON(got))
	}
	x.wantClean("FinishedAt", got.FinishedAt)
	attempts := x.attempts(id)
	if len(attempts) != 5 {
		x.Fatalf("%d attempts, want 5", len(attempts))
	}
	for n, a := range attempts {
		if a.Outcome != "rescued" || a.Fence != int64(n+1) {
			x.Errorf("attempt %d is %s, want rescued with fence %d", n+1, asJSON(a), n+1)
		}
	}
	// A user may repeat it.
	if err := Do(x.ctx, x.Store, workqueue.Repeat, id, ""); err != nil {
		x.Fatal(err)
	}
	if got := x.show(id); got.ReleaseCount != 0 || got.ErrorKind != nil {
		x.Errorf("the repeated item is %s, want no releases and no error", asJSON(got))
	}
}

func poisonLimit(x *fixture) {
	x.maxReleases(1)
	x.define("test", []string{"patient"}, workqueue.Queue{Name: "patient", MaxReleases: 1000})
	w := x.Worker(WorkerOpts{})
	first, other := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w}), x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "QueueName" = 'patient', "ReleaseCount" = 900 WHERE "Id" = %d`, other.ID)
	x.expire(first.ID)
	x.expire(other.ID)
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
		got, err := tx.Rescue(ctx, time.Hour)
		if want := (workqueue.RescueResult{Rescued: 2, Poisoned: 1, Band: workqueue.Band{Min: other.Priority, Max: other.Priority}}); got != want {
			return fmt.Errorf("rescue = %+v, want %+v (error %w)", got, want, err)
		}
		return err
	})
	x.wantState(workqueue.Cancelled, first.ID)
	if got := deref(x.show(first.ID).Error); !strings.HasPrefix(got, "poison: its lease ran out 1 times") {
		x.Errorf("the error is %q, want the number of expired leases", got)
	}
	x.wantState(workqueue.Ready, other.ID)
}

// maxReleases sets how many workers may die while they run an item, in all existing queues.
func (x *fixture) maxReleases(n int) {
	x.Helper()
	x.Exec(x.T, fmt.Sprintf(`UPDATE "BotQueues" SET "MaxReleases" = %d`, n))
}

func poisonAssigned(x *fixture) {
	w := x.Worker(WorkerOpts{})
	id := x.Item(ItemOpts{}).ID
	for range 7 {
		x.Assign(w, id)
		x.exec(1, `UPDATE "BotWorkQueueItems" SET "AssignedAt" = NULL WHERE "Id" = %d`, id)
		x.wantRescue(workqueue.RescueResult{Released: 1})
	}
	if got := x.show(id); got.State != workqueue.Ready || got.ReleaseCount != 0 {
		x.Errorf("the item is %s, want it Ready without counted releases", asJSON(got))
	}
}

func poisonNotStarted(x *fixture) {
	w := x.Worker(WorkerOpts{})
	id := x.Item(ItemOpts{}).ID
	for death := 1; death <= 7; death++ {
		it := x.claimOne(w, id)
		if want := death > 1; it.RecordBegin != want {
			x.Errorf("claim %d has RecordBegin %t, want %t", death, it.RecordBegin, want)
		}
		x.expireClaim(id)
		x.wantRescue(workqueue.RescueResult{Rescued: 1})
	}
	got := x.show(id)
	if got.State != workqueue.Ready || got.ReleaseCount != 0 || got.FirstStartedAt != nil {
		x.Errorf("the item is %s, want it Ready, without a start and without counted releases", asJSON(got))
	}
	attempts := x.attempts(id)
	if len(attempts) != 7 {
		x.Fatalf("%d attempts, want 7", len(attempts))
	}
	for _, a := range attempts {
		if a.Outcome != "released" || a.StartedAt != nil || !strings.Contains(deref(a.Error), "not counted") || deref(a.WorkerName) != w.Name {
			x.Errorf("the attempt is %s, want released from %s, without a start, not counted", asJSON(a), w.Name)
		}
	}
	// If the begin of the next claim is recorded, its release counts.
	it := x.claimOne(w, id)
	x.wantIDs("refused", x.begin(w, ref(it)), nil)
	x.expireClaim(id)
	x.wantRescue(workqueue.RescueResult{Rescued: 1})
	if got := x.show(id); got.ReleaseCount != 1 || got.FirstStartedAt == nil {
		x.Errorf("the item is %s, want one release", asJSON(got))
	}
	// The begin of an earlier claim does not count for a later one. Claims can follow each other in
	// the same millisecond here; where a lease has expired, there is time between them.
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "FirstStartedAt" = %s WHERE "Id" = %d`, longAgo, id)
	x.claimOne(w, id)
	x.expireClaim(id)
	x.wantRescue(workqueue.RescueResult{Rescued: 1})
	if got := x.show(id); got.ReleaseCount != 1 || got.FirstStartedAt == nil {
		x.Errorf("the item is %s, want still one release", asJSON(got))
	}
}

func poisonStarted(x *fixture) {
	w := x.Worker(WorkerOpts{})
	for name, record := range map[string]func(ref workqueue.ItemRef) error{
		"Begin": func(ref workqueue.ItemRef) error {
			_, err := x.Store.Begin(x.ctx, workqueue.BeginParams{WorkerID: w.ID, InstanceID: w.InstanceID, Items: []workqueue.ItemRef{ref}})
			return err
		},
		"Beat": func(ref workqueue.ItemRef) error {
			refs := []workqueue.ItemRef{ref}
			_, err := x.Store.Beat(x.ctx, workqueue.BeatParams{WorkerID: w.ID, InstanceID: w.InstanceID, Lease: leaseTime, Held: refs, Started: refs})
			return err
		},
		"Progress": func(ref workqueue.ItemRef) error {
			_, err := x.Store.Progress(x.ctx, w.ID, w.InstanceID, []workqueue.ProgressNote{{ItemRef: ref, Step: "fetch"}})
			return err
		},
	} {
		it := x.claimOne(w, x.Item(ItemOpts{}).ID)
		other := x.claimOne(w, x.Item(ItemOpts{}).ID)
		x.mustBeat(w, ref(it), ref(other)) // renews both leases, records no begin
		if err := record(ref(it)); err != nil {
			x.Fatal(err)
		}
		x.expireClaim(it.ID)
		x.expireClaim(other.ID)
		x.wantRescue(workqueue.RescueResult{Rescued: 2})
		if n, ofOther := x.show(it.ID).ReleaseCount, x.show(other.ID).ReleaseCount; n != 1 || ofOther != 0 {
			x.Errorf("%s: %d deaths are counted for the item that has begun and %d for another item; want 1 and 0", name, n, ofOther)
		}
		for _, id := range []int64{it.ID, other.ID} {
			if err := Do(x.ctx, x.Store, workqueue.Cancel, id, "no longer needed"); err != nil {
				x.Fatal(err)
			}
		}
	}
}
