package sqlstore_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// journalFolder is the environment variable with the folder for SQLite's temporary files. The
// test runs in a separate process because SQLite reads the folder only once.
const journalFolder = "BOTWORK_TEST_JOURNAL_FOLDER"

// Batches are written without temporary files, which SQLite would create for each statement. A
// migration may change more rows than fit in memory, and uses them. SQLite removes such a file
// as soon as it is open, but the time of its folder shows that there was one.
func TestOnlyMigrationsNeedTemporaryFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SQLite reads the folder for temporary files in another way there")
	}
	if folder := os.Getenv(journalFolder); folder != "" {
		checkJournals(t, folder)
		return
	}
	folder := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestOnlyMigrationsNeedTemporaryFiles$") //nolint:gosec // this binary
	cmd.Env = append(os.Environ(), journalFolder+"="+folder, "SQLITE_TMPDIR="+folder)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func checkJournals(t *testing.T, folder string) {
	const many = 500
	dsn := filepath.Join(t.TempDir(), "botwork.db")
	store := testdb.Engine{Driver: database.SQLite}.Open(t, dsn)
	list := make([]workqueue.NewItem, many)
	for i := range list {
		list[i] = workqueue.NewItem{IntegrationConfig: "Work", Payload: `{"text": "long enough for sixteen pages in all, which are 64 KB"}`}
	}
	added, err := store.Enqueue(t.Context(), list)
	if err != nil {
		t.Fatal(err)
	}
	w := oneWorker(t.Context(), t, store)

	changed := filesIn(t, folder)
	var give []workqueue.Assignment
	for i := range added {
		give = append(give, workqueue.Assignment{ItemID: added[i].ID, WorkerID: w.ID, RunOrder: int64(i)})
	}
	claimed, done, err := store.ClaimPass(t.Context(), 0, give, workqueue.PassClaim{
		WorkerID: w.ID, InstanceID: w.InstanceID, Lease: time.Minute, Band: workqueue.EveryPriority, Max: many, Within: time.Minute,
	})
	if err != nil || !done || claimed.Len() != many {
		t.Fatalf("claimed %d items, done: %t, %v; want %d", claimed.Len(), done, err, many)
	}
	items, err := claimed.Items(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ends := make([]workqueue.Finish, len(items))
	for i := range items {
		ends[i] = workqueue.Finish{
			ItemID: items[i].ID, Fence: items[i].Fence, QueueName: items[i].QueueName, StartedAt: *items[i].StartedAt, State: workqueue.Processed,
		}
	}
	if lost, err := store.Finish(t.Context(), w.ID, w.InstanceID, ends); err != nil || len(lost) > 0 {
		t.Fatalf("Finish lost %v, %v", lost, err)
	}
	if changed() {
		t.Error("batches of 500 items created a temporary file")
	}

	changed = filesIn(t, folder)
	restore, err := store.BeginMigration(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := store.InTx(t.Context(), "UPDATE BotWorkQueueItems SET State = 3, Error = printf('%400s', Id)"); err != nil {
		t.Fatal(err)
	}
	restore()
	if !changed() {
		t.Error("a migration that changes all items created no temporary file")
	}
	changed = filesIn(t, folder)
	if err := store.InTx(t.Context(), "UPDATE BotWorkQueueItems SET State = 2, Error = NULL WHERE length(Error) > 0"); err != nil {
		t.Fatal(err)
	}
	if changed() {
		t.Error("a batch after a migration created a temporary file")
	}
}

// filesIn returns a function that reports whether a file was created in or removed from a
// folder since now.
func filesIn(t *testing.T, folder string) (changed func() bool) {
	t.Helper()
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(folder, long, long); err != nil {
		t.Fatal(err)
	}
	return func() bool {
		info, err := os.Stat(folder)
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime().After(long.Add(time.Minute))
	}
}
