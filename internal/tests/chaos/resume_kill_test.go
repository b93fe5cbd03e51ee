//go:build unix

package chaos

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/internal/testgroup"
	"botwork/internal/tests/testbuild"
)

const (
	// stepKills is how often the worker is killed in each kind of block, stepItems how many items it gets each time.
	stepKills, stepItems = 5, 6

	// stepTime is how long a step takes.
	stepTime = 200 * time.Millisecond
)

// TestKillRepeatsNoRecordedStep repeatedly kills a worker of items that resume, in the middle of a loop, of a called
// pipeline and of finally. In the torment, kills seldom strike these.
func TestKillRepeatsNoRecordedStep(t *testing.T) {
	testgroup.Need(t, testgroup.Chaos)
	if err := testbuild.ReadSources(); err != nil {
		t.Fatal(err)
	}
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		if *duration < time.Minute {
			t.Parallel() // as in the torment
		}
		drawn := *seed
		if drawn == 0 {
			drawn = rand.Uint64()
		}
		r := rand.New(rand.NewPCG(drawn, 6))
		c := newCluster(t, e, shape{cron: "* * * * * *"})
		f, m := newFeeder(c, drawn), &tormentor{c: c}
		c.nodes = c.nodes[:1]
		n := c.nodes[0]
		started, ledger, records := time.Now(), c.follow(), c.watchRecords(e)
		for range stepKills {
			for _, step := range []string{fmt.Sprintf("lines[%d]", r.IntN(iterations/2)), "part / one", "finally / close"} {
				f.enqueue(stepItems, order{For: stepTime.String(), Failures: r.IntN(2), Resume: true})
				if err := n.start(); err != nil {
					t.Fatal(err)
				}
				ledger.awaitBegin(n.pid(), step)
				<-time.After(time.Duration(r.Int64N(int64(stepTime))))
				m.deaths = append(m.deaths, n.kill())
			}
		}
		if err := n.start(); err != nil {
			t.Fatal(err)
		}
		m.settle(t.Context(), f)
		c.stopAll()
		found := f.evidence(m)
		found.records = records()
		v := judge(found)
		v.figures.took = time.Since(started)
		t.Logf("seed %d:\n%s", drawn, v.figures)
		for _, fault := range v.faults[:min(len(v.faults), 20)] {
			t.Error(fault)
		}
		if f := v.figures; f.inForeach == 0 || f.inUses == 0 || f.inFinally == 0 {
			t.Errorf("%d, %d and %d kills were in the middle of foreach, uses and finally, want some of each", f.inForeach, f.inUses, f.inFinally)
		}
		c.check()
	})
}
