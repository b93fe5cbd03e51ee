package docstest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/storetest"
)

// TestLifecycles computes in which states an item can have each lifecycle.
func TestLifecycles(t *testing.T) {
	states := map[workqueue.Lifecycle][]string{}
	for _, life := range workqueue.Lifecycles() {
		for _, state := range []workqueue.State{workqueue.Ready, workqueue.Pending, workqueue.Assigned, workqueue.Blocked, workqueue.Processed, workqueue.Cancelled} {
			for circumstances := range 8 {
				failures, due, deleted := circumstances&1, circumstances&2 > 0, circumstances&4 > 0
				if number := fmt.Sprint(int(state)); workqueue.LifecycleOf(state, failures, due, deleted) == life && !slices.Contains(states[life], number) {
					states[life] = append(states[life], number)
				}
			}
		}
	}
	var documented, real []string
	for _, r := range read(t, "docs/items.md").under(t, "Lifecycle").rows {
		documented = append(documented, code(r.cells[0])+": "+r.cells[1])
	}
	for life, of := range states {
		in := strings.Join(of, ", ")
		if len(of) == len(workqueue.States()) {
			in = "any"
		}
		real = append(real, string(life)+": "+in)
	}
	sameSet(t, "lifecycles", documented, real)
}

// TestActions does each action of the table to an item of each state.
func TestActions(t *testing.T) {
	engine := testdb.Engines[0]
	dsn := engine.DSN(t)
	store := engine.Open(t, dsn)
	if _, err := engine.SQL(t, dsn).ExecContext(t.Context(), `INSERT INTO BotQueues (Name, Deletion) VALUES ('kept', 'logical')`); err != nil {
		t.Fatal(err)
	}
	factory := storetest.NewFactory(t, store)
	tab := read(t, "docs/items.md").under(t, "Changes by a person")
	var documented, real []string
	for _, r := range tab.rows {
		action := workqueue.Action(code(r.cells[0]))
		documented = append(documented, string(action))
		for i, column := range tab.header[1:] {
			if got := changed(t, store, factory, action, column); got != r.cells[i+1] {
				t.Errorf("line %d: %s of an item that is %s makes it %s, documented %s", r.line, action, column, got, r.cells[i+1])
			}
		}
	}
	for _, a := range workqueue.Actions() {
		real = append(real, string(a))
	}
	sameSet(t, "actions", documented, real)
}

// changed makes an item of the state that a column such as "0 Ready" or
// "deleted" names, does the action to it, and tells as the table does what came
// of it.
func changed(t *testing.T, store storetest.Store, factory *storetest.Factory, action workqueue.Action, column string) string {
	t.Helper()
	opts := storetest.ItemOpts{State: workqueue.Cancelled, Queue: "kept"}
	if column != "deleted" {
		number, _, _ := strings.Cut(column, " ")
		state, err := workqueue.ParseState(number)
		if err != nil || column != fmt.Sprintf("%d %s", int(state), state) {
			t.Fatalf("there is no state %q", column)
		}
		opts = storetest.ItemOpts{State: state}
	}
	id := factory.Item(opts).ID
	if column == "deleted" {
		if err := storetest.Do(t.Context(), store, workqueue.Delete, id, ""); err != nil {
			t.Fatal(err)
		}
	}
	clone, err := store.ChangeItem(t.Context(), id, workqueue.Change{Action: action})
	if _, refused := errors.AsType[*workqueue.TransitionError](err); refused {
		return "no"
	}
	if err != nil {
		t.Fatal(err)
	}
	prefix := ""
	if clone != 0 {
		id, prefix = clone, "new "
	}
	it, err := store.Item(t.Context(), id)
	switch {
	case errors.Is(err, workqueue.ErrNotFound):
		return "gone"
	case err != nil:
		t.Fatal(err)
	case it.DeletedAt != nil:
		return "deleted"
	}
	return prefix + fmt.Sprint(int(it.State))
}
