//go:build unix

package chaos

import (
	"context"
	"math/rand/v2"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/internal/testgroup"
	"botwork/internal/tests/testbuild"
)

// TestNoItemIsLostOrRunsTwice torments a cluster on each engine. The test checks
// counts and the order of the ledger's lines; time matters only for
// giving up.
func TestNoItemIsLostOrRunsTwice(t *testing.T) {
	testgroup.Need(t, testgroup.Chaos)
	testdb.Each(t, func(t *testing.T, e testdb.Engine) { torment(t, e, shape{cron: *cron}) })
}

// torment torments one cluster, and judges the result.
func torment(t *testing.T, e testdb.Engine, s shape) {
	if err := testbuild.ReadSources(); err != nil {
		t.Fatal(err)
	}
	if *duration < time.Minute {
		t.Parallel() // otherwise one after the other, so that the figures do not affect each other
	}
	drawn := *seed
	if drawn == 0 {
		drawn = rand.Uint64()
	}
	t.Logf("seed %d; to repeat the same acts: -chaos.seed=%d", drawn, drawn)
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	c := newCluster(t, e, s)
	f := newFeeder(c, drawn)
	m := newTormentor(c, drawn)
	unwatch := c.watch()
	records := c.watchRecords(e)
	started := time.Now()
	torment, end := context.WithTimeout(ctx, *duration)
	defer end()
	var feeding sync.WaitGroup
	feeding.Go(func() { f.callStore(torment) })
	feeding.Go(func() { f.callProgram(torment) })
	byHand := &person{c: c, engine: e, rand: rand.New(rand.NewPCG(drawn, 2))}
	feeding.Go(func() { byHand.look(torment) })
	m.run(torment)
	fed := make(chan struct{})
	go func() { feeding.Wait(); close(fed) }()
	m.waitFor(fed)

	m.settle(ctx, f)
	unwatch()
	c.stopAll()
	c.wantNoPrograms()
	found := f.evidence(m)
	found.records = records()
	v := judge(found)
	v.figures.took = time.Since(started)
	t.Logf("after %v of torment, seed %d, with %d rows held by a person:\n%s", *duration, drawn, byHand.held.Load(), v.figures)
	for i, fault := range v.faults {
		if i == 20 {
			t.Errorf("and %d more faults", len(v.faults)-i)
			break
		}
		t.Error(fault)
	}
	c.check()
}
