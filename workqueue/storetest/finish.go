package storetest

import (
	"math"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
)

func finishTests() []test {
	return []test{
		{"nothing", finishNothing},
		{"success", finishSuccess},
		{"success without values from the claim", finishShort},
		{"failure with attempts left", finishRetry},
		{"failure without attempts left", finishCancel},
		{"the fields of an attempt", finishAttempt},
		{"a release clears only the worker", finishRelease},
		{"a snooze does not count as a failure", finishSnooze},
		{"the reason of a snooze is shown while the item waits", finishSnoozeReason},
		{"output is kept until a run succeeds", finishOutput},
		{"a lease that is not held changes nothing", finishLost},
		{"the same end twice", finishTwice},
		{"two claims of one item in one batch", finishTwoFences},
		{"all kinds in one batch", finishMixed},
		{"hundreds of large outputs", finishMany},
		{"texts that no column can store do no harm", finishTexts},
		{"the longest delay", finishLongDelay},
	}
}

func finishNothing(x *fixture) {
	x.wantIDs("lost", x.finish(x.Worker(WorkerOpts{})), nil)
}

// success is the end of a successful run, as a worker sends it.
func success(it workqueue.Item) workqueue.Finish {
	end := workqueue.Finish{
		Pipeline: it.IntegrationConfig, Priority: it.Priority, DueAt: it.AvailableAt,
		ItemID: it.ID, Fence: it.Fence, QueueName: it.QueueName,
		State: workqueue.Processed, RetryCount: it.RetryCount, Output: `{"done":true}`,
	}
	if it.StartedAt != nil {
		end.StartedAt = *it.StartedAt
	}
	return end
}

// failure is the end of a failed run, with attempts left if next is Ready and
// without if it is Cancelled.
func failure(it workqueue.Item, next workqueue.State) workqueue.Finish {
	return workqueue.Finish{
		Pipeline: it.IntegrationConfig, Priority: it.Priority, DueAt: it.AvailableAt,
		ItemID: it.ID, Fence: it.Fence, State: next, RetryCount: it.RetryCount + 1, Delay: time.Hour,
		Error: "no such host", ErrorKind: workqueue.KindError,
		Attempt: &workqueue.AttemptNote{Number: it.Attempt(), Outcome: "failed", Step: "fetch"},
	}
}

func finishSuccess(x *fixture) {
	w := x.Worker(WorkerOpts{})
	// The item has failed once: the error must be cleared, the count stays.
	first := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.finish(w, failure(first, workqueue.Ready))
	x.dueNow(first.ID)
	x.Assign(w, first.ID)
	it := x.claim(w, 1)[0]
	x.wantIDs("lost", x.finish(w, success(it)), nil)
	got := x.show(it.ID)
	x.wantClean("FinishedAt", got.FinishedAt)
	want := it
	want.State, want.Output, want.FinishedAt, want.LeaseExpiresAt, want.Error, want.ErrorKind = workqueue.Processed, `{"done":true}`, got.FinishedAt, nil, nil, nil
	want.Lifecycle = workqueue.LifeCompleted
	if asJSON(got) != asJSON(want) {
		x.Errorf("the finished item is\n     %s\nwant %s", asJSON(got), asJSON(want))
	}
	if n := len(x.attempts(it.ID)); n != 1 || got.RetryCount != 1 {
		x.Errorf("%d attempts and RetryCount %d, want only the previous failure: a success writes no attempt", n, got.RetryCount)
	}
}

// A store may use a shorter statement if a worker sends values of its claim with the end.
func finishShort(x *fixture) {
	w := x.Worker(WorkerOpts{})
	x.Items(4, ItemOpts{State: workqueue.Assigned, Worker: w})
	it := x.claim(w, 4)
	var ends []workqueue.Finish
	for i := range it {
		end := success(it[i])
		end.Retain = []*time.Duration{nil, new(time.Hour)}[i%2]
		end.PipelineHash = textOf("import", "one").Hash
		if i < 2 {
			end.QueueName, end.StartedAt = "", time.Time{}
		}
		ends = append(ends, end)
	}
	x.wantIDs("lost", x.finish(w, ends[:2]...), nil)
	x.wantIDs("lost with values of the claim", x.finish(w, ends[2:]...), nil)
	for i := range 2 {
		without, with := x.show(it[i].ID), x.show(it[i+2].ID)
		for _, end := range []*workqueue.Item{&without, &with} {
			x.wantClean("FinishedAt", end.FinishedAt)
			if end.RetainUntil != nil {
				*end.RetainUntil = time.Time{}.Add(end.RetainUntil.Sub(*end.FinishedAt))
			}
		}
		with.ID, with.IdempotencyKey, with.RunOrder, with.FinishedAt = without.ID, without.IdempotencyKey, without.RunOrder, without.FinishedAt
		if asJSON(with) != asJSON(without) {
			x.Errorf("the finished item is\n     %s\nwant, as without values of the claim, %s", asJSON(with), asJSON(without))
		}
	}
}

func finishRetry(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.wantIDs("lost", x.finish(w, failure(it, workqueue.Ready)), nil)
	later := x.Item(ItemOpts{}) // its CreatedAt is a later time of the same clock
	got := x.show(it.ID)
	want := it
	want.State, want.RetryCount, want.AvailableAt = workqueue.Ready, 1, got.AvailableAt
	want.Lifecycle = workqueue.LifeRetry
	want.WorkerID, want.AssignedAt, want.LeaseExpiresAt = nil, nil, nil
	text, kind := "no such host", workqueue.KindError
	want.Error, want.ErrorKind = &text, &kind
	if asJSON(got) != asJSON(want) {
		x.Errorf("the failed item is\n     %s\nwant %s", asJSON(got), asJSON(want))
	}
	if from, to := it.StartedAt.Add(time.Hour), later.CreatedAt.Add(time.Hour); got.AvailableAt.Before(from) || got.AvailableAt.After(to) {
		x.Errorf("AvailableAt = %s, want an hour after the failure: %s to %s", got.AvailableAt, from, to)
	}
	x.wantIDs("due items", x.due(workqueue.EveryPriority, 10), []int64{later.ID})
}

func finishCancel(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.wantIDs("lost", x.finish(w, failure(it, workqueue.Cancelled)), nil)
	got := x.show(it.ID)
	x.wantClean("FinishedAt", got.FinishedAt)
	want := it
	text, kind := "no such host", workqueue.KindError
	want.State, want.RetryCount, want.FinishedAt, want.LeaseExpiresAt, want.Error, want.ErrorKind = workqueue.Cancelled, 1, got.FinishedAt, nil, &text, &kind
	want.Lifecycle = workqueue.LifeArchived
	if asJSON(got) != asJSON(want) {
		x.Errorf("the cancelled item is\n     %s\nwant %s", asJSON(got), asJSON(want))
	}
}

func finishAttempt(x *fixture) {
	w := x.Worker(WorkerOpts{Name: "ann"})
	it := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.finish(w, failure(it, workqueue.Cancelled))
	got, name := x.attempts(it.ID), "ann"
	if len(got) != 1 {
		x.Fatalf("%d attempts, want 1", len(got))
	}
	step, text, kind := "fetch", "no such host", workqueue.KindError
	want := workqueue.Attempt{
		ID: got[0].ID, ItemID: it.ID, Attempt: 1, Fence: 1, Outcome: "failed", WorkerID: &w.ID, WorkerName: &name, Host: &w.Host,
		Step: &step, Error: &text, ErrorKind: &kind, StartedAt: it.StartedAt, FinishedAt: got[0].FinishedAt,
	}
	if asJSON(got[0]) != asJSON(want) {
		x.Errorf("the attempt is\n     %s\nwant %s", asJSON(got[0]), asJSON(want))
	}
}

func finishLost(x *fixture) {
	w := x.Worker(WorkerOpts{})
	stale := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "Fence" = "Fence" + 1 WHERE "Id" = %d`, stale.ID)
	stale.Fence++
	held := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	notHeld := []workqueue.Item{stale, x.Item(ItemOpts{State: workqueue.Blocked})} // the second is of another worker
	for _, s := range []workqueue.State{workqueue.Ready, workqueue.Pending, workqueue.Processed, workqueue.Cancelled, workqueue.Assigned} {
		notHeld = append(notHeld, x.Item(ItemOpts{State: s, Worker: w, Priority: 1 + int(s)}))
	}
	ends := []workqueue.Finish{{ItemID: 4711, Fence: 1, State: workqueue.Processed}}
	want := []int64{4711}
	var attempts int
	for i, it := range notHeld {
		end := failure(it, workqueue.Ready)
		if i == 0 {
			end.Fence-- // the fence before the last claim
		}
		ends, want = append(ends, end), append(want, it.ID)
		attempts += len(x.attempts(it.ID))
	}
	x.wantIDs("lost", x.finish(w, ends...), want)
	for _, it := range notHeld {
		x.wantSame(it)
		attempts -= len(x.attempts(it.ID))
	}
	if attempts != 0 {
		x.Errorf("%d attempts were written for lost leases", -attempts)
	}
	// One end with a held lease, among successes without a lease.
	ends = []workqueue.Finish{success(held)}
	for _, it := range notHeld {
		ends = append(ends, success(it))
	}
	ends[1].Fence--
	x.wantIDs("lost of successes", x.finish(w, ends...), want[1:])
	for _, it := range notHeld {
		x.wantSame(it)
	}
	x.wantState(workqueue.Processed, held.ID)
}

func finishTwice(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.wantIDs("lost at first", x.finish(w, failure(it, workqueue.Cancelled)), nil)
	before := x.show(it.ID)
	x.wantIDs("lost the second time", x.finish(w, failure(it, workqueue.Cancelled)), []int64{it.ID})
	x.wantSame(before)
	if n := len(x.attempts(it.ID)); n != 1 {
		x.Errorf("%d attempts, want 1", n)
	}
}

// A run that lost its lease may end at the same time as the next run of the
// item, on the same worker.
func finishTwoFences(x *fixture) {
	w := x.Worker(WorkerOpts{})
	first := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.finish(w, workqueue.Finish{ItemID: first.ID, Fence: first.Fence, State: workqueue.Ready})
	x.Assign(w, first.ID)
	second := x.claim(w, 1)[0]
	x.wantIDs("lost", x.finish(w, success(second), failure(first, workqueue.Ready)), []int64{first.ID})
	x.wantState(workqueue.Processed, first.ID)
	if n := len(x.attempts(first.ID)); n != 0 {
		x.Errorf("the lost run wrote %d attempts, want none", n)
	}
}

func finishMixed(x *fixture) {
	w := x.Worker(WorkerOpts{})
	x.Items(5, ItemOpts{State: workqueue.Assigned, Worker: w})
	it := x.claim(w, 5)
	snooze := workqueue.Finish{
		ItemID: it[2].ID, Fence: it[2].Fence, State: workqueue.Ready, Delay: time.Minute,
		Error: "not yet", Attempt: &workqueue.AttemptNote{Number: 1, Outcome: "snoozed"},
	}
	lost := success(it[3])
	lost.Fence = 99
	x.wantIDs("lost", x.finish(w, failure(it[0], workqueue.Ready), success(it[1]), snooze, lost, failure(it[4], workqueue.Cancelled)), []int64{it[3].ID})
	x.wantState(workqueue.Ready, it[0].ID, it[2].ID)
	x.wantState(workqueue.Processed, it[1].ID)
	x.wantState(workqueue.Cancelled, it[4].ID)
	x.wantSame(it[3])
	for i, want := range []int{1, 0, 1, 0, 1} {
		if got := len(x.attempts(it[i].ID)); got != want {
			x.Errorf("item %d of the batch has %d attempts, want %d", i, got, want)
		}
	}
	if got := x.show(it[2].ID).RetryCount; got != 0 {
		x.Errorf("RetryCount is %d after a snooze, want 0", got)
	}
}

func finishMany(x *fixture) {
	const n = 500
	w := x.Worker(WorkerOpts{})
	x.Items(n, ItemOpts{State: workqueue.Assigned, Worker: w})
	output := workqueue.JSONText(`{"text": "` + strings.Repeat("größe 🚀 ", 1000) + `"}`)
	var ends []workqueue.Finish
	for _, it := range x.claim(w, n) {
		end := success(it)
		end.Output = output
		ends = append(ends, end)
	}
	x.wantIDs("lost", x.finish(w, ends...), nil)
	x.exec(n, `UPDATE "BotWorkQueueItems" SET "Progress" = 'checked' WHERE "State" = 2`)
	if got := x.show(ends[n-1].ItemID).Output; got != output {
		x.Errorf("the last output has %d bytes, want the same %d bytes", len(got), len(output))
	}
}

func finishTexts(x *fixture) {
	w := x.Worker(WorkerOpts{})
	x.Items(2, ItemOpts{State: workqueue.Assigned, Worker: w})
	it := x.claim(w, 2)
	bad := failure(it[0], workqueue.Cancelled)
	bad.Error = "exit 1: \x00\xff and " + strings.Repeat("a long story 🚀 ", 10_000)
	bad.Attempt.Step = strings.Repeat("step 🚀 ", 100)
	good := success(it[1])
	good.Output = "\x00"
	x.wantIDs("lost", x.finish(w, bad, good), nil)
	want := strings.Replace(bad.Error, "\x00\xff", "\uFFFD\uFFFD", 1)
	if got := x.show(it[0].ID).Error; deref(got) != want {
		x.Errorf("Error = %.80q of %d bytes, want %.80q of %d", deref(got), len(deref(got)), want, len(want))
	}
	if a := x.attempts(it[0].ID); len(a) != 1 || !strings.HasPrefix(bad.Attempt.Step, deref(a[0].Step)) || len(deref(a[0].Step)) < 100 {
		x.Errorf("attempts = %.300s, want one with the truncated name of the step", asJSON(a))
	}
	x.wantState(workqueue.Processed, it[1].ID)
}

func finishLongDelay(x *fixture) {
	w := x.Worker(WorkerOpts{})
	x.Items(2, ItemOpts{State: workqueue.Assigned, Worker: w})
	ends := []workqueue.Finish{}
	for _, it := range x.claim(w, 2) {
		end := failure(it, workqueue.Ready)
		end.Delay = math.MaxInt64
		ends = append(ends, end)
	}
	ends[1].Delay = 100 * 365 * 24 * time.Hour
	x.wantIDs("lost", x.finish(w, ends...), nil)
	items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{})
	if err != nil || slices.ContainsFunc(items, func(it workqueue.Item) bool { return it.AvailableAt.Before(it.CreatedAt.AddDate(60, 0, 0)) }) {
		x.Errorf("items = %s (error %v), want both due in the far future", asJSON(items), err)
	}
}
