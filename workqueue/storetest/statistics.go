package storetest

import (
	"context"
	"errors"
	"time"

	"botwork/workqueue"
)

func statisticsTests() []test {
	return []test{
		{"an empty queue", statNothing},
		{"each end of a run", statRuns},
		{"actions of users", statChanges},
		{"poison", statPoison},
		{"a missed deadline", statExpired},
		{"a trimmed archive and a removed queue", statTrimmed},
		{"a queue with waiting items", statWaiting},
		{"a lost end counts nothing", statLost},
		{"random histories", statHistory},
		{"many processes at the same time", statContend},
		{"a recount corrects changes by hand", statRecount},
		{"two recounts at the same time correct once", statRecounts},
	}
}

// stats reads the figures of a queue.
func (x *fixture) stats(queue string) workqueue.QueueStatistics {
	x.Helper()
	all, err := x.Store.Statistics(x.ctx, queue)
	if err != nil || len(all) != 1 || all[0].Queue != queue {
		x.Fatalf("Statistics(%q) = %s, %v, want one queue", queue, asJSON(all), err)
	}
	return all[0]
}

// day returns the longest window, which covers the whole test.
func day(q workqueue.QueueStatistics) workqueue.WindowStatistics { return q.Windows[len(q.Windows)-1] }

// wantHappened checks the events that were counted in a queue since the test began, and
// that the counts of items match the listed items.
func (x *fixture) wantHappened(queue string, completed, failed, archived, deleted int64) {
	x.Helper()
	w := day(x.stats(queue))
	got := [4]int64{w.Completed, w.Failed, w.Archived, w.Deleted}
	if want := [4]int64{completed, failed, archived, deleted}; got != want {
		x.Errorf("queue %s: completed, failed, archived, deleted = %v, want %v", queue, got, want)
	}
	if err := keptIsCounted(x.ctx, x.Store); err != nil {
		x.Error(err)
	}
}

func statNothing(x *fixture) {
	before := x.stats(workqueue.DefaultQueue)
	for _, l := range workqueue.Lifecycles() {
		if n, ok := before.Items[l]; n != 0 || !ok {
			x.Errorf("%d items are %s (%t), want an entry of 0", n, l, ok)
		}
	}
	for _, s := range workqueue.States() {
		if n, ok := before.States[s.String()]; n != 0 || !ok {
			x.Errorf("%d items are %s (%t), want an entry of 0", n, s, ok)
		}
	}
	if before.OldestDueAt != nil || before.OldestWaiting != nil {
		x.Errorf("the oldest item waits since %s, want none", deref(before.OldestDueAt))
	}
	lengths := workqueue.StatisticsWindows()
	if len(before.Windows) != len(lengths) {
		x.Fatalf("%d windows, want %d", len(before.Windows), len(lengths))
	}
	for i, length := range lengths {
		w := before.Windows[i]
		if time.Duration(w.Window) != length || before.At.Sub(w.Since) < length {
			x.Errorf("window %s begins at %s, %s ago, want %s", time.Duration(w.Window), w.Since, before.At.Sub(w.Since), length)
		}
		if w.FailureRate != nil || w.MeanDuration != nil || w.P95Duration != nil {
			x.Errorf("window %s of an empty queue: %s, want no rates and durations", length, asJSON(w))
		}
	}
	if _, err := x.Store.Statistics(x.ctx, "nowhere"); !errors.Is(err, workqueue.ErrNotFound) {
		x.Errorf("Statistics of an unknown queue: %v, want ErrNotFound", err)
	}
}

func statRuns(x *fixture) {
	w := x.Worker(WorkerOpts{})
	x.finish(w, success(x.running(w, "")))
	x.wantHappened(workqueue.DefaultQueue, 1, 0, 0, 0)
	x.finish(w, failure(x.running(w, ""), workqueue.Ready))
	x.wantHappened(workqueue.DefaultQueue, 1, 1, 0, 0)
	x.finish(w, failure(x.running(w, ""), workqueue.Cancelled))
	x.wantHappened(workqueue.DefaultQueue, 1, 2, 1, 0)
	released := x.running(w, "")
	x.finish(w, workqueue.Finish{
		ItemID: released.ID, Fence: released.Fence, State: workqueue.Ready, Delay: time.Hour,
		Attempt: &workqueue.AttemptNote{Number: 1, Outcome: "released"},
	})
	x.wantHappened(workqueue.DefaultQueue, 1, 2, 1, 0)
	x.finish(w, asCopy(x.running(w, ""), 1))
	x.wantHappened(workqueue.DefaultQueue, 1, 3, 2, 0)

	unkept := success(x.running(w, ""))
	unkept.Retain = new(time.Duration)
	hidden := failure(x.running(w, ""), workqueue.Cancelled)
	hidden.Delete = workqueue.DeletionLogical
	dropped := failure(x.running(w, ""), workqueue.Cancelled)
	dropped.Delete = workqueue.DeletionPhysical
	x.finish(w, unkept, hidden, dropped)
	x.wantHappened(workqueue.DefaultQueue, 2, 5, 2, 1)

	window := day(x.stats(workqueue.DefaultQueue))
	if rate := window.FailureRate; rate == nil || *rate != 5.0/7 {
		x.Errorf("failure rate %s, want 5/7", deref(rate))
	}
	if window.MeanDuration == nil || window.P95Duration == nil || *window.MeanDuration < 0 {
		x.Errorf("durations %s and %s, want both", deref(window.MeanDuration), deref(window.P95Duration))
	}
}

func statChanges(x *fixture) {
	x.define("test", []string{"hides"}, workqueue.Queue{Name: "hides", QueueLife: workqueue.QueueLife{Deletion: workqueue.DeletionLogical}})
	var completed, failed, archived, deleted int64
	for _, queue := range []string{workqueue.DefaultQueue, "hides"} {
		completed, failed, archived, deleted = 0, 0, 0, 0
		for _, a := range workqueue.Actions() {
			for _, state := range workqueue.States() {
				it := x.Item(ItemOpts{State: state, Queue: queue, In: later(state)})
				switch state {
				case workqueue.Processed:
					completed++
				case workqueue.Cancelled:
					failed++
					archived++
				}
				if err := Do(x.ctx, x.Store, a, it.ID, "why"); err != nil {
					continue // changeEvery checks which actions are refused
				}
				switch {
				case a == workqueue.Cancel || a == workqueue.Archive:
					archived++
				case a == workqueue.Delete && queue == "hides":
					deleted++
				}
				x.wantHappened(queue, completed, failed, archived, deleted)
			}
		}
	}
	// Restore the hidden items, and archive all of them in pages.
	hides := workqueue.ItemFilter{QueueName: "hides", Lifecycles: workqueue.Lifecycles()}
	x.changeAll(hides, workqueue.Change{Action: workqueue.Repeat})
	x.wantHappened("hides", completed, failed, archived, deleted)
	before := x.stats("hides").Items
	x.changeAll(hides, workqueue.Change{Action: workqueue.Archive})
	after := x.stats("hides").Items
	x.wantHappened("hides", completed, failed, archived+after[workqueue.LifeArchived]-before[workqueue.LifeArchived], deleted)
	x.changeAll(workqueue.ItemFilter{QueueName: workqueue.DefaultQueue}, workqueue.Change{Action: workqueue.Delete})
	if q := x.stats(workqueue.DefaultQueue); q.Items[workqueue.LifeCompleted]+q.Items[workqueue.LifeArchived]+q.Items[workqueue.LifeDeleted] != 0 {
		x.Errorf("after all items were deleted, the counts are %s", asJSON(q.Items))
	}
}

func statPoison(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.running(w, "")
	x.expire(it.ID)
	x.rescue()
	x.wantHappened(workqueue.DefaultQueue, 0, 0, 0, 0)
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "ReleaseCount" = 4 WHERE "Id" = %d`, it.ID)
	x.Assign(w, it.ID)
	x.claim(w, 1)
	x.expire(it.ID)
	x.wantRescue(workqueue.RescueResult{Rescued: 1, Poisoned: 1})
	x.wantHappened(workqueue.DefaultQueue, 0, 0, 1, 0)
}

func statExpired(x *fixture) {
	it := x.Item(ItemOpts{Deadline: time.Now().Add(time.Hour)})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeadlineAt" = %s WHERE "Id" = %d`, longAgo, it.ID)
	x.pass(func(ctx context.Context, tx workqueue.AssignTx) error {
		_, err := tx.Expire(ctx)
		return err
	})
	x.wantHappened(workqueue.DefaultQueue, 0, 0, 1, 0)

	x.define("test", []string{"brief"}, workqueue.Queue{Name: "brief", QueueLife: workqueue.QueueLife{OnExpiry: workqueue.ExpiryRemove}})
	x.overdue(3, ItemOpts{Queue: "brief"})
	x.wantExpired(3)
	x.wantHappened("brief", 0, 0, 3, 0)
	if n := x.stats("brief").Items[workqueue.LifeArchived]; n != 0 {
		x.Errorf("%d items are archived, want none: all were removed", n)
	}
	if err := figuresAreSound(x.ctx, x.Store); err != nil {
		x.Error(err)
	}
}

func statTrimmed(x *fixture) {
	x.archiveOf("small", 3)
	w := x.Worker(WorkerOpts{})
	for range 5 {
		end := failure(x.running(w, "small"), workqueue.Cancelled)
		end.QueueName = "small"
		x.finish(w, end)
	}
	x.wantHappened("small", 0, 5, 5, 0)
	if n := x.stats("small").Items[workqueue.LifeArchived]; n != 3 {
		x.Errorf("%d items are archived, want 3, the limit", n)
	}
	x.changeAll(workqueue.ItemFilter{QueueName: "small"}, workqueue.Change{Action: workqueue.Delete})
	if err := x.Store.DeleteQueue(x.ctx, "small"); err != nil {
		x.Fatal(err)
	}
	x.archiveOf("small", 3) // a new queue with the same name
	x.wantHappened("small", 0, 0, 0, 0)
}

func statWaiting(x *fixture) {
	oldest := x.Item(ItemOpts{State: workqueue.Pending})
	x.Item(ItemOpts{})
	x.Item(ItemOpts{In: time.Hour})
	x.Item(ItemOpts{Deadline: time.Now().Add(2 * time.Hour)})
	x.running(x.Worker(WorkerOpts{}), "")
	w := x.Worker(WorkerOpts{})
	x.finish(w, failure(x.running(w, ""), workqueue.Ready))
	x.Item(ItemOpts{State: workqueue.Assigned})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "AvailableAt" = %s WHERE "Id" = %d`, longAgo, oldest.ID)
	q := x.stats(workqueue.DefaultQueue)
	want := map[workqueue.Lifecycle]int64{
		workqueue.LifePending: 3, workqueue.LifeScheduled: 1, workqueue.LifeRetry: 1, workqueue.LifeAssigned: 1,
		workqueue.LifeActive: 1, workqueue.LifeCompleted: 0, workqueue.LifeArchived: 0, workqueue.LifeDeleted: 0,
	}
	if asJSON(q.Items) != asJSON(want) {
		x.Errorf("items = %s, want %s", asJSON(q.Items), asJSON(want))
	}
	due := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	if q.OldestDueAt == nil || !q.OldestDueAt.Equal(due) || time.Duration(*q.OldestWaiting) != q.At.Sub(due) {
		x.Errorf("the oldest item waits since %s, %s, want since %s", deref(q.OldestDueAt), deref(q.OldestWaiting), due)
	}
	if err := keptIsCounted(x.ctx, x.Store); err != nil {
		x.Error(err)
	}
}

// An end that is late, or repeated, does not count.
func statLost(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.running(w, "")
	stale := success(it)
	stale.Fence--
	x.wantIDs("lost", x.finish(w, stale), []int64{it.ID})
	x.wantHappened(workqueue.DefaultQueue, 0, 0, 0, 0)
	x.finish(w, success(it))
	x.wantIDs("lost", x.finish(w, success(it), failure(it, workqueue.Cancelled)), []int64{it.ID})
	x.wantHappened(workqueue.DefaultQueue, 1, 0, 0, 0)
}
