package process_test

import (
	"testing"

	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/learned"
)

// A worker learns durations by the key separator of a pipeline's file, and saves them before it
// stops.
func TestWorkerLearnsDurationsByKey(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newFixture(t, e)
		x.files["import"] = "learnBy: {keyPrefix: \"/\"}\nsteps:\n  - handler: Note\n"
		for _, key := range []string{"lisbon/1", "lisbon/2", "porto/1", ""} {
			x.enqueue(workqueue.NewItem{Priority: 1000, IntegrationConfig: "import", NaturalKey: key})
		}
		x.enqueue(workqueue.NewItem{Priority: 1000, IntegrationConfig: "note", NaturalKey: "lisbon/1"})
		x.runOnce(x.newOptions("w"), medium)

		all, err := x.open().Durations(t.Context(), learned.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		got := map[learned.Key]int64{}
		for _, l := range all {
			got[l.Key] = l.Runs
		}
		want := map[learned.Key]int64{
			{Kind: learned.OfPipeline, Pipeline: "import"}:            4,
			{Kind: learned.OfKey, Pipeline: "import", Name: "lisbon"}: 2,
			{Kind: learned.OfKey, Pipeline: "import", Name: "porto"}:  1,
			{Kind: learned.OfPipeline, Pipeline: "note"}:              1,
		}
		if len(got) != len(want) {
			t.Errorf("learned durations of %v, want %v", got, want)
		}
		for k, runs := range want {
			if got[k] != runs {
				t.Errorf("%q: learned from %d runs, want %d", k, got[k], runs)
			}
		}
	})
}
