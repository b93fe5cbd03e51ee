//go:build unix

package sqlstore_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// logDSN is an environment variable with the file of a SQLite database. If it is set, the test
// binary is a process that uses it.
const logDSN = "BOTWORK_TEST_LOG_DSN"

// TestLogProcess is the other process of the tests below: it does what the lines of its standard
// input say, and answers each with a line.
func TestLogProcess(t *testing.T) {
	dsn := os.Getenv(logDSN)
	if dsn == "" {
		t.Skip("only as a process of other tests")
	}
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(database.SQLite), DSN: dsn})
	if err == nil {
		_, err = store.Migrate(t.Context())
	}
	if err != nil {
		fmt.Println("answer failed:", err)
		os.Exit(0)
	}
	fmt.Println("answer opened")
	p := logProcess{t: t, store: store}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if answer, err := p.do(lines.Text()); err != nil {
			fmt.Println("answer failed:", err)
		} else {
			fmt.Println("answer", answer)
		}
	}
	os.Exit(0) // also with pools that remain open
}

type logProcess struct {
	t      *testing.T
	store  *sqlstore.Store
	worker *workqueue.Worker
}

func (p *logProcess) do(what string) (answer string, err error) {
	switch what {
	case "enqueue":
		results, err := p.store.Enqueue(p.t.Context(), []workqueue.NewItem{{IntegrationConfig: "work", Priority: 500}})
		if err != nil {
			return "", err
		}
		return fmt.Sprint(results[0].ID), nil
	case "beat":
		if p.worker == nil {
			w := storetest.NewFactory(p.t, p.store).Worker(storetest.WorkerOpts{Name: fmt.Sprint("w", os.Getpid())})
			p.worker = &w
		}
		result, err := p.store.Beat(p.t.Context(), workqueue.BeatParams{WorkerID: p.worker.ID, InstanceID: p.worker.InstanceID, Lease: time.Hour})
		if err == nil && result.History != nil {
			return fmt.Sprintf("epoch %d after %d", result.History.After.Epoch, result.History.Before.Epoch), nil
		}
		return "beaten", err
	case "claim":
		it := storetest.NewFactory(p.t, p.store).Item(storetest.ItemOpts{State: workqueue.Blocked, Worker: *p.worker})
		return fmt.Sprint(it.Fence), nil
	case "epoch":
		i, err := p.store.Installation(p.t.Context())
		return fmt.Sprintf("%d %s", i.Epoch, i.Reason), err
	case "close":
		return "closed", p.store.Close()
	}
	return "", errors.New("unknown")
}

// process is a running TestLogProcess.
type process struct {
	*testing.T
	cmd   *exec.Cmd
	in    io.Writer
	lines *bufio.Scanner
}

func startProcess(t *testing.T, file string) *process {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestLogProcess$")
	cmd.Env = append(os.Environ(), logDSN+"="+file)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &process{t, cmd, in, bufio.NewScanner(out)}
	t.Cleanup(p.kill)
	return p
}

// kill ends the process as kill -9 does.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

func (p *process) answer() string {
	p.Helper()
	for p.lines.Scan() {
		if answer, ok := strings.CutPrefix(p.lines.Text(), "answer "); ok {
			return answer
		}
	}
	p.Fatal("the process has ended")
	return ""
}

func (p *process) do(what string) string {
	p.Helper()
	fmt.Fprintln(p.in, what)
	return p.answer()
}

func (p *process) want(what, wanted string) {
	p.Helper()
	if got := p.do(what); !strings.Contains(got, wanted) {
		p.Errorf("%s: %s, want %s", what, got, wanted)
	}
}

// number does something that answers with a number.
func (p *process) number(what string) (n int64) {
	p.Helper()
	answer := p.do(what)
	if _, err := fmt.Sscan(answer, &n); err != nil {
		p.Fatalf("%s: %s", what, answer)
	}
	return n
}

// enqueueUntilLost adds items until the process notices that its log is deleted: before a commit a
// few milliseconds later. It returns the highest id.
func (p *process) enqueueUntilLost(id int64) int64 {
	p.Helper()
	for range 10_000 {
		var next int64
		answer := p.do("enqueue")
		if _, err := fmt.Sscan(answer, &next); err != nil {
			if !strings.Contains(answer, workqueue.ErrDatabaseLost.Error()) {
				p.Error(answer)
			}
			return max(id, next)
		}
		id = max(id, next)
	}
	p.Error("the process does not notice that its log is deleted")
	return id
}

func opened(t *testing.T, file string) *process {
	t.Helper()
	p := startProcess(t, file)
	if got := p.answer(); got != "opened" {
		t.Fatal(got)
	}
	return p
}

// wantNewEpoch starts the next process, and checks that it gives no id and no fence again.
func wantNewEpoch(t *testing.T, file string, id, fence int64) {
	t.Helper()
	next := opened(t, file)
	next.want("epoch", "1 the write-ahead log "+file+"-wal is not the one that was last in use")
	if got := next.number("enqueue"); got < id+1_000_000 {
		t.Errorf("the next item has the id %d, want a million after %d", got, id)
	}
	next.want("beat", "epoch 1 after 0")
	if got := next.number("claim"); got <= fence {
		t.Errorf("the next fence is %d, want one above %d", got, fence)
	}
	other := opened(t, file)
	other.want("epoch", "1 ") // the loss is handled once
	other.want("close", "closed")
	next.want("close", "closed")
	last := opened(t, file)
	last.want("epoch", "1 ")
	last.want("close", "closed")
}

func removeFiles(t *testing.T, files ...string) {
	t.Helper()
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}

// atWork starts a process that has given an id and a fence since the last checkpoint.
func atWork(t *testing.T) (p *process, file string, id, fence int64) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "botwork.db")
	opened(t, file).want("close", "closed")
	p = opened(t, file)
	p.want("beat", "beaten")
	id, fence = p.number("enqueue"), p.number("claim")
	return p, file, id + 1, fence // the claimed item has an id, too
}

// The write-ahead log of a process that has a SQLite database open is deleted, and what it holds is
// lost. The process notices it, whether or not another file has its name meanwhile, and writes nothing to the
// database file. The next one gives no id and no fence again.
func TestSQLiteLogIsDeleted(t *testing.T) {
	t.Parallel()
	again := func(t *testing.T, file string) {
		if err := os.WriteFile(file+"-wal", nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name string
		lose func(t *testing.T, file string)
	}{
		{"log", func(t *testing.T, file string) { removeFiles(t, file+"-wal") }},
		{"log and index", func(t *testing.T, file string) { removeFiles(t, file+"-wal", file+"-shm") }},
		{"log, which another process has made again", func(t *testing.T, file string) { removeFiles(t, file+"-wal"); again(t, file) }},
		{"moved log", func(t *testing.T, file string) {
			if err := os.Rename(file+"-wal", file+".aside"); err != nil {
				t.Fatal(err)
			}
			again(t, file)
		}},
	} {
		for _, then := range []string{"enqueue", "beat", "close"} {
			t.Run(tt.name+", "+then, func(t *testing.T) {
				t.Parallel()
				p, file, id, fence := atWork(t)
				before, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				tt.lose(t, file)
				switch then {
				case "beat":
					p.want("beat", "failed: "+workqueue.ErrDatabaseLost.Error())
				case "enqueue":
					id = p.enqueueUntilLost(id)
				}
				p.want("close", "closed")
				if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
					t.Errorf("a checkpoint was written over the file, or %v", err)
				}
				p.kill()
				wantNewEpoch(t, file, id, fence)
			})
		}
	}
}

// A process that has the file open does not know yet that its log was deleted: another one that
// starts gives no ids beside it.
func TestSQLiteLogIsDeletedUnderAnotherProcess(t *testing.T) {
	t.Parallel()
	p, file, id, fence := atWork(t)
	second := opened(t, file)
	id = max(id, second.number("enqueue"))
	removeFiles(t, file+"-wal", file+"-shm")
	if got := startProcess(t, file).answer(); !strings.Contains(got, "stop all of them") {
		t.Errorf("another process started: %s", got)
	}
	id = second.enqueueUntilLost(id)
	p.want("close", "closed")
	second.want("close", "closed")
	p.kill()
	second.kill()
	wantNewEpoch(t, file, id, fence)
}

// All processes have died, and the log is deleted before the next one starts.
func TestSQLiteLogIsDeletedAfterKill(t *testing.T) {
	t.Parallel()
	p, file, id, fence := atWork(t)
	p.want("beat", "beaten")
	p.kill()
	removeFiles(t, file+"-wal", file+"-shm")
	wantNewEpoch(t, file, id, fence)
}

// A log that SQLite itself reads and deletes is no loss: after a kill, and with processes that come
// and go beside each other.
func TestSQLiteLogOfKilledProcessIsRead(t *testing.T) {
	t.Parallel()
	p, file, id, _ := atWork(t)
	p.want("beat", "beaten")
	p.kill()
	a, b := opened(t, file), opened(t, file)
	a.want("beat", "beaten")
	for _, x := range []*process{a, b} {
		x.want("epoch", "0 ")
		if got := x.number("enqueue"); got <= id || got > id+10 {
			t.Errorf("the next item has the id %d, want the one after %d", got, id)
		}
		x.want("close", "closed")
	}
	opened(t, file).want("epoch", "0 ")
}

// A backup is put back: the machine remembers what it lacks.
func TestSQLiteBackupIsRestored(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "botwork.db")
	first := opened(t, file)
	first.number("enqueue")
	first.want("close", "closed")
	backup, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := opened(t, file)
	id := p.number("enqueue")
	p.want("close", "closed")
	if err := errors.Join(os.Remove(file), os.WriteFile(file, backup, 0o600)); err != nil {
		t.Fatal(err)
	}
	next := opened(t, file)
	next.want("epoch", "1 the latest item of the database is 1, and was 2")
	if got := next.number("enqueue"); got < id+1_000_000 {
		t.Errorf("the next item has the id %d, want a million after %d", got, id)
	}
}

// The log that a process has open is recorded, if it runs for more than a moment or is a worker.
func TestSQLiteLogIsRecorded(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(t *testing.T, store *sqlstore.Store){
		"after a moment": func(*testing.T, *sqlstore.Store) { time.Sleep(2 * time.Second) },
		"of a worker": func(t *testing.T, store *sqlstore.Store) {
			storetest.NewFactory(t, store).Worker(storetest.WorkerOpts{})
		},
	} {
		t.Run(name, func(t *testing.T) { logIsRecorded(t, begin) })
	}
}

func logIsRecorded(t *testing.T, begin func(t *testing.T, store *sqlstore.Store)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "botwork.db")
		store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(database.SQLite), DSN: file})
		if err != nil {
			t.Fatal(err)
		}
		recorded := func(want bool) {
			t.Helper()
			if _, err := store.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := store.Queues(t.Context()); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(database.SQLiteMarker(file))
			if got := err == nil && strings.Contains(string(text), "\nlog "); got != want {
				t.Errorf("the log is recorded: %t, want %t:\n%s", got, want, text)
			}
		}
		recorded(false)
		begin(t, store)
		recorded(true)
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(database.SQLiteMarker(file))
		if err != nil || strings.Contains(string(text), "\nlog ") {
			t.Errorf("the log is still recorded after its end, or %v:\n%s", err, text)
		}
	})
}
