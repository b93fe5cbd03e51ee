package sqlstore_test

import (
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"testing"

	"botwork/internal/testdb"
	"botwork/workqueue"
)

// TestChangesRepeatWhatTheyFound checks each statement that changes an item for a user.
// It must allow the states of its action, and change an item only if it is as it was
// found: with the same state and fence, and not deleted or restored in the meantime.
func TestChangesRepeatWhatTheyFound(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		e.Open(t, dsn)
		x := &changedItem{t: t, e: e, db: e.SQL(t, dsn)}
		x.exec(`INSERT INTO "BotQueues" ("Name", "Deletion") VALUES ('kept', 'logical')`)
		x.exec(`INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "NaturalKey", "CreatedBy") VALUES ('Work', 'k', 'ann')`)
		reason := map[string]any{"reason": "x", "now": nil}
		hide := map[string]any{"reason": "x", "now": nil, "natural_key": "k", "author": "ann"}
		remove := map[string]any{"natural_key": "k", "author": "ann"}
		now := map[string]any{"now": nil}
		for _, c := range []struct {
			statement string
			queue     string
			from      []workqueue.State
			hidden    bool // it also changes deleted items
			values    map[string]any
		}{
			{"change_cancel", "default", workqueue.Cancel.From(), false, map[string]any{"reason": "x", "line": "y", "now": nil}},
			{"change_archive", "default", workqueue.Archive.From(), false, reason},
			{"change_run", "default", workqueue.RunNow.From(), false, now},
			{"change_repeat", "default", workqueue.Repeat.From(), true, now},
			{"change_hide", "kept", workqueue.Delete.From(), false, hide},
			{"change_remove", "default", workqueue.Delete.From(), false, remove},
		} {
			for _, state := range workqueue.States() {
				want := 0
				if slices.Contains(c.from, state) {
					want = 1
				}
				other := (state + 1) % workqueue.State(len(workqueue.States()))
				x.is(c.queue, state, false)
				x.want(want, c.statement, "as it is", c.values, found{state, 7, 0})
				x.want(0, c.statement, "with another fence", c.values, found{state, 6, 0})
				x.want(0, c.statement, "in another state", c.values, found{other, 7, 0})
				if c.hidden {
					x.want(0, c.statement, "deleted", c.values, found{state, 7, 1})
				}
				x.is(c.queue, state, true)
				x.want(0, c.statement, "not deleted", c.values, found{state, 7, 0})
				if c.hidden {
					x.want(want, c.statement, "deleted, as it is", c.values, found{state, 7, 1})
				}
			}
		}

		// Of a deletion also the queue's policy, and what a robot may delete.
		ready := found{workqueue.Ready, 7, 0}
		for queue, statement := range map[string]string{"kept": "change_remove", "default": "change_hide"} {
			values := map[string]map[string]any{"change_remove": remove, "change_hide": hide}
			x.is(queue, workqueue.Ready, false)
			x.want(0, statement, "in a queue that deletes in the other way", values[statement], ready)
		}
		for queue, statement := range map[string]string{"kept": "change_hide", "default": "change_remove"} {
			values := map[string]map[string]any{"change_remove": remove, "change_hide": hide}[statement]
			x.is(queue, workqueue.Ready, false)
			x.want(1, statement, "for anybody", with(values, "natural_key", nil, "author", nil), ready)
			x.want(0, statement, "with another key", with(values, "natural_key", "other"), ready)
			x.want(0, statement, "by another user", with(values, "author", "bob"), ready)
		}
		change := map[string]any{
			"id": x.id(), "fence": 7, "sets_metadata": 0, "metadata": nil, "sets_tags": 0, "tags": nil, "priority": 5,
			"sets_key": 0, "natural_key": nil, "unique_key": nil,
		}
		for _, state := range workqueue.States() {
			want := 0
			if state == workqueue.Ready || state == workqueue.Pending {
				want = 1
			}
			x.is("default", state, false)
			x.wantChanged(want, "robot_change", fmt.Sprintf("%s, as it is", state), change)
			x.wantChanged(0, "robot_change", fmt.Sprintf("%s, with another fence", state), with(change, "fence", 6))
			x.is("default", state, true)
			x.wantChanged(0, "robot_change", fmt.Sprintf("%s, deleted", state), change)
		}
	})
}

// changedItem is the only item of a database.
type changedItem struct {
	t  *testing.T
	e  testdb.Engine
	db *sql.DB
}

// found is how a change has found the item.
type found struct {
	state  workqueue.State
	fence  int64
	hidden int
}

func (x *changedItem) exec(statement string) {
	x.t.Helper()
	if _, err := x.db.ExecContext(x.t.Context(), statement); err != nil {
		x.t.Fatalf("%s: %v", statement, err)
	}
}

func (x *changedItem) id() (id int64) {
	x.t.Helper()
	if err := x.db.QueryRowContext(x.t.Context(), `SELECT "Id" FROM "BotWorkQueueItems"`).Scan(&id); err != nil {
		x.t.Fatal(err)
	}
	return id
}

// is makes the item one with fence 7.
func (x *changedItem) is(queue string, state workqueue.State, deleted bool) {
	x.t.Helper()
	at := "NULL"
	if deleted {
		at = `'2026-01-01 00:00:00.000'`
	}
	x.exec(fmt.Sprintf(`UPDATE "BotWorkQueueItems" SET "QueueName" = '%s', "State" = %d, "Fence" = 7, "DeletedAt" = %s`, queue, state, at))
}

// want runs a statement with the item as it was found, and wants n items to change.
func (x *changedItem) want(n int, statement, how string, values map[string]any, f found) {
	x.t.Helper()
	rows := fmt.Sprintf(`[{"ItemId": %d, "ItemFence": %d, "OldState": %d, "Hidden": %d}]`, x.id(), f.fence, f.state, f.hidden)
	x.wantChanged(n, statement, fmt.Sprintf("%s, found %s", f.state, how), with(values, "rows", rows))
}

func (x *changedItem) wantChanged(n int, statement, what string, values map[string]any) {
	x.t.Helper()
	if changed, _ := lockedBy(x.t, x.e, x.db, statement, values); changed != n {
		x.t.Errorf("%s of an item that is %s: %d changed, want %d", statement, what, changed, n)
	}
}

// with returns values with others in their place.
func with(values map[string]any, pairs ...any) map[string]any {
	values = maps.Clone(values)
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i].(string)] = pairs[i+1]
	}
	return values
}
