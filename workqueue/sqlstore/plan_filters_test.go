package sqlstore_test

import (
	"cmp"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/internal/testgroup"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// What a list of items reads of a large table. docs/items.md says it for each filter.
const (
	// indexed: the items that match, by an index. A count reads the same.
	indexed = "indexed"

	// walks: the newest items, in the order of the primary key, until the page is full; or less, if
	// the planner knows an index. So it reads more if fewer items match, and all of them at most:
	// PostgreSQL then reads the table in any order and sorts what matches. A count reads the table once.
	walks = "walks"

	// sorts: the whole table once; it keeps the ids of one page. A count is that of the filter.
	sorts = "sorts"
)

type filterPlan struct {
	name   string
	reads  string
	index  string // of indexed
	counts string // the index of a count, if the list has none
	filter workqueue.ItemFilter
}

const primaryKey = "primary key"

// Indexes of items in a state.
const (
	heldIndex    = "(Leased|Assigned)"
	waitingIndex = "Checkout(Deadline)?"
	endedIndex   = "(Completed|Retained|Archived)"
)

// planOfState completes the plan of a filter by the states of the items that it selects. The index of items in a state
// has all of them, if there is one: a count reads it, and a list if the items are few.
func planOfState(p filterPlan, few bool, states ...workqueue.State) filterPlan {
	p.reads = walks
	if len(states) == len(workqueue.States()) {
		return p
	}
	switch states[0] {
	case workqueue.Blocked, workqueue.Assigned:
		p.counts = heldIndex
	case workqueue.Cancelled:
		p.counts = "Archived(At)?"
	case workqueue.Ready, workqueue.Pending:
		p.counts = waitingIndex
	}
	if few && p.counts != "" {
		p.reads, p.index = indexed, p.counts
	}
	return p
}

// filterPlans has an entry for each field of workqueue.ItemFilter, and for each value of those that
// have few. The values of filters that walk match some percent of the items.
func filterPlans() []filterPlan {
	second := func(n int) time.Time { return time.Date(2026, 1, 1, 0, 0, n, 0, time.UTC) }
	times := workqueue.TimeRange{Since: second(500_000), Until: second(2_000_000)}
	short := workqueue.TimeRange{Since: second(500_000), Until: second(501_000)}
	payload, err := workqueue.ParsePayloadFilter(`amount > 0`)
	if err != nil {
		panic(err)
	}
	held := []workqueue.Status{workqueue.StatusRunning, workqueue.StatusAssigned}
	ended := []workqueue.Status{workqueue.StatusSucceeded, workqueue.StatusFailed, workqueue.StatusBusinessError, workqueue.StatusExpired, workqueue.StatusCancelled}
	plans := []filterPlan{
		{name: "held", reads: indexed, index: heldIndex, filter: workqueue.ItemFilter{Statuses: held}},
		{name: "held by a worker", reads: indexed, index: heldIndex, filter: workqueue.ItemFilter{Statuses: held, Worker: "w1"}},
		{name: "held, sorted", reads: indexed, index: heldIndex, filter: workqueue.ItemFilter{
			Statuses: held, Sort: workqueue.ItemSort{By: workqueue.SortStarted, Descending: true},
		}},
		{name: "ended, sorted", reads: indexed, index: endedIndex, filter: workqueue.ItemFilter{
			Statuses: ended, Finished: short, Worker: "w1", Sort: workqueue.ItemSort{By: workqueue.SortStarted, Descending: true},
		}},
		{name: "waiting in a queue, sorted", reads: indexed, index: waitingIndex, filter: workqueue.ItemFilter{
			QueueName: "mail", States: []workqueue.State{workqueue.Ready, workqueue.Pending, workqueue.Blocked}, Sort: workqueue.ItemSort{By: workqueue.SortDue},
		}},
		{name: "no filter", reads: walks},
		{name: "limit", reads: walks, filter: workqueue.ItemFilter{Limit: 50}},
		{name: "count at most", reads: walks, filter: workqueue.ItemFilter{CountAtMost: 50}},
		{name: "before", reads: indexed, index: primaryKey, filter: workqueue.ItemFilter{BeforeID: 500}},
		{name: "from an id on", reads: indexed, index: primaryKey, filter: workqueue.ItemFilter{FromID: finishedRows}},
		{name: "look at a few", reads: indexed, index: primaryKey, filter: workqueue.ItemFilter{LookAt: 500}},
		{name: "look at a few for a pipeline", reads: indexed, index: primaryKey, filter: workqueue.ItemFilter{LookAt: 500, Pipeline: "None"}},
		{name: "look at a few of a worker", reads: indexed, index: primaryKey, filter: workqueue.ItemFilter{LookAt: 50_000, Worker: "w1"}},
		{name: "look at a few for a key", reads: indexed, index: primaryKey, filter: workqueue.ItemFilter{LookAt: 50_000, KeyPart: "none has it"}},
		{name: "look at a few for a label", reads: indexed, index: primaryKey, filter: workqueue.ItemFilter{LookAt: 50_000, Labels: map[string]string{"site": "none has it"}}},
		{name: "look at a few, sorted", reads: indexed, index: primaryKey, filter: workqueue.ItemFilter{LookAt: 50_000, Sort: workqueue.ItemSort{By: workqueue.SortPriority}}},
		{name: "look at few in a state", reads: indexed, index: heldIndex, filter: workqueue.ItemFilter{LookAt: 500, Statuses: held, Worker: "w1"}},
		{name: "look at a few waiting ones", reads: indexed, index: primaryKey, filter: workqueue.ItemFilter{
			LookAt: 500, Statuses: []workqueue.Status{workqueue.StatusPending, workqueue.StatusRetry, workqueue.StatusScheduled}, KeyPart: "none has it",
		}},
		{name: "ids", reads: indexed, index: primaryKey, filter: workqueue.ItemFilter{IDs: []int64{7, 99, 500_000}}},
		{name: "key", reads: indexed, index: "NaturalKey", filter: workqueue.ItemFilter{NaturalKey: "order-77"}},
		{name: "failed", reads: indexed, index: "Archived(At)?", filter: workqueue.ItemFilter{Failed: short}},
		{name: "failed in queue", reads: indexed, index: "Archived", filter: workqueue.ItemFilter{Failed: short, QueueName: "mail"}},
		{name: "failed, sorted", reads: indexed, index: "Archived(At)?", filter: workqueue.ItemFilter{
			Failed: short, Sort: workqueue.ItemSort{By: workqueue.SortFinished, Descending: true},
		}},
		{name: "deadline", reads: indexed, index: "Deadline", filter: workqueue.ItemFilter{Deadline: short}},
		{name: "queue", reads: walks, filter: workqueue.ItemFilter{QueueName: "mail"}},
		{name: "pipeline", reads: walks, filter: workqueue.ItemFilter{Pipeline: "Work"}},
		{name: "worker", reads: walks, filter: workqueue.ItemFilter{Worker: "w1"}},
		{name: "band", reads: walks, filter: workqueue.ItemFilter{Band: workqueue.Band{Min: 1000, Max: 2000}}},
		{name: "key part", reads: walks, filter: workqueue.ItemFilter{KeyPart: "DER-77"}},
		{name: "task", reads: walks, filter: workqueue.ItemFilter{TaskName: "nightly"}},
		{name: "any tag", reads: walks, filter: workqueue.ItemFilter{TagsAny: []string{"urgent", "x"}}},
		{name: "all tags", reads: walks, filter: workqueue.ItemFilter{TagsAll: []string{"urgent", "invoice"}}},
		{name: "metadata", reads: walks, filter: workqueue.ItemFilter{Metadata: map[string]string{"customer": "7"}}},
		{name: "metadata begins", reads: walks, filter: workqueue.ItemFilter{MetadataBegins: map[string]string{"customer": "7"}}},
		{name: "label", reads: walks, filter: workqueue.ItemFilter{Labels: map[string]string{"site": "site-7"}}},
		{name: "label that is a number", reads: walks, filter: workqueue.ItemFilter{Labels: map[string]string{"ram": "7"}}},
		{name: "has a label", reads: walks, filter: workqueue.ItemFilter{HasLabels: []string{"ram"}}},
		{name: "created", reads: walks, filter: workqueue.ItemFilter{Created: times}},
		{name: "due", reads: walks, filter: workqueue.ItemFilter{Due: times}},
		{name: "started", reads: walks, filter: workqueue.ItemFilter{Started: times}},
		{name: "finished", reads: walks, filter: workqueue.ItemFilter{Finished: times}},
		{name: "error kind", reads: walks, filter: workqueue.ItemFilter{ErrorKinds: []workqueue.ErrorKind{workqueue.KindBusiness}}},
		{name: "error", reads: walks, filter: workqueue.ItemFilter{ErrorPart: "REFUSED"}},
		{name: "payload", reads: walks, filter: workqueue.ItemFilter{Payload: payload}}, // up to workqueue.MaxPayloadSearch
	}
	for _, s := range workqueue.States() {
		plans = append(plans, planOfState(filterPlan{name: "state " + s.String(), filter: workqueue.ItemFilter{States: []workqueue.State{s}}}, s != workqueue.Cancelled, s))
	}
	for _, l := range workqueue.Lifecycles() {
		plans = append(plans, planOfState(filterPlan{
			name: "lifecycle " + string(l), filter: workqueue.ItemFilter{Lifecycles: []workqueue.Lifecycle{l}},
		}, l != workqueue.LifeArchived, sqlstore.LifecycleStates(l)...))
	}
	for _, s := range workqueue.Statuses() {
		plans = append(plans, planOfState(filterPlan{
			name: "status " + string(s), filter: workqueue.ItemFilter{Statuses: []workqueue.Status{s}},
		}, true, sqlstore.LifecycleStates(sqlstore.StatusLifecycle(s))...))
	}
	for _, by := range workqueue.SortKeys() {
		reads := sorts
		if by == workqueue.SortID {
			reads = walks
		}
		for _, descending := range []bool{false, true} {
			plans = append(plans, filterPlan{
				name: fmt.Sprintf("sort by %s, descending %t", by, descending), reads: reads,
				filter: workqueue.ItemFilter{Sort: workqueue.ItemSort{By: by, Descending: descending}},
			})
		}
	}
	return plans
}

// A new filter needs an entry, so that its author looks at what it reads.
func TestEveryFilterHasAPlan(t *testing.T) {
	var all, planned []string
	leaves(reflect.ValueOf(workqueue.ItemFilter{}), "", func(name string, _ bool) { all = append(all, name) })
	for _, p := range filterPlans() {
		leaves(reflect.ValueOf(p.filter), "", func(name string, zero bool) {
			if !zero {
				planned = append(planned, name)
			}
		})
	}
	for _, name := range all {
		if !slices.Contains(planned, name) {
			t.Errorf("ItemFilter%s has no entry in filterPlans: decide what a list by it reads of a million items, and add it to docs/items.md", name)
		}
	}
	if len(all) < 25 {
		t.Errorf("found the fields %q, want all of ItemFilter", all)
	}
}

// leaves calls each for the fields of a struct, and instead of a struct among them for its fields.
func leaves(v reflect.Value, path string, each func(name string, zero bool)) {
	for i := range v.NumField() {
		name := path + "." + v.Type().Field(i).Name
		if field := v.Field(i); field.Kind() == reflect.Struct && field.Type() != reflect.TypeFor[time.Time]() {
			leaves(field, name, each)
		} else {
			each(name, field.IsZero())
		}
	}
}

// A list over a million items reads no more than its entry in filterPlans says.
func TestFiltersReadWhatTheyMust(t *testing.T) {
	testgroup.Need(t, testgroup.Nightly)
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		store := e.Open(t, dsn)
		db := e.SQL(t, dsn)
		fillFiltered(t, e, db, finishedRows)
		countRows(t, e, db, "BotWorkQueueItems")
		type statement struct {
			text string
			args []any
		}
		var sent []statement
		if err := store.WatchListings(func(text string, args []any) { sent = append(sent, statement{text, slices.Clone(args)}) }); err != nil {
			t.Fatal(err)
		}
		plans := func(t *testing.T, name string) string {
			t.Helper()
			var all strings.Builder
			for _, one := range sent {
				all.WriteString(explainText(t, e, db, name, one.text, one.args))
			}
			sent = nil
			return all.String()
		}
		for _, p := range filterPlans() {
			if e.Driver == database.SQLServer && p.reads != indexed {
				continue // its plans do not show in which order it reads
			}
			t.Run(p.name, func(t *testing.T) {
				f := p.filter
				f.Limit = 50
				began := time.Now()
				items, err := store.Items(t.Context(), f)
				took := time.Since(began)
				p.checkError(t, err)
				p.checkList(t, e, plans(t, p.name))
				if f.Payload != nil {
					t.Logf("list: %d items in %s", len(items), took)
					return // its count evaluates the payloads of the same statement
				}
				began = time.Now()
				f.CountAtMost = cmp.Or(f.CountAtMost, 1e9) // without a bound, SQLite does not show the plans of all parts
				n, err := store.CountItems(t.Context(), f)
				p.checkError(t, err)
				t.Logf("list: %d items in %s; count: %d in %s", len(items), took, n, time.Since(began))
				p.checkCount(t, e, plans(t, p.name))
			})
		}
	})
}

// checkError fails unless the search has looked at all items, or at as many as it may.
func (p *filterPlan) checkError(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*workqueue.IncompleteError](err); err != nil && (!ok || p.filter.LookAt == 0) {
		t.Fatal(err)
	}
}

func (p *filterPlan) checkList(t *testing.T, e testdb.Engine, plan string) {
	t.Helper()
	switch p.reads {
	case indexed:
		p.checkIndex(t, e, plan)
	case walks:
		// A page that is sorted by another order than that of an index needs all items first.
		sorted := strings.Contains(plan, "TEMP B-TREE") || strings.Contains(plan, "Sort")
		if e.Driver == database.Postgres && fullScan(e, plan) != "" || sorted && !strings.Contains(plan, "X_BotWorkQueueItems_") {
			t.Errorf("the list does not stop when its page is full:\n%s", plan)
		}
	default:
		if n := fullScans(e, plan); n > 1 {
			t.Errorf("the list reads the table %d times:\n%s", n, plan)
		}
		if e.Driver == database.SQLite && !strings.Contains(plan, "LIST SUBQUERY") || e.Driver == database.Postgres && !strings.Contains(plan, "_1") {
			t.Errorf("the list sorts whole items, want their ids:\n%s", plan)
		}
	}
}

func (p *filterPlan) checkCount(t *testing.T, e testdb.Engine, plan string) {
	t.Helper()
	switch {
	case p.counts != "":
		p.index = p.counts
		fallthrough
	case p.reads == indexed:
		p.checkIndex(t, e, plan)
		return
	}
	if n := fullScans(e, plan); n > 1 || strings.Contains(plan, "TEMP B-TREE") || strings.Contains(plan, "Sort") {
		t.Errorf("the count reads the table %d times, or sorts:\n%s", n, plan)
	}
}

func (p *filterPlan) checkIndex(t *testing.T, e testdb.Engine, plan string) {
	t.Helper()
	index := "IX_BotWorkQueueItems_" + p.index
	if p.index == primaryKey {
		index = "PK_BotWorkQueueItems"
		if e.Driver == database.SQLite {
			index = "INTEGER PRIMARY KEY"
		}
	}
	if !uses(plan, index) || fullScan(e, plan) != "" {
		t.Errorf("want %s and no scan of the table:\n%s", index, plan)
	}
}

// fullScans counts the scans of all items in a plan.
func fullScans(e testdb.Engine, plan string) (n int) {
	for line := range strings.Lines(plan) {
		if fullScan(e, line) != "" {
			n++
		}
	}
	return n
}

// fillFiltered inserts finished items that were created one a second, of which one in 50 failed, and
// a few of each other state.
func fillFiltered(t *testing.T, e testdb.Engine, db *sql.DB, finished int) {
	t.Helper()
	exec := func(statement string) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	insert := func(n int, columns, values string) {
		t.Helper()
		exec(fmt.Sprintf(`INSERT INTO "BotWorkQueueItems" ("PoliciesApplied", "Priority", "CreatedAt", "Payload", %s)
			SELECT '1', n %% 1500, %s, '{"amount": 1}', %s FROM %s`, columns, second2026(e, "n"), values, series(e, n)))
	}
	exec(`INSERT INTO "BotQueues" ("Name") VALUES ('mail')`)
	exec(`INSERT INTO "BotWorkers" ("Name", "InstanceId", "Host", "Pid", "Version") SELECT CONCAT('w', n), 'x', 'h', 1, '1' FROM ` + series(e, 3))
	insert(finished, `"QueueName", "IntegrationConfig", "State", "WorkerId", "NaturalKey", "AvailableAt", "StartedAt", "FinishedAt", "DeletedAt",
		"Tags", "Metadata", "Labels", "TaskName", "Error", "ErrorKind"`,
		`CASE WHEN n % 10 = 0 THEN 'mail' ELSE 'default' END, CASE n % 2 WHEN 0 THEN 'Work' ELSE 'Other' END,
		CASE n % 50 WHEN 0 THEN 3 ELSE 2 END, 1 + n % 3, CONCAT('order-', n),
		`+second2026(e, "n")+`, `+second2026(e, "n + 1")+`, `+second2026(e, "n + 2")+`, CASE n % 1000 WHEN 999 THEN `+second2026(e, "n + 3")+` END,
		CASE n % 2 WHEN 0 THEN '["invoice"]' ELSE '["invoice","urgent"]' END, CONCAT('{"customer":"', n % 10, '"}'),
		CONCAT('{"ram":', n % 10, ',"site":"site-', n % 10, '"}'),
		CASE n % 100 WHEN 1 THEN 'nightly' END, CASE n % 50 WHEN 0 THEN 'connection refused' END,
		CASE n % 50 WHEN 0 THEN CASE n / 50 % 4 WHEN 0 THEN 'error' WHEN 1 THEN 'business' WHEN 2 THEN 'expired' ELSE 'cancelled' END END`)
	const others = `"IntegrationConfig", "State", "AvailableAt", `
	now, later := second2026(e, "n"), second2026(e, "n + 1000000000")
	insert(5_000, others+`"Scheduled"`, `'Work', 0, `+now+`, '0'`)
	insert(5_000, others+`"Scheduled"`, `'Work', 4, `+later+`, '1'`)
	insert(5_000, others+`"Scheduled", "RetryCount"`, `'Work', 4, `+later+`, '1', 1`)
	insert(50, others+`"WorkerId", "AssignedAt"`, `'Work', 5, `+now+`, 1, `+now)
	insert(50, others+`"WorkerId", "Fence", "LeaseExpiresAt"`, `'Work', 1, `+now+`, 1, 1, `+now)
}

// second2026 is the n-th second of 2026 as an expression.
func second2026(e testdb.Engine, n string) string {
	switch e.Driver {
	case database.Postgres:
		return `timestamptz '2026-01-01 00:00:00Z' + (` + n + `) * interval '1 second'`
	case database.SQLServer:
		return `DATEADD(second, ` + n + `, CAST('2026-01-01' AS DATETIME2(3)))`
	}
	return `strftime('%Y-%m-%d %H:%M:%f', 1767225600 + ` + n + `, 'unixepoch')`
}
