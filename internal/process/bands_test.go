package process_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/internal/testdb"
	"botwork/workqueue"
)

// run is a step that ran items, from its log line.
type run struct {
	Pipeline, Step, Band string
	Succeeded            int
}

func (l *logSink) runs() []run {
	var list []run
	for _, line := range l.with("ran items") {
		list = append(list, run{
			line["pipeline"].(string), line["step"].(string), line["band"].(string), int(line["succeeded"].(float64)),
		})
	}
	return list
}

// boundaries enqueues an item for each side of each boundary between the bands,
// the least urgent first, and returns their priorities by id.
func (x *fixture) boundaries() map[int64]int {
	priorities := map[int64]int{}
	for _, p := range []int{499, 500, 999, 1000, 1001} {
		priorities[x.enqueue(workqueue.NewItem{Priority: p})] = p
	}
	return priorities
}

// wantPriorities fails unless exactly these priorities ran since the last call, in this order.
func (x *fixture) wantPriorities(of map[int64]int, want ...int) {
	x.Helper()
	var got []int
	for _, r := range x.drainRuns() {
		got = append(got, of[r.Item])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		x.Errorf("priorities that ran (-want +got):\n%s", diff)
	}
}

func TestEachStepRunsItsBand(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newFixture(t, e)
		of := x.boundaries()
		b := x.newOptions("w")
		b.Spec.Capacity = 1 // so that items run one after the other

		x.runOnce(b, medium)
		x.wantPriorities(of, 1001, 1000, 999, 500)
		x.runOnce(b, low)
		x.wantPriorities(of, 499)
		want := []run{
			{medium, "ExecuteWorkItems", "priority 1001 and above", 1},
			{medium, "ExecuteWorkItems-2", "priority 500 and above", 3},
			{low, "ExecuteWorkItems", "priority below 500", 1},
		}
		if diff := cmp.Diff(want, b.log.runs()); diff != "" {
			t.Errorf("steps that ran items (-want +got):\n%s", diff)
		}
		for id := range of {
			x.wantState(workqueue.Processed, id)
		}
	})
}

func TestLowPipelineRunsOnlyLowItems(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newFixture(t, e)
		of := x.boundaries()
		x.runOnce(x.newOptions("w"), low)
		x.wantPriorities(of, 499)
		for id, priority := range of {
			want := workqueue.Pending
			if priority < 500 {
				want = workqueue.Processed
			}
			x.wantState(want, id)
		}
	})
}
