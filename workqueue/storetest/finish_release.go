package storetest

import (
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
