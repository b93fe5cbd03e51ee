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

// journalFolder names the folder for SQLite's temporary files. A test binary that finds it
// is a process that can be told so: SQLite asks but once.
const journalFolder = "BOTWORK_TEST_JOURNAL_FOLDER"

// Batches are written without a temporary file, which SQLite makes anew for each statement.
// What a migration changes may be more than memory holds, and goes to one. The file is
// removed as soon as it is open, but its folder tells that there was one.
func TestOnlyMigrationsNeedTemporaryFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SQLite asks for the folder of temporary files in another way there")
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

	made := filesIn(t, folder)
	var give []workqueue.Assignment
	for i := range added {
		give = append(give, workqueue.Assignment{ItemID: added[i].ID, WorkerID: w.ID, RunOrder: int64(i)})
	}
	taken, done, err := store.ClaimPass(t.Context(), 0, give, workqueue.PassClaim{
		WorkerID: w.ID, InstanceID: w.InstanceID, Lease: time.Minute, Band: workqueue.EveryPriority, Max: many, Within: time.Minute,
	})
	if err != nil || !done || taken.Len() != many {
		t.Fatalf("took %d items, done: %t, %v; want %d", taken.Len(), done, err, many)
	}
	items, err := taken.Items(t.Context())
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
	if made() {
		t.Error("batches of 500 items made a temporary file")
	}

	made = filesIn(t, folder)
	restore, err := store.BeginMigration(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := store.InTx(t.Context(), "UPDATE BotWorkQueueItems SET State = 3, Error = printf('%400s', Id)"); err != nil {
		t.Fatal(err)
	}
	restore()
	if !made() {
		t.Error("what changes all items as a migration made no temporary file")
	}
	made = filesIn(t, folder)
	if err := store.InTx(t.Context(), "UPDATE BotWorkQueueItems SET State = 2, Error = NULL WHERE length(Error) > 0"); err != nil {
		t.Fatal(err)
	}
	if made() {
		t.Error("after a migration a batch makes a temporary file")
	}
}

// filesIn tells later whether something was made in a folder, or removed, since now.
func filesIn(t *testing.T, folder string) (made func() bool) {
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
