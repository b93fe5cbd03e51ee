//go:build linux

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// noted is a pipeline with a program, a process that it has started, and one that has
// left its process group. Each adds a line to a ledger every 20 ms, until a file exists.
const noted = `
resilience: {limit: 2, delay: 100ms}
steps:
  - handler: Exec
    with:
      program: sh
      args:
        - -c
        - |
          script='while ! test -e "$2"; do echo "$BOTWORK_FENCE $3" >>"$1"; sleep 0.02; done'
          echo "$BOTWORK_FENCE begin" >>"$1"
          sh -c "$script" noted "$1" "$2" child &
          setsid sh -c "$script" noted "$1" "$2" escaped &
          sh -c "$script" noted "$1" "$2" own
          echo "$BOTWORK_FENCE end" >>"$1"
        - noted
        - %q
        - %q
      timeout: %s
`

// notedItem is an item of this pipeline.
type notedItem struct {
	*project
	id           int64
	ledger, stop string
}

func (x *project) enqueueNoted(timeout string) *notedItem {
	x.Helper()
	n := &notedItem{project: x, ledger: filepath.Join(x.dir, "ledger"), stop: filepath.Join(x.dir, "stop")}
	x.write("ledger", "")
	x.write("pipelines/noted.yaml", fmt.Sprintf(noted, n.ledger, n.stop, timeout))
	n.id = x.enqueue("noted", "{}")
	return n
}

// lines returns the ledger.
func (n *notedItem) lines() []string {
	n.Helper()
	text, err := os.ReadFile(n.ledger)
	if err != nil {
		n.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// await polls until a condition is true, because the ledger sends no notifications.
func (n *notedItem) await(what string, is func() bool) {
	n.Helper()
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	late := time.After(patience)
	for !is() {
		select {
		case <-ticker.C:
		case <-late:
			n.Fatalf("timeout after %v: %s", patience, what)
		}
	}
}

// awaitRun waits until all processes of a run are running.
func (n *notedItem) awaitRun(fence int) {
	n.Helper()
	n.await(fmt.Sprintf("the run with fence %d is at work", fence), func() bool {
		lines := n.lines()
		return !slices.ContainsFunc([]string{"own", "child", "escaped"}, func(who string) bool {
			return !slices.Contains(lines, fmt.Sprintf("%d %s", fence, who))
		})
	})
}

// awaitGone waits until none of the processes exists.
func (n *notedItem) awaitGone() {
	n.Helper()
	n.await("the programs are gone", func() bool {
		processes, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			n.Fatal(err)
		}
		return !slices.ContainsFunc(processes, func(path string) bool {
			line, _ := os.ReadFile(path) // it may have ended
			return bytes.Contains(line, []byte("noted\x00"+n.ledger))
		})
	})
}

// wantRunAgain lets a new worker run the item to its end, and fails if the old run
// wrote a line after the new one had begun.
func (n *notedItem) wantRunAgain() {
	n.Helper()
	again := n.worker("w")
	n.awaitRun(2)
	n.write("stop", "")
	n.wantRescued(n.id)
	again.wantDrained(os.Interrupt)
	lines := n.lines()
	begun := slices.Index(lines, "2 begin")
	for _, line := range lines[begun:] {
		if !strings.HasPrefix(line, "2 ") {
			n.Errorf("the first run wrote %q after the second run had begun", line)
		}
	}
}

func TestNoProgramOutlivesKilledWorker(t *testing.T) {
	t.Parallel()
	n := newProject(t, testdb.Engine{Driver: database.SQLite}).enqueueNoted("10m")
	w := n.worker("w")
	n.awaitRun(1)
	w.kill()
	n.awaitGone()
	n.wantRunAgain()
}

func TestNoProgramOutlivesForcedExit(t *testing.T) {
	t.Parallel()
	n := newProject(t, testdb.Engine{Driver: database.SQLite}).enqueueNoted("10m")
	w := n.worker("w", "SHUTDOWNGRACE=10m")
	n.awaitRun(1)
	w.signal(syscall.SIGTERM)
	w.await("draining", 1)
	w.signalAgain(syscall.SIGTERM)
	if code := w.wait(); code != 1 || !strings.Contains(w.String(), "botwork: forced exit; running programs killed: 1\n") {
		t.Errorf("exit code %d, want 1 and the number of killed programs", code)
	}
	n.awaitGone()
	n.wantRunAgain()
}

// Some programs send two signals to end others: to the process and to its group.
func TestTwoSimultaneousSignalsCountAsOne(t *testing.T) {
	t.Parallel()
	x := newProject(t, testdb.Engine{Driver: database.SQLite})
	id, letGo := x.enqueueHold()
	w := x.worker("w")
	w.await("begun, attempt 1", 1)
	w.signal(syscall.SIGTERM)
	w.await("draining", 1)
	w.signal(syscall.SIGTERM)
	letGo("")
	w.wantStopped()
	if it := x.item(id); it.State != workqueue.Processed {
		t.Errorf("the item is %s, want Processed", it.State)
	}
}

func TestTimeoutAppliesWhileWorkerIsSuspended(t *testing.T) {
	t.Parallel()
	n := newProject(t, testdb.Engine{Driver: database.SQLite}).enqueueNoted("3s")
	w := n.worker("w")
	n.awaitRun(1)
	w.signal(syscall.SIGSTOP)
	n.awaitGone()
	n.write("stop", "") // for the second attempt
	w.signal(syscall.SIGCONT)
	it := n.awaitState(n.id, workqueue.Processed)
	if it.RetryCount != 1 || it.ReleaseCount != 0 {
		t.Errorf("RetryCount %d, ReleaseCount %d, want 1 and 0: the first attempt timed out", it.RetryCount, it.ReleaseCount)
	}
	attempts, err := n.store.Attempts(t.Context(), n.id)
	if err != nil || len(attempts) != 1 || attempts[0].Error == nil || !strings.Contains(*attempts[0].Error, "no end within 3s") {
		t.Errorf("attempts = %+v, %v, want one with a timeout", attempts, err)
	}
	w.wantDrained(os.Interrupt)
}

func TestFirstSignalCancelsPipelineRun(t *testing.T) {
	t.Parallel()
	x := newProject(t, testdb.Engine{Driver: database.SQLite})
	pipe := filepath.Join(x.dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	x.write("botwork.yaml", "handlers: {folders: [.]}\n")
	for name, step := range map[string]string{
		"wait":    "{handler: Delay, with: {for: 10m}}",
		"program": "{handler: Exec, with: {program: sleep, args: ['600']}}",
		"deaf":    "{handler: Exec, with: {program: sh, args: [-c, \"trap '' TERM INT; setsid sleep 600 & sleep 600\"]}}",
	} {
		x.write("pipelines/"+name+".yaml", fmt.Sprintf("steps:\n  - {handler: Log, with: {message: begun}}\n  - %s\n", step))
		p := start(t, command(t, x.dir, x.environ, "pipelines", "run", name))
		p.await(`"begun"`, 1)
		p.signal(syscall.SIGTERM)
		if code := p.wait(); code != 1 || !strings.Contains(p.String(), "context canceled") {
			t.Errorf("%s: exit code %d, want 1 and that it was cancelled", name, code)
		}
	}
	x.write("pipelines/pipe.yaml", "steps:\n  - {handler: File, with: {op: read, path: pipe}}\n")
	if r := x.run("pipelines", "run", "pipe"); r.code != 1 || !strings.Contains(r.stdout, "it is a named pipe, want a file") {
		t.Errorf("a pipe: exit code %d, want 1 and that it is a pipe; output:\n%s", r.code, r.stdout)
	}
}
