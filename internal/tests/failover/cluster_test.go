//go:build linux

package failover

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/tests/chaos/ledger"
	"botwork/internal/tests/testbuild"
	"botwork/pipelines/shipped"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

const workers, capacity = 4, 4

// cluster is a project with workers over two servers.
type cluster struct {
	*testing.T
	dir, ledger, dsn string
	primary, standby *server
	store            *sqlstore.Store // the test's own connection
	processes        []*exec.Cmd

	mu      sync.Mutex
	numbers int
	ids     map[int]int64 // by the number of the acknowledged orders
}

// newCluster makes the servers and the project. It starts no workers.
func newCluster(t *testing.T) *cluster {
	t.Helper()
	programs(t)
	if err := testbuild.ReadSources(); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "botwork-failover-") //nolint:usetesting // kept when the test fails
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{T: t, dir: dir, ledger: filepath.Join(dir, "ledger.ndjson"), ids: map[int]int64{}}
	t.Cleanup(func() {
		if t.Failed() || *keep {
			t.Logf("the project, the ledger and the logs are kept in %s", dir)
		} else if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	c.primary = newPrimary(t)
	c.standby = newStandby(t, c.primary)
	c.dsn = fmt.Sprintf("postgres://postgres@127.0.0.1:%d,127.0.0.1:%d/postgres?sslmode=disable&target_session_attrs=read-write", c.primary.port, c.standby.port)
	c.store, err = sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(database.Postgres), DSN: c.dsn})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.store.Close() })
	if _, err := c.store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.project()
	return c
}

func (c *cluster) project() {
	c.Helper()
	c.write("ledger.ndjson", "")
	c.write("botwork.yaml", fmt.Sprintf(`database: {driver: postgres, dsn: %q}
worker: {capacity: %d, lease: %s, heartbeat: %s, shutdownGrace: 2s}
pipelines: {timezone: UTC}
log: {format: json, level: debug}
`, c.dsn, capacity, *lease, *heartbeat))
	c.write("pipelines/work.yaml", fmt.Sprintf(`resilience: {limit: 3, delay: 1s, factor: 1}
steps:
  - handler: Work
    with: {ledger: %q, for: "${{ payload.for }}"}
`, c.ledger))
	for _, f := range shipped.Files() {
		if f.Name == "ExecuteWorkQueue.yaml" {
			c.write("pipelines/"+f.Name, strings.Replace(string(f.Data), `cron: "* * * * *"`, `cron: "*/3 * * * * *"`, 1))
		}
	}
}

func (c *cluster) write(name, text string) {
	c.Helper()
	path := filepath.Join(c.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		c.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		c.Fatal(err)
	}
}

func (c *cluster) command(args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...) //nolint:noctx // ended by the callers
	cmd.Dir = c.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir}
	return cmd
}

// startWorkers starts the workers and waits until they are running.
func (c *cluster) startWorkers() {
	c.Helper()
	for i := range workers {
		cmd := c.command("run")
		name := fmt.Sprintf("worker-%d", i+1)
		cmd.Env = append(cmd.Env, "BOTWORK_WORKER_NAME="+name)
		c.write("logs/"+name+".log", "")
		log, err := os.OpenFile(filepath.Join(c.dir, "logs", name+".log"), os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			c.Fatal(err)
		}
		cmd.Stdout, cmd.Stderr = log, log
		err = cmd.Start()
		_ = log.Close() // the process has its own handle
		if err != nil {
			c.Fatal(err)
		}
		c.Cleanup(func() {
			if cmd.ProcessState == nil {
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			}
		})
		c.processes = append(c.processes, cmd)
	}
	c.await("the workers to start", func() bool { return strings.Count(c.logs(), `worker started;`) >= workers })
}

// logs returns the logs of all workers.
func (c *cluster) logs() string {
	c.Helper()
	var all strings.Builder
	for i := range workers {
		text, err := os.ReadFile(filepath.Join(c.dir, "logs", fmt.Sprintf("worker-%d.log", i+1)))
		if err != nil {
			c.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

func (c *cluster) await(what string, done func() bool) {
	c.Helper()
	for until := time.Now().Add(*patience); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(until) {
			c.Fatalf("waited %v for %s", *patience, what)
		}
	}
}

// order is the payload of an item.
type order struct {
	Number int    `json:"number"`
	For    string `json:"for"`
}

// enqueue adds some items to the queue. An error is not a fault: these orders were not
// acknowledged.
func (c *cluster) enqueue(n int) error {
	c.mu.Lock()
	first := c.numbers
	c.numbers += n
	c.mu.Unlock()
	items := make([]workqueue.NewItem, n)
	for i := range items {
		payload, err := json.Marshal(order{first + i, fmt.Sprintf("%dms", 50+(first+i)*37%400)})
		if err != nil {
			return err
		}
		items[i] = workqueue.NewItem{State: workqueue.Pending, Priority: 700, IntegrationConfig: "work", Payload: workqueue.JSONText(payload)}
	}
	ctx, cancel := context.WithTimeout(c.Context(), 10*time.Second)
	defer cancel()
	made, err := c.store.Enqueue(ctx, items)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range made {
		c.ids[first+i] = made[i].ID
	}
	return nil
}

// feed enqueues until stop is called.
func (c *cluster) feed() (stop func()) {
	ctx, cancel := context.WithCancel(c.Context())
	var feeding sync.WaitGroup
	refused := 0
	feeding.Go(func() {
		for ctx.Err() == nil {
			if err := c.enqueue(6); err != nil {
				refused++
			}
			select {
			case <-ctx.Done():
			case <-time.After(150 * time.Millisecond):
			}
		}
	})
	return func() {
		cancel()
		feeding.Wait()
		c.Logf("%d calls of enqueue were refused", refused)
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

// rows returns all items by the number of their order.
func (c *cluster) rows() map[int]workqueue.Item {
	c.Helper()
	rows := map[int]workqueue.Item{}
	for before := int64(0); ; {
		page, err := c.store.Items(c.Context(), workqueue.ItemFilter{BeforeID: before, Limit: 1000})
		if err != nil {
			c.Fatal(err)
		}
		if len(page) == 0 {
			return rows
		}
		for _, it := range page {
			var o order
			if err := json.Unmarshal([]byte(it.Payload), &o); err != nil {
				c.Fatal(err)
			}
			if other, ok := rows[o.Number]; ok {
				c.Errorf("order %d is item %d and item %d", o.Number, other.ID, it.ID)
			}
			rows[o.Number] = it
		}
		before = page[len(page)-1].ID
	}
}

// settle waits until all items are finished, and drains the workers.
func (c *cluster) settle() {
	c.Helper()
	c.await("the items to be finished", func() bool {
		open, err := c.store.Items(c.Context(), workqueue.ItemFilter{
			States: []workqueue.State{workqueue.Ready, workqueue.Pending, workqueue.Assigned, workqueue.Blocked}, Limit: 1,
		})
		return err == nil && len(open) == 0
	})
	for _, p := range c.processes {
		_ = p.Process.Signal(syscall.SIGTERM)
	}
	for i, p := range c.processes {
		if err := p.Wait(); err != nil {
			c.Errorf("worker-%d drained: %v", i+1, err)
		}
	}
}

// run runs the program to its end and returns its output.
func (c *cluster) run(args ...string) (string, error) {
	c.Helper()
	cmd := c.command(args...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := cmd.Start()
	if err != nil {
		c.Fatal(err)
	}
	timer := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	err = cmd.Wait()
	return output.String(), err
}
