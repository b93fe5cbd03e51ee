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

// TestStatuses computes in which states an item can have each status, and its
// lifecycle.
func TestStatuses(t *testing.T) {
	kinds := []*workqueue.ErrorKind{nil}
	for _, kind := range []workqueue.ErrorKind{
		workqueue.KindError, workqueue.KindBusiness, workqueue.KindTimeout, workqueue.KindPermanent, workqueue.KindPanic,
		workqueue.KindPoison, workqueue.KindCancelled, workqueue.KindExpired,
	} {
		kinds = append(kinds, &kind)
	}
	states := map[string][]string{} // of "Running: `active`"
	for _, state := range workqueue.States() {
		for circumstances := range 8 {
			failures, due, deleted := circumstances&1, circumstances&2 > 0, circumstances&4 > 0
			life := workqueue.LifecycleOf(state, failures, due, deleted)
			for _, kind := range kinds {
				status := fmt.Sprintf("%s: `%s`", workqueue.StatusOf(life, kind), life)
				if number := fmt.Sprint(int(state)); !slices.Contains(states[status], number) {
					states[status] = append(states[status], number)
				}
			}
		}
	}
	var documented, real, order []string
	for _, r := range read(t, "docs/items.md").under(t, "Status").rows {
		order = append(order, r.cells[0])
		documented = append(documented, r.cells[0]+": "+r.cells[2]+": "+r.cells[1])
	}
	for status, of := range states {
		slices.Sort(of)
		in := strings.Join(of, ", ")
		if len(of) == len(workqueue.States()) {
			in = "any"
		}
		real = append(real, status+": "+in)
	}
	sameSet(t, "statuses", documented, real)
	var want []string
	for _, s := range workqueue.Statuses() {
		want = append(want, string(s))
	}
	if !slices.Equal(order, want) {
		t.Errorf("the table lists %q, want the order of an item's life: %q", order, want)
	}
	last := len(want) - 1
	all := strings.Join(want[:last], ", ") + " or " + want[last]
	for _, path := range []string{"docs/cli.md", "CHANGELOG.md"} {
		if text := strings.Join(strings.Fields(read(t, path).text), " "); !strings.Contains(text, all) {
			t.Errorf("%s does not list the statuses as %q", path, all)
		}
	}
}

// TestActions applies each action of the table to an item of each state.
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

// changed makes an item of the state of a column such as "0 Ready" or "deleted",
// applies the action to it, and returns the result in the words of the table.
func changed(t *testing.T, store storetest.Store, factory *storetest.Factory, action workqueue.Action, column string) string {
	t.Helper()
	opts := storetest.ItemOpts{State: workqueue.Cancelled, Queue: "kept"}
	if column != "deleted" {
		number, _, _ := strings.Cut(column, " ")
		state, err := workqueue.ParseState(number)
		if err != nil || column != fmt.Sprintf("%d %s", int(state), state) {
			t.Fatalf("unknown state %q", column)
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
