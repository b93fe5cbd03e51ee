//go:build unix

package chaos

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/pipelines/shipped"
	"botwork/workqueue/sqlstore"
)

const (
	workers  = 4
	capacity = 4

	// attempts is the limit of the items' pipeline. An item that fails by design
	// in all but the last is cancelled if a kill counts as a failure.
	attempts = 3
)

// cluster is a project on disk, a database, and the workers that share both.
type cluster struct {
	*testing.T
	shape
	dir    string
	dsn    string
	ledger string
	store  *sqlstore.Store // the test's own connection
	nodes  []*node

	processes int // number of processes started in containers
}

// shape has the differences between clusters.
type shape struct {
	cron   string // when ExecuteWorkQueue runs
	slots  int    // of each worker; 0: capacity
	finish string // of the items' pipeline; "": batch

	// contained lets each process be process 1 of its own pid namespace, like in
	// containers, and gives the first two workers a twin: one more process that is
	// started under the same name.
	contained bool
}

// newCluster makes a cluster. It starts no process.
func newCluster(t *testing.T, e testdb.Engine, s shape) *cluster {
	t.Helper()
	dir, err := os.MkdirTemp("", "botwork-chaos-"+string(e.Driver)+"-") //nolint:usetesting // kept when the test fails
	if err != nil {
		t.Fatal(err)
	}
	s.slots, s.finish = cmp.Or(s.slots, capacity), cmp.Or(s.finish, "batch")
	c := &cluster{T: t, shape: s, dir: dir, ledger: filepath.Join(dir, "ledger.ndjson")}
	t.Cleanup(func() {
		if t.Failed() || *keep {
			t.Logf("the project, the ledger and the logs of all processes are kept in %s", dir)
		} else if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	dsn := filepath.Join(dir, "botwork.db")
	if e.Server != "" {
		dsn = e.DSN(t)
	}
	c.dsn, c.store = dsn, e.Open(t, dsn)
	c.write("ledger.ndjson", "")
	c.write("botwork.yaml", fmt.Sprintf(`database: {driver: %s, dsn: %q}
worker: {capacity: %d, lease: %s, heartbeat: %s, shutdownGrace: 2s}
pipelines: {timezone: UTC}
queues: {default: {maxReleases: 1000}} # items do not cause deaths here
log: {format: json, level: debug}
`, e.Driver, dsn, s.slots, *lease, *heartbeat))
	c.write("pipelines/work.yaml", fmt.Sprintf(`finish: %s
resilience: {limit: %d, delay: 1s, factor: 1}
steps:
  - handler: Work
    with: {ledger: %q, for: "${{ payload.for }}", failures: "${{ payload.failures }}"}
`, s.finish, attempts, c.ledger))
	c.write("pipelines/program.yaml", fmt.Sprintf(`finish: %s
resilience: {limit: %d, delay: 1s, factor: 1}
steps:
  - handler: Exec
    with: {program: %q, args: [%q, "${{ payload.for }}", "${{ string(payload.failures) }}"]}
`, s.finish, attempts, program, c.ledger))
	c.writeResume()
	for _, f := range shipped.Files() {
		text := string(f.Data)
		switch f.Name {
		case "ExecuteWorkQueue.yaml":
			text = c.replace(text, `cron: "* * * * *"`, fmt.Sprintf("cron: %q", s.cron))
		case "ExecuteLowPriorityWorkQueue.yaml":
			text = c.replace(text, `cron: "0 */3 * * *"`, `cron: "*/3 * * * * *"`)
		default: // other pipelines run no items
			continue
		}
		c.write("pipelines/"+f.Name, text)
	}
	for i := range workers {
		c.nodes = append(c.nodes, &node{c: c, name: fmt.Sprintf("worker-%d", i+1)})
	}
	if c.contained {
		for _, of := range c.nodes[:2] {
			c.nodes = append(c.nodes, &node{c: c, name: of.name, twin: true})
		}
	}
	t.Cleanup(func() {
		for _, n := range c.nodes {
			n.end()
		}
	})
	return c
}

// replace replaces a text once, and fails if the text does not occur.
func (c *cluster) replace(text, old, by string) string {
	c.Helper()
	if !strings.Contains(text, old) {
		c.Fatalf("the shipped pipeline lacks %q:\n%s", old, text)
	}
	return strings.Replace(text, old, by, 1)
}

// write puts a file into the project.
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

// command prepares a command line of the program in the project.
func (c *cluster) command(environ []string, args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Dir = c.dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + c.dir}, environ...)
	return cmd
}

// stopAll drains all live workers.
func (c *cluster) stopAll() {
	c.Helper()
	alive := slices.DeleteFunc(slices.Clone(c.nodes), func(n *node) bool { return n.dead })
	for _, n := range alive {
		n.terminate()
	}
	late, cancel := context.WithTimeout(context.Background(), *patience)
	defer cancel()
	for _, n := range alive {
		select {
		case <-n.done:
			if code := n.cmd.ProcessState.ExitCode(); code != 0 {
				c.Errorf("%s drained with exit code %d, want 0: %s", n.name, code, n.log)
			}
		case <-late.Done():
			c.Errorf("%s did not drain within %v: %s", n.name, *patience, n.log)
		}
	}
}

// wantNoPrograms fails if a program of an Exec step has outlived all workers.
func (c *cluster) wantNoPrograms() {
	c.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		c.Fatal(err)
	}
	for _, link := range links {
		process := filepath.Dir(link)
		if path, _ := os.Readlink(link); path != program {
			continue
		}
		if args, _ := os.ReadFile(filepath.Join(process, "cmdline")); bytes.Contains(args, []byte(c.ledger)) {
			c.Errorf("a program has outlived its worker: %s, %q", process, args)
		}
	}
}

// check runs botwork check, which must find no violations.
func (c *cluster) check() {
	c.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := c.command(nil, "check", "--output", "json")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := runWithin(ctx, cmd); err != nil {
		c.Errorf("botwork check: %v, want no violations\n%s%s", err, &out, &stderr)
	}
}

// watch runs botwork check --watch until the returned function is called: the invariants
// must hold at all times, not only at the end.
func (c *cluster) watch() (stop func()) {
	c.Helper()
	c.write("logs/check.log", "")
	log, err := os.OpenFile(filepath.Join(c.dir, "logs", "check.log"), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		c.Fatal(err)
	}
	cmd := c.command(nil, "check", "--watch", "--interval", "5s", "--output", "json")
	cmd.Stdout, cmd.Stderr = log, log
	err = errors.Join(cmd.Start(), log.Close())
	if err != nil {
		c.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	c.Cleanup(func() { _ = cmd.Process.Kill() })
	return func() {
		c.Helper()
		_ = cmd.Process.Signal(os.Interrupt) // if it has already ended, it has failed
		select {
		case err = <-ended:
		case <-time.After(time.Minute):
			err = errors.New("it has not ended")
		}
		if err != nil {
			output, _ := os.ReadFile(log.Name())
			c.Errorf("botwork check --watch: %v, want no violations at any time\n%s", err, output)
		}
	}
}

// runWithin runs a command that does not outlive ctx.
func runWithin(ctx context.Context, cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	defer stop()
	return cmd.Wait()
}
