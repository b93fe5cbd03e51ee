//go:build unix

package chaos

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/internal/testgroup"
	"botwork/internal/tests/chaos/ledger"
	"botwork/internal/tests/testbuild"
	"botwork/workqueue"
)

const (
	// briefKills is how often the worker of short items is killed, briefItems how
	// many items it gets each time. It is killed when it has run briefLeast to briefMost.
	briefKills, briefItems = 6, 600
	briefLeast, briefMost  = 30, 500

	briefSlots = 16
)

// TestKillRepeatsOnlyRecentRuns repeatedly kills a worker of items that last a millisecond,
// after it has run some of them. The ledger shows which runs had ended before a kill and
// were repeated, and how long before. In the other tests items take so long that most
// kills repeat none.
func TestKillRepeatsOnlyRecentRuns(t *testing.T) {
	testgroup.Need(t, testgroup.Chaos)
	if err := testbuild.ReadSources(); err != nil {
		t.Fatal(err)
	}
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		for _, finish := range []string{"batch", "sync"} {
			t.Run(finish, func(t *testing.T) {
				if *duration < time.Minute {
					t.Parallel() // as in the torment
				}
				drawn := *seed
				if drawn == 0 {
					drawn = rand.Uint64()
				}
				r := rand.New(rand.NewPCG(drawn, 5))
				c := newCluster(t, e, shape{cron: "* * * * * *", slots: briefSlots, finish: finish})
				f, m := newFeeder(c, drawn), &tormentor{c: c}
				started := time.Now()
				n := c.nodes[0]
				lines := c.follow()
				for range briefKills {
					f.enqueue(briefItems, order{For: "1ms"})
					if err := n.start(); err != nil {
						t.Fatal(err)
					}
					lines.awaitEnds(n.pid(), briefLeast+r.IntN(briefMost-briefLeast))
					m.deaths = append(m.deaths, n.kill())
				}
				if err := n.start(); err != nil {
					t.Fatal(err)
				}
				c.nodes = c.nodes[:1]
				m.settle(t.Context(), f)
				c.stopAll()
				v := judge(f.evidence(m))
				v.figures.took = time.Since(started)
				t.Logf("seed %d:\n%s", drawn, v.figures)
				for _, fault := range v.faults[:min(len(v.faults), 20)] {
					t.Error(fault)
				}
				c.check()
			})
		}
	})
}

// enqueue enqueues items that do the same.
func (f *feeder) enqueue(n int, o order) {
	f.c.Helper()
	items := make([]workqueue.NewItem, n)
	orders := make([]order, n)
	for i := range items {
		orders[i] = o
		orders[i].Number = f.numbers + i
		items[i] = workqueue.NewItem{
			State: workqueue.Pending, Priority: workqueue.RequestPriority, IntegrationConfig: "work",
			Payload: orders[i].payload(),
		}
		if o.Resume {
			items[i].IntegrationConfig = o.pipeline()
		}
	}
	f.numbers += n
	if _, err := f.c.store.Enqueue(f.c.Context(), items); err != nil {
		f.c.Fatal(err)
	}
	f.record(orders, nil)
	f.byStore += n
}

// follower reads the ledger while it grows.
type follower struct {
	c    *cluster
	file *os.File
	rest []byte // the start of an incomplete line
	ends map[int]int
}

func (c *cluster) follow() *follower {
	c.Helper()
	file, err := os.Open(c.ledger)
	if err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() { file.Close() })
	return &follower{c: c, file: file, ends: map[int]int{}}
}

// awaitEnds waits until a process has ended this number of runs.
func (f *follower) awaitEnds(pid, n int) {
	f.c.Helper()
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	late := time.After(*patience)
	for f.ends[pid] < n {
		select {
		case <-ticker.C:
			for _, l := range f.read() {
				if l.Kind == ledger.End {
					f.ends[l.PID]++
				}
			}
		case <-late:
			f.c.Fatalf("process %d ended %d runs within %v, want %d", pid, f.ends[pid], *patience, n)
		}
	}
}

// awaitBegin waits until a process has begun a step.
func (f *follower) awaitBegin(pid int, step string) {
	f.c.Helper()
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	late := time.After(*patience)
	for {
		select {
		case <-ticker.C:
			for _, l := range f.read() {
				if l.PID == pid && l.Step == step && l.Kind == ledger.Begin {
					return
				}
			}
		case <-late:
			f.c.Fatalf("process %d did not begin %s within %v", pid, step, *patience)
		}
	}
}

// read returns the new lines.
func (f *follower) read() []ledger.Line {
	f.c.Helper()
	text, err := io.ReadAll(f.file)
	if err != nil {
		f.c.Fatal(err)
	}
	text = append(f.rest, text...)
	whole := bytes.LastIndexByte(text, '\n') + 1
	f.rest = bytes.Clone(text[whole:])
	lines, err := ledger.Read(bytes.NewReader(text[:whole]))
	if err != nil {
		f.c.Fatal(err)
	}
	return lines
}
