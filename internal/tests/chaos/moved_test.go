//go:build unix

package chaos

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/internal/testgroup"
	"botwork/internal/tests/testbuild"
)

// TestDatabaseFileIsMovedAway repeatedly moves the SQLite file, with its log, away while
// workers are running, and moves it back when all have ended.
func TestDatabaseFileIsMovedAway(t *testing.T) {
	testgroup.Need(t, testgroup.Chaos)
	if err := testbuild.ReadSources(); err != nil {
		t.Fatal(err)
	}
	if *duration < time.Minute {
		t.Parallel()
	}
	drawn := *seed
	if drawn == 0 {
		drawn = rand.Uint64()
	}
	c := newCluster(t, testdb.Engine{Driver: database.SQLite}, shape{cron: *cron})
	f, m := newFeeder(c, drawn), newTormentor(c, drawn)
	started := time.Now()
	var ends []time.Duration
	for time.Since(started) < *duration {
		c.awaitAtWork()
		ctx, end := context.WithCancel(t.Context())
		var feeding sync.WaitGroup
		feeding.Go(func() { f.callStore(ctx) })
		feeding.Go(func() { f.callProgram(ctx) })
		<-time.After(m.between(time.Second, 5*time.Second))
		back := c.moveAway()
		ends = append(ends, c.awaitLost()...)
		end()
		feeding.Wait()
		back()
		for _, n := range c.nodes {
			m.restarts++
			if err := n.start(); err != nil {
				t.Fatal(err)
			}
		}
	}
	m.settle(t.Context(), f)
	c.stopAll()
	c.wantNoPrograms()
	v := judge(f.evidence(m))
	v.figures.took = time.Since(started)
	slices.Sort(ends)
	t.Logf("seed %d; from the move to a worker's end: median %v, worst %v (%d workers):\n%s", drawn,
		ends[len(ends)/2].Round(time.Millisecond), ends[len(ends)-1].Round(time.Millisecond), len(ends), v.figures)
	for _, fault := range v.faults[:min(len(v.faults), 20)] {
		t.Error(fault)
	}
	c.check()
}

// awaitAtWork waits until all workers have started.
func (c *cluster) awaitAtWork() {
	c.Helper()
	for late := time.Now().Add(*patience); ; {
		if !slices.ContainsFunc(c.nodes, func(n *node) bool { return !n.started() }) {
			return
		}
		if time.Now().After(late) {
			c.Fatalf("the workers have not started within %v", *patience)
		}
		<-time.After(20 * time.Millisecond)
	}
}

// moveAway moves the file away, and returns a function that moves it back.
func (c *cluster) moveAway() (back func()) {
	c.Helper()
	file, aside := filepath.Join(c.dir, "botwork.db"), filepath.Join(c.dir, "aside")
	move := func(from, to string) {
		c.Helper()
		for _, ending := range []string{"", "-wal", "-shm"} {
			if err := os.Rename(from+ending, to+ending); err != nil {
				c.Fatal(err)
			}
		}
	}
	move(file, aside)
	return func() {
		c.Helper()
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			c.Errorf("a process has created the file again: %v", err)
		}
		move(aside, file)
		// The test's own connection has lost the file as well.
		c.store = testdb.Engine{Driver: database.SQLite}.Open(c.T, file)
	}
}

// awaitLost waits until all workers have ended because their database is lost, and returns
// how long they took.
func (c *cluster) awaitLost() (took []time.Duration) {
	c.Helper()
	moved := time.Now()
	for _, n := range c.nodes {
		select {
		case <-n.done:
		case <-time.After(*patience):
			c.Fatalf("%s is still running %v after its database file was moved away: %s", n.name, *patience, n.log)
		}
		took = append(took, time.Since(moved))
		n.dead = true
		output, err := os.ReadFile(n.log)
		if code := n.cmd.ProcessState.ExitCode(); err != nil || code != 1 || !strings.Contains(string(output), "database lost") {
			c.Errorf("%s ended with exit code %d, %v, want 1 and the words \"database lost\": %s", n.name, code, err, n.log)
		}
	}
	return took
}
