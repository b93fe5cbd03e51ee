package cmd

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"encoding/json"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

var update = flag.Bool("update", false, "rewrite the files of testdata/golden")

// result is what one command line came to.
type result struct {
	code           int
	stdout, stderr string
}

// botwork carries out a command line in the working folder, with no environment.
func botwork(t *testing.T, args ...string) result {
	t.Helper()
	return botworkWith(t, "", nil, args...)
}

func botworkWith(t *testing.T, stdin string, environ []string, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := Run(t.Context(), args, strings.NewReader(stdin), &stdout, &stderr, environ)
	return result{code, stdout.String(), stderr.String()}
}

// mustDo is botwork for a command line that has to succeed.
func mustDo(t *testing.T, args ...string) string {
	t.Helper()
	r := botwork(t, args...)
	if r.code != cli.ExitDone {
		t.Fatalf("botwork %s: exit code %d, want 0\n%s", strings.Join(args, " "), r.code, r.stderr)
	}
	return r.stdout
}

// wantFailure checks the exit code and that standard error holds each text.
func (r result) wantFailure(t *testing.T, code int, texts ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d; it said:\n%s%s", r.code, code, r.stdout, r.stderr)
	}
	for _, text := range texts {
		if !strings.Contains(r.stderr, text) {
			t.Errorf("standard error lacks %q:\n%s", text, r.stderr)
		}
	}
}

// inProject makes a new project and works in it.
func inProject(t *testing.T) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	mustDo(t, "init", dir)
	t.Chdir(dir)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// openQueue opens the project's database beside the program.
func openQueue(t *testing.T) *sqlstore.Store {
	t.Helper()
	ctx := context.WithoutCancel(t.Context()) // the clean-up outlives the test's context
	testdb.Prepare(t, database.SQLite, "botwork.db")
	store, err := sqlstore.Open(ctx, sqlstore.Options{Driver: database.SQLite, DSN: "botwork.db"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := store.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	return store
}

// instants are times as the contract writes them: RFC 3339, UTC, milliseconds
// at most. What is not in this form stays and so fails the comparison.
var instants = regexp.MustCompile(`"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z"`)

// randomKeys are idempotency keys, as SQLite makes them.
var randomKeys = regexp.MustCompile(`"idempotencyKey": "[0-9a-f]{32}"|idempotencyKey: [0-9a-f]{32}|idempotencyKey: "[0-9a-f]{32}"`)

// packageFolder is where the tests start; one may move to another folder.
var packageFolder, _ = os.Getwd()

// golden compares output, its times and random keys replaced, with a file of testdata/golden.
func golden(t *testing.T, name, output string) {
	t.Helper()
	path := filepath.Join(packageFolder, "testdata", "golden", name)
	got := instants.ReplaceAllString(output, `"(time)"`)
	got = randomKeys.ReplaceAllString(got, `"idempotencyKey": "(random)"`)
	if *update {
		writeFile(t, path, got)
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("%s: -want +got\n%s", name, diff)
	}
}

// byHand writes into the project's database as a person does.
func byHand(t *testing.T, statement string) {
	t.Helper()
	db, err := database.Open(database.SQLite, "botwork.db")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// busyQueue makes one item of each sort, in the order of the ids 1 to 7:
// processed, failed once, cancelled as failed, pending, scheduled, running and
// assigned.
func busyQueue(t *testing.T) *sqlstore.Store {
	t.Helper()
	store, ctx := openQueue(t), t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	worker, err := store.RegisterWorker(ctx, workqueue.WorkerSpec{
		Name: "worker-1", InstanceID: "instance-1", Host: "host-1", PID: 4711, Version: "1.2.3", Capacity: 4,
		Labels: `{"site":"lisbon"}`, Lease: time.Minute,
	})
	must(err)
	enqueue := func(priority int, in time.Duration) int64 {
		t.Helper()
		made, err := store.Enqueue(ctx, []workqueue.NewItem{{
			State: workqueue.Pending, Priority: priority, IntegrationConfig: "hello", Payload: `{"name":"Ada"}`, In: in, CreatedBy: "test",
		}})
		must(err)
		return made[0].ID
	}
	assign := func(id int64) {
		t.Helper()
		must(store.Assign(ctx, func(ctx context.Context, tx workqueue.AssignTx) error {
			_, err := tx.Write(ctx, []workqueue.Assignment{{ItemID: id, WorkerID: worker.ID}})
			return err
		}))
	}
	claim := func(id int64) workqueue.Item {
		t.Helper()
		assign(id)
		items, err := store.Claim(ctx, workqueue.ClaimParams{
			WorkerID: worker.ID, InstanceID: "instance-1", Band: workqueue.EveryPriority, Max: 1, Lease: time.Minute,
		})
		must(err)
		return items[0]
	}
	finish := func(id int64, f workqueue.Finish) {
		t.Helper()
		it := claim(id)
		f.ItemID, f.Fence = it.ID, it.Fence
		_, err := store.Finish(ctx, worker.ID, worker.InstanceID, []workqueue.Finish{f})
		must(err)
	}
	finish(enqueue(1000, 0), workqueue.Finish{State: workqueue.Processed, Output: `{"size":12}`})
	finish(enqueue(500, 0), workqueue.Finish{
		State: workqueue.Ready, RetryCount: 1, Delay: time.Hour, Error: "no answer\nfrom the host", ErrorKind: workqueue.KindError,
		Attempt: &workqueue.AttemptNote{Number: 1, Outcome: "failed", Step: "load"},
	})
	finish(enqueue(499, 0), workqueue.Finish{
		Step: "check", Progress: "2 of 3 amounts", LogTail: "2026-11-21T10:00:00Z INF amount 1\n2026-11-21T10:00:01Z WRN amount 2\n",
		State: workqueue.Cancelled, RetryCount: 1, Error: "amount is negative", ErrorKind: workqueue.KindBusiness,
		Attempt: &workqueue.AttemptNote{Number: 1, Outcome: "failed", Step: "check"},
	})
	enqueue(1001, 0)
	enqueue(1000, 2*time.Hour)
	running := claim(enqueue(1000, 0))
	_, err = store.Progress(ctx, worker.ID, worker.InstanceID, []workqueue.ProgressNote{{
		ItemRef: workqueue.ItemRef{ItemID: running.ID, Fence: running.Fence}, Step: "load", Progress: "half of 12",
		LogTail: "2026-11-21T10:00:02Z INF begun\n",
	}})
	must(err)
	assign(enqueue(1000, 0))
	return store
}

func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return v
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
