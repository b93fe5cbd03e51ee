package storetest

import (
	"maps"
	"time"

	"botwork/workqueue"
)

// shown is the output that the first run of an item sets before it fails.
const shown workqueue.JSONText = `{"rows":500}`

// failedOnce returns a running item whose first run has set its output and failed.
func (x *fixture) failedOnce(w workqueue.Worker) workqueue.Item {
	x.Helper()
	first := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.progress(w, workqueue.ProgressNote{ItemRef: ref(first), Output: shown})
	end := failure(first, workqueue.Ready)
	end.Delay = 0
	x.finish(w, end)
	x.Assign(w, first.ID)
	return x.claim(w, 1)[0]
}

// uncounted is the end of a run that does not count as an attempt, as a worker writes it:
// the item keeps the error of its last failure.
func uncounted(it workqueue.Item, outcome, reason string) workqueue.Finish {
	return workqueue.Finish{
		ItemID: it.ID, Fence: it.Fence, State: workqueue.Ready, RetryCount: it.RetryCount,
		Error: deref(it.Error), ErrorKind: *it.ErrorKind,
		Attempt: &workqueue.AttemptNote{Number: it.Attempt(), Outcome: outcome, Step: "fetch", Reason: reason},
	}
}

// The release of a run, or of a claim that never began, keeps the item's output, its last
// failure and the time since which it waits.
func finishRelease(x *fixture) {
	w := x.Worker(WorkerOpts{})
	for _, c := range []struct {
		name string
		end  func(workqueue.Item) workqueue.Finish
	}{
		{"a run", func(it workqueue.Item) workqueue.Finish { return uncounted(it, "released", "the worker is draining") }},
		{"a claim", func(it workqueue.Item) workqueue.Finish {
			end := uncounted(it, "released", "")
			end.Attempt = nil
			return end
		}},
	} {
		it := x.failedOnce(w)
		if it.Output != shown || it.Error == nil {
			x.Fatalf("the item is %s, want the output and the error of its first run", asJSON(it))
		}
		// The item has waited for a long time: other items must not overtake it.
		x.exec(1, `UPDATE "BotWorkQueueItems" SET "AvailableAt" = %s WHERE "Id" = %d`, longAgo, it.ID)
		want := x.show(it.ID)
		x.wantIDs("lost", x.finish(w, c.end(it)), nil)
		want.State, want.Lifecycle = workqueue.Ready, workqueue.LifePending
		want.WorkerID, want.AssignedAt, want.LeaseExpiresAt = nil, nil, nil
		if c.name == "a claim" {
			want.StartedAt = nil
		}
		if got := x.show(it.ID); asJSON(got) != asJSON(want) {
			x.Errorf("release of %s: the item is\n     %s\nwant %s", c.name, asJSON(got), asJSON(want))
		}
	}
}

func finishSnooze(x *fixture) {
	w := x.Worker(WorkerOpts{})
	for _, reason := range []string{"the file does not exist yet", ""} {
		it := x.failedOnce(w)
		end := uncounted(it, "snoozed", reason)
		end.Delay = time.Hour
		x.wantIDs("lost", x.finish(w, end), nil)
		got := x.show(it.ID)
		if deref(got.Error) != "no such host" || got.Output != shown || got.RetryCount != 1 {
			x.Errorf("the snoozed item is %s, want the error, the output and the retry count of its first run", asJSON(got))
		}
		if wait := got.AvailableAt.Sub(*it.StartedAt); wait < time.Hour {
			x.Errorf("due %v after the run began, want an hour", wait)
		}
		if got.SnoozeReason == nil || *got.SnoozeReason != reason {
			x.Errorf("the snoozed item has the reason %s, want %q", deref(got.SnoozeReason), reason)
		}
		attempts := x.attempts(it.ID)
		if len(attempts) != 2 {
			x.Fatalf("%d attempts, want the failure and the snooze", len(attempts))
		}
		if a := attempts[0]; deref(a.Error) != "no such host" || a.Reason != nil {
			x.Errorf("the failure is recorded as %s, want its error and no reason", asJSON(a))
		}
		want := "NULL"
		if reason != "" {
			want = reason
		}
		if a := attempts[1]; deref(a.Reason) != want || a.Error != nil || a.ErrorKind != nil || deref(a.Step) != "fetch" {
			x.Errorf("the snooze is recorded as %s, want the reason %s and no error", asJSON(a), want)
		}
	}
}

// Only an item that waits because its latest run was snoozed has the reason of a snooze.
func finishSnoozeReason(x *fixture) {
	w := x.Worker(WorkerOpts{})
	snoozed := func(reason string) workqueue.Item {
		it := x.failedOnce(w)
		end := uncounted(it, "snoozed", reason)
		end.Delay = time.Hour
		x.finish(w, end)
		return it
	}
	again := func(it workqueue.Item) workqueue.Item {
		x.exec(1, `UPDATE "BotWorkQueueItems" SET "AvailableAt" = %s WHERE "Id" = %d`, longAgo, it.ID)
		x.Assign(w, it.ID)
		return x.claim(w, 1)[0]
	}
	two := snoozed("the first file is missing")
	end := uncounted(again(two), "snoozed", "the second file is missing")
	end.Delay = time.Hour
	x.finish(w, end)
	failed := snoozed("not the last attempt")
	x.finish(w, failure(again(failed), workqueue.Ready))
	due := snoozed("due")
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "AvailableAt" = %s WHERE "Id" = %d`, longAgo, due.ID)
	repeated := snoozed("before it was repeated")
	for _, a := range []workqueue.Action{workqueue.Cancel, workqueue.Repeat} {
		if err := Do(x.ctx, x.Store, a, repeated.ID, ""); err != nil {
			x.Fatal(err)
		}
	}
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "AvailableAt" = %s WHERE "Id" = %d`, farAway, repeated.ID)
	running := again(snoozed("before it runs"))
	silent := snoozed("")
	want := map[int64]string{
		two.ID: "the second file is missing", failed.ID: "NULL", due.ID: "NULL", repeated.ID: "NULL", running.ID: "NULL", silent.ID: "",
	}
	all, err := x.Store.Items(x.ctx, workqueue.ItemFilter{})
	if err != nil {
		x.Fatal(err)
	}
	sorted, err := x.Store.Items(x.ctx, workqueue.ItemFilter{Sort: workqueue.ItemSort{By: workqueue.SortDue}})
	if err != nil {
		x.Fatal(err)
	}
	for name, items := range map[string][]workqueue.Item{"the list": all, "the list by due": sorted} {
		got := map[int64]string{}
		for i := range items {
			got[items[i].ID] = deref(items[i].SnoozeReason)
		}
		if !maps.Equal(got, want) {
			x.Errorf("%s has the reasons %v, want %v", name, got, want)
		}
	}
	for id, reason := range want {
		if got := deref(x.show(id).SnoozeReason); got != reason {
			x.Errorf("item %d has the reason %q, want %q", id, got, reason)
		}
	}
}

func finishOutput(x *fixture) {
	w := x.Worker(WorkerOpts{})
	for _, c := range []struct {
		name string
		end  func(workqueue.Item) workqueue.Finish
		want workqueue.JSONText
	}{
		{"a failure with attempts left", func(it workqueue.Item) workqueue.Finish { return failure(it, workqueue.Ready) }, shown},
		{"a last failure", func(it workqueue.Item) workqueue.Finish { return failure(it, workqueue.Cancelled) }, shown},
		{"a failure with a new output", func(it workqueue.Item) workqueue.Finish {
			end := failure(it, workqueue.Ready)
			end.Output = `{"rows":700}`
			return end
		}, `{"rows":700}`},
		{"a success", success, `{"done":true}`},
		{"a success without output", func(it workqueue.Item) workqueue.Finish {
			end := success(it)
			end.Output = ""
			return end
		}, ""},
	} {
		it := x.failedOnce(w)
		x.wantIDs("lost", x.finish(w, c.end(it)), nil)
		if got := x.show(it.ID).Output; got != c.want {
			x.Errorf("%s: the output is %s, want %s", c.name, got, c.want)
		}
	}
}
