//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"botwork/internal/testdb"
)

// shown is what a script reads about an item.
type shown struct {
	ID                int64
	State             int
	StateName         string
	Priority          int
	IntegrationConfig string
	ErrorKind         string
}

func TestDemo(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	dir := filepath.Join(folder, "quickstart")
	p := start(t, command(t, folder, nil, "demo", dir))
	p.await("item succeeded", 4) // three reports and the total
	p.await("item failed", 1)    // one file has an error on purpose
	p.await("west.csv line 8", 1)
	p.wantDrained(os.Interrupt)

	for _, region := range []string{"north", "east", "south"} {
		report, err := os.ReadFile(filepath.Join(dir, "data", "reports", region+".csv.txt"))
		if err != nil || !strings.Contains(string(report), "coffee") {
			t.Errorf("the report on %s: %v\n%s", region, err, report)
		}
	}
	r := run(t, folder, nil, "--config", filepath.Join(dir, "botwork.yaml"), "items", "list", "--output", "json")
	r.want(0)
	var items []shown
	decode(t, r.stdout, &items)
	ended := map[string]int{}
	for _, it := range items {
		ended[it.IntegrationConfig+" "+it.StateName+" "+it.ErrorKind]++
	}
	// The next minute may have begun in the meantime, and created waiting items.
	for what, n := range map[string]int{"sales-total Processed ": 1, "sales-report Processed ": 3, "sales-report Cancelled business": 1} {
		if ended[what] < n {
			t.Errorf("%d items are %q, want %d; all: %v", ended[what], what, n, ended)
		}
	}
	if again := start(t, command(t, folder, nil, "demo", dir)); !t.Failed() {
		again.await("item succeeded", 1) // an existing project is not an obstacle
		again.wantDrained(os.Interrupt)
	}
}

func TestNewProjectRunsItsFirstItem(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		dir := filepath.Join(t.TempDir(), "project")
		run(t, "", nil, "init", dir).want(0)
		environ := []string{"BOTWORK_DATABASE_DRIVER=" + string(e.Driver), "BOTWORK_DATABASE_DSN=" + e.DSN(t)}
		do := func(args ...string) string {
			r := run(t, dir, environ, args...)
			r.want(0)
			return r.stdout
		}
		do("db", "migrate")
		var created shown
		decode(t, do("enqueue", "--pipeline", "hello", "--payload-file", "hello.json", "--output", "json"), &created)
		if want := (shown{ID: 1, State: 4, StateName: "Pending", Priority: 1000, IntegrationConfig: "hello"}); created != want {
			t.Errorf("enqueue printed %+v, want %+v", created, want)
		}
		do("run", "--once")
		var items []shown
		decode(t, do("items", "list", "--output", "json"), &items)
		want := []shown{{ID: 1, State: 2, StateName: "Processed", Priority: 1000, IntegrationConfig: "hello"}}
		if diff := cmp.Diff(want, items); diff != "" {
			t.Errorf("items list (-want +got):\n%s", diff)
		}
		greeting, err := os.ReadFile(filepath.Join(dir, "data", "greetings", "item-1.txt"))
		if err != nil || !strings.HasPrefix(string(greeting), "Hello Ada,") {
			t.Errorf("the greeting is %q, %v", greeting, err)
		}
	})
}
