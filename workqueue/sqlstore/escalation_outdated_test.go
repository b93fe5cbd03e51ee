package sqlstore_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/sql"
	"botwork/workqueue"
	"botwork/workqueue/escalation"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// replaced is a text in a statement that looks for items to escalate, and another one.
type replaced struct{ file, old, new string }

// outdated returns the statements of SQLite with other texts, by which a statement finds what the
// items were before another process changed them.
func outdated(t *testing.T, texts ...replaced) fs.FS {
	t.Helper()
	edition := fstest.MapFS{}
	err := fs.WalkDir(sql.Files, "sqlite", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(sql.Files, path)
		edition[path] = &fstest.MapFile{Data: text}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range texts {
		path := "sqlite/" + c.file + ".sql"
		text := string(edition[path].Data)
		if !strings.Contains(text, c.old) {
			t.Fatalf("%s does not contain %q", path, c.old)
		}
		edition[path] = &fstest.MapFile{Data: []byte(strings.ReplaceAll(text, c.old, c.new))}
	}
	return edition
}

// An item that a pass assigns after a rule has found it waiting stays as it is: only waiting items
// are cancelled, moved and reported. The assignment does not change the item's version.
func TestEscalationLeavesItemsAssignedMeanwhile(t *testing.T) {
	dsn := testdb.Engine{Driver: database.SQLite}.DSN(t)
	testdb.Prepare(t, database.SQLite, dsn)
	statements := outdated(t,
		replaced{"queries/escalation_due", "i.State = 5 AND @assigned = 1", "i.State = 5 AND @assigned < 2"},
		replaced{"queries/escalation_due", "SELECT c.Id, c.State,", "SELECT c.Id, 4,"},
		replaced{"queries/escalation_beyond", ".State IN (0, 4) AND", ".State IN (0, 4, 5) AND"},
		replaced{"queries/escalation_beyond", "SELECT ranked.Id, ranked.State,", "SELECT ranked.Id, 4,"})
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(database.SQLite), DSN: dsn, Statements: statements})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := store.DefineQueues(t.Context(), []workqueue.Queue{{Name: "other"}}, "test"); err != nil {
		t.Fatal(err)
	}
	it := storetest.NewFactory(t, store).Item(storetest.ItemOpts{State: workqueue.Assigned})
	for _, text := range []string{
		`{"name":"a","after":"0s","cancel":true}`, `{"name":"b","after":"0s","moveTo":"other"}`, `{"name":"c","after":"0s","notify":true}`,
	} {
		rules, err := escalation.Parse("[" + text + "]")
		if err != nil {
			t.Fatal(err)
		}
		turn, ok, err := store.EscalationTurn(t.Context(), workqueue.EscalationsOf(workqueue.EscalateQueue, "default", rules)[0], true)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		time.Sleep(2 * time.Millisecond) // the item has waited
		if r, err := store.Escalate(t.Context(), turn); err != nil || r.Changed != 0 {
			t.Errorf("%s: %d items changed, %v; want none", text, r.Changed, err)
		}
		if got, err := store.Item(t.Context(), it.ID); err != nil || got.State != workqueue.Assigned || got.Version != it.Version || got.QueueName != it.QueueName {
			t.Errorf("%s: the item is %v in %s, version %d, %v", text, got.State, got.QueueName, got.Version, err)
		}
	}
}

// A step that could not be made, because the priority of the item has changed after the rule has
// found the item, is made later, and the steps before it are not made again.
func TestEscalationKeepsStepsOfItemsChangedMeanwhile(t *testing.T) {
	dsn := testdb.Engine{Driver: database.SQLite}.DSN(t)
	testdb.Prepare(t, database.SQLite, dsn)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	open := func(statements fs.FS) *sqlstore.Store {
		store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(database.SQLite), DSN: dsn, Now: func() time.Time { return now }, Statements: statements})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		})
		return store
	}
	store := open(nil)
	late := open(outdated(t, replaced{"queries/escalation_due", "c.Version, c.Priority,", "c.Version, c.Priority - 1,"}))
	rules, err := escalation.Parse(`[{"name":"late","after":"1m","raise":{"by":100,"to":2000,"every":"1m"}}]`)
	if err != nil {
		t.Fatal(err)
	}
	rule := workqueue.EscalationsOf(workqueue.EscalateQueue, "default", rules)[0]
	it := storetest.NewFactory(t, store).Item(storetest.ItemOpts{Priority: 500})
	for _, step := range []struct {
		by   *sqlstore.Store
		want int
	}{{store, 600}, {late, 600}, {store, 800}} {
		now = now.Add(time.Minute)
		turn, ok, err := step.by.EscalationTurn(t.Context(), rule, true)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if _, err := step.by.Escalate(t.Context(), turn); err != nil {
			t.Fatal(err)
		}
		if got, err := store.Item(t.Context(), it.ID); err != nil || got.Priority != step.want {
			t.Errorf("at %s the priority is %d, %v; want %d", now.Format(time.TimeOnly), got.Priority, err, step.want)
		}
	}
}
