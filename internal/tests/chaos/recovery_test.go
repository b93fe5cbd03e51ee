//go:build unix

package chaos

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/internal/testgroup"
	"botwork/internal/tests/chaos/ledger"
	"botwork/internal/tests/testbuild"
	"botwork/workqueue"
)

// TestRecovery repeatedly kills the worker that runs an item, with another worker
// idle and the shipped schedule of once a minute, and measures how long
// it takes until the item runs there. In the torment the time depends on how many
// processes are alive and what else they must do; here only on the program.
func TestRecovery(t *testing.T) {
	testgroup.Need(t, testgroup.Chaos)
	if err := testbuild.ReadSources(); err != nil {
		t.Fatal(err)
	}
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel() // the processes wait most of the time
		drawn := *seed
		if drawn == 0 {
			drawn = rand.Uint64()
		}
		r := rand.New(rand.NewPCG(drawn, 4))
		c := newCluster(t, e, shape{cron: "* * * * *"})
		c.nodes = c.nodes[:2]
		enqueued, err := c.store.Enqueue(t.Context(), []workqueue.NewItem{{
			State: workqueue.Pending, Priority: workqueue.RequestPriority, IntegrationConfig: "work",
			Payload: `{"number": 0, "for": "24h", "failures": 0}`,
		}})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range c.nodes {
			if err := n.start(); err != nil {
				t.Fatal(err)
			}
		}
		begun := c.awaitBegin(enqueued[0].ID, 1)
		var waits []time.Duration
		for i := range *recoveries {
			holder := c.nodes[slices.IndexFunc(c.nodes, func(n *node) bool { return n.pid() == begun.PID })]
			// At any time between two heartbeats.
			<-time.After(time.Second + time.Duration(r.Int64N(int64(*heartbeat))))
			killed := holder.kill()
			next := c.awaitBegin(enqueued[0].ID, begun.Fence+1)
			if next.PID == begun.PID {
				t.Fatalf("process %d ran the item after it was killed", next.PID)
			}
			waits = append(waits, next.Time().Sub(killed.at))
			begun = next
			it, err := c.store.Item(t.Context(), enqueued[0].ID)
			if err != nil || it.ReleaseCount != i+1 || it.RetryCount != 0 {
				t.Errorf("after %d kills: ReleaseCount %d, RetryCount %d, %v; want %d, 0", i+1, it.ReleaseCount, it.RetryCount, err, i+1)
			}
			if i+1 < *recoveries {
				if err := holder.start(); err != nil {
					t.Fatal(err)
				}
			}
		}
		slices.Sort(waits)
		t.Logf("lease %v, heartbeat %v, from kill -9 to running on another worker: median %v, worst %v (%d kills, seed %d)", *lease, *heartbeat,
			waits[len(waits)/2].Round(100*time.Millisecond), waits[len(waits)-1].Round(100*time.Millisecond), len(waits), drawn)
		c.stopAll()
		it, err := c.store.Item(t.Context(), enqueued[0].ID)
		if err != nil || it.State != workqueue.Ready || it.RetryCount != 0 || it.ReleaseCount != *recoveries {
			t.Errorf("after the drain the item is %s with RetryCount %d, ReleaseCount %d, %v; want Ready, 0, %d", it.State, it.RetryCount, it.ReleaseCount, err, *recoveries)
		}
		c.check()
	})
}

// awaitBegin waits until the ledger has the begin of a claim.
func (c *cluster) awaitBegin(item, fence int64) ledger.Line {
	c.Helper()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	late := time.After(*patience)
	for {
		select {
		case <-ticker.C:
		case <-late:
			c.Fatalf("item %d did not begin with fence %d within %v", item, fence, *patience)
		}
		for _, l := range c.lines() {
			if l.Item == item && l.Fence == fence && l.Kind == ledger.Begin {
				return l
			}
		}
	}
}

// lines reads the ledger.
func (c *cluster) lines() []ledger.Line {
	c.Helper()
	lines, err := ledger.ReadFile(c.ledger)
	if err != nil {
		c.Fatal(err)
	}
	return lines
}
