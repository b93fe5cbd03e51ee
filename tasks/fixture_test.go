package tasks_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"botwork/internal/author/strictyaml"
	"botwork/internal/testdb"
	"botwork/tasks"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// fixture is an empty database with a fake clock.
type fixture struct {
	*testing.T
	engine testdb.Engine
	dsn    string
	store  *sqlstore.Store
	loader *tasks.Loader

	mu       sync.Mutex
	now      time.Time
	reported []string
}

// begin is a Saturday.
var begin = time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC)

func newFixture(t *testing.T, e testdb.Engine) *fixture {
	t.Helper()
	x := &fixture{T: t, engine: e, dsn: e.DSN(t), now: begin}
	e.Open(t, x.dsn) // migrates
	x.store = x.open()
	x.loader = x.newLoader(x.store, "ann")
	return x
}

// each runs a test on every available engine.
func each(t *testing.T, test func(x *fixture)) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) { test(newFixture(t, e)) })
}

func (x *fixture) open() *sqlstore.Store {
	x.Helper()
	store, err := sqlstore.Open(x.Context(), sqlstore.Options{Driver: string(x.engine.Driver), DSN: x.dsn, Now: x.clock})
	if err != nil {
		x.Fatal(err)
	}
	x.Cleanup(func() {
		if err := store.Close(); err != nil {
			x.Errorf("close store: %v", err)
		}
	})
	return store
}

func (x *fixture) newLoader(store tasks.Store, by string) *tasks.Loader {
	return &tasks.Loader{Store: store, By: by, Report: func(task string, err error) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.reported = append(x.reported, task+": "+err.Error())
	}}
}

func (x *fixture) clock() time.Time {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.now
}

// at sets the clock to a wall time in UTC.
func (x *fixture) at(text string) {
	x.Helper()
	at := at(x, text, time.UTC)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.now = at
}

// define writes the tasks of a settings file.
func (x *fixture) define(text string) {
	x.Helper()
	n, findings := strictyaml.Parse("botwork.yaml", []byte(text))
	if len(findings) > 0 {
		x.Fatal(findings)
	}
	list, findings := tasks.Decode(n, "UTC")
	if len(findings) > 0 {
		x.Fatal(findings)
	}
	rows, err := tasks.Rows(list)
	if err != nil {
		x.Fatal(err)
	}
	if _, err := x.store.DefineTasks(x.Context(), rows, "ann"); err != nil {
		x.Fatal(err)
	}
}

// exec changes rows with SQL.
func (x *fixture) exec(statement string) {
	x.Helper()
	if _, err := x.engine.SQL(x.T, x.dsn).ExecContext(x.Context(), statement); err != nil {
		x.Fatalf("%s: %v", statement, err)
	}
}

// load runs a pass and checks its result.
func (x *fixture) load(want tasks.LoadResult) {
	x.Helper()
	got, err := x.loader.Load(x.Context())
	if err != nil {
		x.Fatal(err)
	}
	if got != want {
		x.Errorf("at %s the pass did %+v, want %+v", x.now.Format(time.RFC3339), got, want)
	}
}

// items lists all items, the oldest first.
func (x *fixture) items() []workqueue.Item {
	x.Helper()
	items, err := x.store.Items(x.Context(), workqueue.ItemFilter{Limit: 1000})
	if err != nil {
		x.Fatal(err)
	}
	slices.Reverse(items)
	return items
}

// payloads returns the payloads of all items, the oldest first.
func (x *fixture) payloads() []string {
	var list []string
	for _, it := range x.items() {
		list = append(list, string(it.Payload))
	}
	return list
}

// end sets the state of all waiting items with SQL.
func (x *fixture) end(state workqueue.State, kind string) {
	x.Helper()
	x.exec(fmt.Sprintf(`UPDATE "BotWorkQueueItems" SET "State" = %d, "ErrorKind" = '%s', "Error" = 'broken', "FinishedAt" = '%s' WHERE "State" IN (0, 4)`,
		state, kind, x.now.Format("2006-01-02 15:04:05.000")))
}

// records returns the records of a task's windows, the oldest first.
func (x *fixture) records(task string) []string {
	x.Helper()
	firings, err := x.store.Firings(x.Context(), workqueue.FiringFilter{Schedule: workqueue.TaskSchedule(task), Limit: 1000})
	if err != nil {
		x.Fatal(err)
	}
	var list []string
	for _, f := range firings {
		reason, _, _ := strings.Cut(f.Reason, ":")
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", f.PlannedAt.Format("2006-01-02T15:04"), f.Worker, f.Outcome, reason)))
	}
	slices.Sort(list)
	return list
}

func (x *fixture) wantRecords(task string, want ...string) {
	x.Helper()
	if got := x.records(task); !slices.Equal(got, want) {
		x.Errorf("the records of %s are\n     %s\nwant %s", task, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

// info returns the data that the program added to a payload.
func info(t *testing.T, payload workqueue.JSONText, key string) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal([]byte(payload), &object); err != nil {
		t.Fatal(err)
	}
	inner, _ := object[key].(map[string]any)
	return inner
}
