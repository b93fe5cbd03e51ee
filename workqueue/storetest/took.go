package storetest

import (
	"time"

	"botwork/workqueue"
)

func tookTests() []test {
	return []test{
		{"the length of a run moves its start", tookMoves},
		{"no start is before the claim", tookTooLong},
		{"a recorded begin is the earliest start", tookStarted},
		{"a later run does not change the first start", tookAgain},
		{"the statistics count runs", tookStatistics},
	}
}

// tookEnds returns ends of runs, by the statement that records them.
func tookEnds() map[string]func(workqueue.Item) workqueue.Finish {
	return map[string]func(workqueue.Item) workqueue.Finish{
		"a plain success": success,
		"a success with progress": func(it workqueue.Item) workqueue.Finish {
			end := success(it)
			end.Progress = "done"
			return end
		},
		"a failure":        func(it workqueue.Item) workqueue.Finish { return failure(it, workqueue.Ready) },
		"the last failure": func(it workqueue.Item) workqueue.Finish { return failure(it, workqueue.Cancelled) },
	}
}

func tookMoves(y *fixture) {
	x := newTimed(y)
	w := x.Worker(WorkerOpts{})
	for name, end := range tookEnds() {
		it := x.claimOne(w, x.Item(ItemOpts{}).ID)
		x.now = x.now.Add(239 * time.Millisecond)
		started := x.now.Add(-time.Millisecond)
		f := end(it)
		f.Took = 1_400 * time.Microsecond // is rounded to a millisecond
		x.wantIDs(name+": lost", x.finish(w, f), nil)
		x.wantStarts(it.ID, &started, &started)
		for _, a := range x.attempts(it.ID) {
			if a.StartedAt == nil || !a.StartedAt.Equal(started) || !a.FinishedAt.Equal(x.now) {
				x.Errorf("%s: the attempt is %s, want it from %s to %s", name, asJSON(a), started, x.now)
			}
		}
	}
}

func tookTooLong(y *fixture) {
	x := newTimed(y)
	w := x.Worker(WorkerOpts{})
	for name, end := range tookEnds() {
		claimed := x.now
		it := x.claimOne(w, x.Item(ItemOpts{}).ID)
		x.now = x.now.Add(time.Second)
		f := end(it)
		f.Took = 100 * 365 * 24 * time.Hour
		x.wantIDs(name+": lost", x.finish(w, f), nil)
		x.wantStarts(it.ID, &claimed, &claimed)
	}
}

func tookStarted(y *fixture) {
	x := newTimed(y)
	w := x.Worker(WorkerOpts{})
	for name, end := range tookEnds() {
		it := x.claimOne(w, x.Item(ItemOpts{}).ID)
		x.now = x.now.Add(time.Second)
		started := x.now
		x.begin(w, ref(it))
		x.now = x.now.Add(time.Second)
		f := end(it)
		f.Took = 1500 * time.Millisecond
		x.wantIDs(name+": lost", x.finish(w, f), nil)
		x.wantStarts(it.ID, &started, &started)
	}
}

func tookAgain(y *fixture) {
	x := newTimed(y)
	w := x.Worker(WorkerOpts{})
	for name, end := range tookEnds() {
		it := x.claimOne(w, x.Item(ItemOpts{}).ID)
		x.now = x.now.Add(time.Second)
		first := x.now.Add(-300 * time.Millisecond)
		f := failure(it, workqueue.Ready)
		f.Delay, f.Took = 0, 300*time.Millisecond
		x.finish(w, f)
		it = x.claimOne(w, it.ID)
		x.now = x.now.Add(time.Second)
		latest := x.now.Add(-200 * time.Millisecond)
		f = end(it)
		f.Took = 200 * time.Millisecond
		x.wantIDs(name+": lost", x.finish(w, f), nil)
		x.wantStarts(it.ID, &first, &latest)
	}
}

func tookStatistics(y *fixture) {
	x := newTimed(y)
	w := x.Worker(WorkerOpts{})
	for _, end := range tookEnds() {
		it := x.claimOne(w, x.Item(ItemOpts{}).ID)
		x.now = x.now.Add(238 * time.Millisecond)
		f := end(it)
		f.Took = 20 * time.Millisecond
		x.finish(w, f)
	}
	if got := day(x.stats(workqueue.DefaultQueue)); got.MeanDuration == nil || time.Duration(*got.MeanDuration) != 20*time.Millisecond {
		x.Errorf("the mean duration is %s, want 20ms", deref(got.MeanDuration))
	}
}
