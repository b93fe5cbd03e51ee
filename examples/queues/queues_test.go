package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// TestStory runs the story on each engine and checks the output of the commands.
func TestStory(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("project")); err != nil {
			t.Fatal(err)
		}
		dsn := e.DSN(t)
		store := e.Open(t, dsn)
		var out strings.Builder
		s := &session{dir: dir, out: &out, environ: []string{"BOTWORK_DATABASE_DRIVER=" + string(e.Driver), "BOTWORK_DATABASE_DSN=" + dsn}}
		if err := playStory(t.Context(), s); err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		said := out.String()
		for _, want := range []string{
			`queue orders: defined`,
			`item \d+ already exists with the same key`,
			`payload\.lines\.0\.amount: minimum: got 0, want 1; payload\.number: got number, want string`,
			`(?m)^\d+ +Expired +1100 .*expired: it was not started before its deadline$`,
			`(?m)^\d+ +Deleted +1100 .*deleted: the customer has withdrawn the order$`,
			`(?m)^\d+ +Pending +1000 +payments`,
			`queue payments: running`,
			`(?s)items list --queue payments\nno items`,
			`1 item repeated`,
			`3 items would be deleted`,
			`3 items deleted`,
			`no violation`,
		} {
			if !regexp.MustCompile(want).MatchString(said) {
				t.Errorf("no output matches %s", want)
			}
		}
		if strings.Contains(said, dir) {
			t.Errorf("the output contains paths of this machine")
		}
		wantEnds(t, store)
		if t.Failed() {
			t.Log(said)
		}
	})
}

// wantEnds checks the final states of the items in the database.
func wantEnds(t *testing.T, store *sqlstore.Store) {
	t.Helper()
	items, err := store.Items(t.Context(), workqueue.ItemFilter{Lifecycles: workqueue.Lifecycles(), Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	ends := map[string]int{}
	for _, it := range items {
		key := it.QueueName
		if it.NaturalKey != nil {
			key = *it.NaturalKey
		}
		ends[key+" "+string(it.Lifecycle)]++
	}
	want := map[string]int{
		"order-1 completed": 1,
		"order-3 deleted":   2, // the order and its copy that ran again
		"order-4 pending":   1, // withdrawn and restored
		"order-5 deleted":   1,
		"reports completed": 2, // one for each town
	}
	for end, n := range want {
		if ends[end] != n {
			t.Errorf("%d items are %q, want %d", ends[end], end, n)
		}
		delete(ends, end)
	}
	if len(ends) > 0 {
		t.Errorf("there are also %v", ends)
	}
}

// TestPaymentsAreSealed checks that the card number of the story is nowhere in the
// database file.
func TestPaymentsAreSealed(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("project")); err != nil {
		t.Fatal(err)
	}
	s := &session{dir: dir, out: t.Output()}
	for _, command := range []string{
		"keys new --out keyset.json", "queues define",
		`enqueue --queue payments --pipeline payment --payload '{"card":"4929-1127","amount":12}'`,
	} {
		if err := s.do(t.Context(), done, command); err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "botwork.db*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no database file (%v)", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(data), "4929-1127") {
			t.Errorf("the card number can be read in %s", filepath.Base(file))
		}
	}
}
