//go:build unix

package client_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"botwork/internal/api/apitest"
	"botwork/internal/testgroup"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// Robots are killed and suspended, beyond the end of their leases, while they work. Each item
// succeeds, and no success of an item is accepted twice.
func TestRobotsThatAreKilledAndSuspended(t *testing.T) {
	testgroup.Need(t, testgroup.Processes)
	const items, robots, rounds = 500, 4, 12
	s := apitest.Start(t, nil)
	q := workqueue.Queue{Name: "forms", Consumer: workqueue.ConsumerRobots, MaxReleases: 1000}
	if _, err := s.Store.DefineQueues(t.Context(), []workqueue.Queue{q}, "test"); err != nil {
		t.Fatal(err)
	}
	made := make([]workqueue.NewItem, items)
	for i := range made {
		made[i] = workqueue.NewItem{QueueName: "forms", State: workqueue.Pending}
	}
	if _, err := s.Store.Enqueue(t.Context(), made); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	accepted := map[int64][]int64{} // fences by item
	var reading sync.WaitGroup
	start := func() *exec.Cmd {
		c := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0])
		c.Env = append(os.Environ(), asRobot+"="+s.URL, "CLIENT_TEST_TOKEN="+s.Token(t, access.Robot, "forms"))
		c.Stderr = os.Stderr
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		reading.Go(func() {
			for lines := bufio.NewScanner(out); lines.Scan(); {
				var id, fence int64
				if _, err := fmt.Sscan(lines.Text(), &id, &fence); err != nil {
					continue // a line of a robot that was killed while it wrote
				}
				mu.Lock()
				accepted[id] = append(accepted[id], fence)
				mu.Unlock()
			}
		})
		return c
	}
	crew := make([]*exec.Cmd, robots)
	for i := range crew {
		crew[i] = start()
	}
	rescue := func() {
		err := s.Store.Assign(t.Context(), func(ctx context.Context, tx workqueue.AssignTx) error {
			_, err := tx.Rescue(ctx, time.Minute)
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	kills := 0
	for range rounds {
		time.Sleep(time.Duration(100+rand.IntN(200)) * time.Millisecond)
		i := rand.IntN(robots)
		if rand.IntN(2) == 0 {
			_ = crew[i].Process.Kill()
			_ = crew[i].Wait()
			crew[i] = start()
			kills++
		} else {
			_ = crew[i].Process.Signal(syscall.SIGSTOP)
			time.Sleep(killedLease + 200*time.Millisecond)
			rescue()
			_ = crew[i].Process.Signal(syscall.SIGCONT)
		}
		rescue()
	}
	for until := time.Now().Add(60 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		rescue()
		n, err := s.Store.CountItems(t.Context(), workqueue.ItemFilter{QueueName: "forms", States: []workqueue.State{workqueue.Processed}})
		if err != nil {
			t.Fatal(err)
		}
		if n == items {
			break
		}
		if time.Now().After(until) {
			t.Fatalf("%d of %d items have succeeded", n, items)
		}
	}
	for _, c := range crew {
		_ = c.Process.Signal(syscall.SIGTERM)
	}
	for _, c := range crew {
		_ = c.Wait()
	}
	reading.Wait()
	again := 0
	for id, fences := range accepted {
		it, err := s.Store.Item(t.Context(), id)
		if fences[0] > 1 {
			again++
		}
		if err != nil || len(fences) != 1 || it.Fence != fences[0] {
			t.Errorf("item %d: accepted with the fences %v, the item has %d, %v", id, fences, it.Fence, err)
		}
	}
	if again == 0 {
		t.Error("no item was taken again: the robots were not interrupted in their work")
	}
	// A robot may be killed between the answer and its line.
	if len(accepted) < items-kills {
		t.Errorf("%d items were accepted, want %d or up to %d fewer", len(accepted), items, kills)
	}
}
