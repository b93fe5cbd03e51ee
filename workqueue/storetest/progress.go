package storetest

import (
	"strings"

	"botwork/workqueue"
)

func progressTests() []test {
	return []test{
		{"nothing", progressNothing},
		{"the progress of a run", progressRecorded},
		{"values that are not set do not change", progressStays},
		{"a lease that is not held changes nothing", progressLost},
		{"a replaced instance changes nothing", progressReplaced},
		{"a claim resets the progress", progressCleared},
		{"the end of a run sets the last progress", progressFinish},
		{"a rescue keeps the progress", progressRescue},
		{"texts that no column can store", progressTexts},
		{"the times of steps", progressTimes},
	}
}

// progress records the progress of runs and returns the ids of lost items.
func (x *fixture) progress(w workqueue.Worker, notes ...workqueue.ProgressNote) []int64 {
	x.Helper()
	lost, err := x.Store.Progress(x.ctx, w.ID, w.InstanceID, notes)
	if err != nil {
		x.Fatal(err)
	}
	return lost
}

// wantProgress checks the progress of an item.
func (x *fixture) wantProgress(id int64, step, progress, tail string) {
	x.Helper()
	it := x.show(id)
	if deref(it.Step) != step || deref(it.Progress) != progress || deref(it.LogTail) != tail {
		x.Errorf("item %d: step %s, progress %s, log tail %s; want %s, %s and %s",
			id, deref(it.Step), deref(it.Progress), deref(it.LogTail), step, progress, tail)
	}
}

func halfway(it workqueue.Item) workqueue.ProgressNote {
	return workqueue.ProgressNote{ItemRef: ref(it), Step: "load", Progress: "half", LogTail: "INF read 10 rows\n"}
}

func progressNothing(x *fixture) {
	x.wantIDs("lost", x.progress(x.Worker(WorkerOpts{})), nil)
}

func progressRecorded(x *fixture) {
	w := x.Worker(WorkerOpts{})
	one, two := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w}), x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	bystander := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	other := halfway(two)
	other.Step = "save"
	x.wantIDs("lost", x.progress(w, other, halfway(one)), nil)
	x.wantProgress(one.ID, "load", "half", "INF read 10 rows\n")
	x.wantProgress(two.ID, "save", "half", "INF read 10 rows\n")
	x.wantSame(bystander)
	want := one
	got := x.show(one.ID)
	want.Step, want.Progress, want.LogTail = got.Step, got.Progress, got.LogTail
	x.wantSame(want)
}

func progressStays(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.progress(w, halfway(it))
	x.progress(w, workqueue.ProgressNote{ItemRef: ref(it), Step: "save"})
	x.wantProgress(it.ID, "save", "half", "INF read 10 rows\n")
}

func progressLost(x *fixture) {
	w := x.Worker(WorkerOpts{})
	old := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "Fence" = "Fence" + 1 WHERE "Id" = %d`, old.ID)
	foreign := x.Item(ItemOpts{State: workqueue.Blocked})
	done := x.Item(ItemOpts{State: workqueue.Processed, Worker: w})
	good := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w, Priority: 7})
	lost := x.progress(w, halfway(old), halfway(foreign), halfway(done), halfway(good), workqueue.ProgressNote{ItemRef: workqueue.ItemRef{ItemID: 4711}})
	x.wantIDs("lost", lost, []int64{old.ID, foreign.ID, done.ID, 4711})
	for _, it := range []workqueue.Item{old, foreign, done} {
		x.wantProgress(it.ID, "NULL", "NULL", "NULL")
	}
	x.wantProgress(good.ID, "load", "half", "INF read 10 rows\n")
}

func progressReplaced(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.exec(1, `UPDATE "BotWorkers" SET "InstanceId" = 'another' WHERE "Id" = %d`, w.ID)
	x.wantIDs("lost", x.progress(w, halfway(it)), []int64{it.ID})
	x.wantIDs("lost by a finish", x.finish(w, success(it)), []int64{it.ID})
	x.wantIDs("lost by a failure", x.finish(w, failure(it, workqueue.Ready)), []int64{it.ID})
	x.wantSame(it)
	if n := len(x.attempts(it.ID)); n != 0 {
		x.Errorf("%d attempts recorded, want none", n)
	}
}

func progressCleared(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.progress(w, halfway(it))
	x.finish(w, failure(it, workqueue.Ready))
	x.wantProgress(it.ID, "load", "half", "INF read 10 rows\n") // until it runs again
	x.dueNow(it.ID)
	x.Assign(w, it.ID)
	again := x.claim(w, 1)[0]
	x.wantProgress(it.ID, "NULL", "NULL", "NULL")
	if again.FirstStartedAt == nil || !again.FirstStartedAt.Equal(*it.StartedAt) {
		x.Errorf("FirstStartedAt = %s at the second attempt, want the start of the first, %s", deref(again.FirstStartedAt), it.StartedAt)
	}
}

func progressFinish(x *fixture) {
	w := x.Worker(WorkerOpts{Name: "ann"})
	good, bad := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w}), x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	logged, silent := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w}), x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.progress(w, halfway(good), halfway(bad), halfway(logged), halfway(silent))
	well, badly := success(good), failure(bad, workqueue.Ready)
	well.Progress, well.Step, well.LogTail = "all of it", "save", "INF saved\n"
	badly.Progress, badly.Step, badly.LogTail, badly.Attempt.Step = "three quarters", "save", "ERR no such host\n", ""
	x.wantIDs("lost", x.finish(w, well, badly), nil)
	x.wantProgress(good.ID, "NULL", "all of it", "INF saved\n")
	plain, quiet := success(logged), success(silent)
	plain.LogTail = "INF \"saved\"\nol\u00e1\n"
	x.wantIDs("lost", x.finish(w, plain, quiet), nil)
	x.wantProgress(logged.ID, "NULL", "half", "INF \"saved\"\nol\u00e1\n")
	x.wantProgress(silent.ID, "NULL", "half", "NULL")
	x.wantProgress(bad.ID, "save", "three quarters", "ERR no such host\n")
	x.wantAttempt(bad.ID, w, "failed", "save", "three quarters", "ERR no such host\n")
}

func progressRescue(x *fixture) {
	w := x.Worker(WorkerOpts{Name: "ann"})
	it := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	x.progress(w, halfway(it))
	x.expire(it.ID)
	x.rescue()
	x.wantState(workqueue.Ready, it.ID)
	x.wantAttempt(it.ID, w, "rescued", "load", "half", "INF read 10 rows\n")
}

// wantAttempt checks the machine, the outcome and the progress of an item's only
// attempt.
func (x *fixture) wantAttempt(id int64, w workqueue.Worker, outcome, step, progress, tail string) {
	x.Helper()
	got := x.attempts(id)
	if len(got) != 1 {
		x.Fatalf("item %d: %d attempts, want 1", id, len(got))
	}
	a := got[0]
	for _, f := range []struct{ what, got, want string }{
		{"outcome", a.Outcome, outcome}, {"worker", deref(a.WorkerName), w.Name}, {"host", deref(a.Host), w.Host},
		{"step", deref(a.Step), step}, {"progress", deref(a.Progress), progress}, {"log tail", deref(a.LogTail), tail},
	} {
		if f.got != f.want {
			x.Errorf("item %d: the attempt's %s is %q, want %q", id, f.what, f.got, f.want)
		}
	}
}

func progressTexts(x *fixture) {
	w := x.Worker(WorkerOpts{})
	it := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	note := workqueue.ProgressNote{
		ItemRef: ref(it), Step: strings.Repeat("s", 300), Progress: strings.Repeat("\U0001F916", 600), LogTail: "a\x00b\xff" + strings.Repeat("long ", 10_000),
	}
	x.wantIDs("lost", x.progress(w, note), nil)
	got := x.show(it.ID)
	if n := len(deref(got.Step)); n != 200 {
		x.Errorf("the step has %d characters, want 200, the size of its column", n)
	}
	if n := strings.Count(deref(got.Progress), "\U0001F916"); n != 500 {
		x.Errorf("the progress has %d robots, want the 500 that fit into 1,000 UTF-16 units", n)
	}
	if tail := deref(got.LogTail); !strings.HasPrefix(tail, "a\uFFFDb\uFFFDlong long") || len(tail) < 50_000 {
		x.Errorf("the log tail is %.40q… of %d bytes, want the complete text with unsupported characters replaced", tail, len(tail))
	}
}

// The times of the steps stay when the item succeeds. A failure keeps them with the attempt, and the next claim
// begins without.
func progressTimes(x *fixture) {
	const part, whole workqueue.JSONText = `[{"step":"load","ms":7}]`, `[{"step":"load","ms":7},{"step":"sa\"ve","ms":1200}]`
	w := x.Worker(WorkerOpts{})
	want := func(id int64, times workqueue.JSONText) {
		x.Helper()
		if got := x.show(id).StepTimes; got != times {
			x.Errorf("item %d: the times of its steps are %q, want %q", id, got, times)
		}
	}
	good, silent, bad := x.Item(ItemOpts{State: workqueue.Blocked, Worker: w}), x.Item(ItemOpts{State: workqueue.Blocked, Worker: w}), x.Item(ItemOpts{State: workqueue.Blocked, Worker: w})
	for _, it := range []workqueue.Item{good, silent, bad} {
		x.progress(w, workqueue.ProgressNote{ItemRef: ref(it), Step: "load", StepTimes: part})
		want(it.ID, part)
	}
	x.progress(w, workqueue.ProgressNote{ItemRef: ref(good), Step: "save"})
	want(good.ID, part)
	well, badly := success(good), failure(bad, workqueue.Ready)
	well.StepTimes, badly.StepTimes = whole, whole
	x.wantIDs("lost", x.finish(w, well, success(silent)), nil)
	x.wantIDs("lost", x.finish(w, badly), nil)
	want(good.ID, whole)
	want(silent.ID, part)
	want(bad.ID, whole)
	if got := x.attempts(bad.ID); len(got) != 1 || got[0].StepTimes != whole {
		x.Errorf("got the attempts %s, want one with the times %s", asJSON(got), whole)
	}
	x.dueNow(bad.ID)
	x.Assign(w, bad.ID)
	x.claim(w, 1)
	want(bad.ID, "")
}
