package storetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
)

func housekeepingTests() []test {
	return []test{
		{"retention to the millisecond", housekeepRetained},
		{"completed items by their queue's retention or the default", housekeepCompleted},
		{"archived items by their queue's maximum age or the default", housekeepArchived},
		{"an archive of thousands", housekeepArchive},
		{"archives by their queue's limit or the default", housekeepArchives},
		{"deleted items", housekeepDeleted},
		{"unique keys whose time has ended", housekeepKeys},
		{"a batch has a limit of items", housekeepBatch},
		{"a batch has a limit of attempts", housekeepAttempts},
		{"firings except the latest", housekeepFirings},
		{"firings of tasks", housekeepTaskFirings},
		{"runs except the latest and those that are active", housekeepRuns},
		{"requests whose run is gone", housekeepRequests},
		{"workers that have stopped", housekeepWorkers},
		{"durations that have not been updated for a long time", housekeepDurations},
		{"one of each kind and nothing else", housekeepAll},
		{"a purge of a queue", purgeAll},
		{"a purge page by page", purgePages},
		{"a purge of some lifecycles", purgeLifecycles},
		{"a refused purge", purgeRefused},
	}
}

// cleanNow is the clock of these tests.
var cleanNow = time.Date(2030, 6, 15, 12, 0, 0, 0, time.UTC)

// cleaned opens the store with that clock.
func (x *fixture) cleaned() Store {
	return x.At(x.T, func() time.Time { return cleanNow })
}

// ago returns the time d before the clock's time, as an SQL literal.
func ago(d time.Duration) string {
	return cleanNow.Add(-d).Format(`'2006-01-02 15:04:05.000'`)
}

// days returns an age of n days.
func days(n int) *time.Duration { return new(time.Duration(n) * 24 * time.Hour) }

// row inserts an item by hand; each column has the form `"State" = 2`.
func (x *fixture) row(name, queue string, columns ...string) {
	x.Helper()
	names, values := []string{`"IntegrationConfig"`, `"QueueName"`}, []string{"'" + name + "'", "'" + queue + "'"}
	for _, c := range columns {
		column, value, _ := strings.Cut(c, " = ")
		names, values = append(names, column), append(values, value)
	}
	x.exec(1, `INSERT INTO "BotWorkQueueItems" (%s) VALUES (%s)`, strings.Join(names, ", "), strings.Join(values, ", "))
}

// left lists the names of all items, including deleted ones, sorted.
func (x *fixture) left() []string {
	x.Helper()
	items, err := x.Store.Items(x.ctx, workqueue.ItemFilter{Lifecycles: workqueue.Lifecycles(), Limit: 50_000})
	if err != nil {
		x.Fatal(err)
	}
	names := make([]string, len(items))
	for i, it := range items {
		names[i] = it.IntegrationConfig
	}
	slices.Sort(names)
	return names
}

func (x *fixture) wantLeft(want ...string) {
	x.Helper()
	want = slices.Sorted(slices.Values(want))
	if got := x.left(); !slices.Equal(got, want) {
		x.Errorf("remaining items are %q, want %q", got, want)
	}
}

// wantRemoved checks the result of a batch.
func (x *fixture) wantRemoved(n int, err error, want int) {
	x.Helper()
	if err != nil || n != want {
		x.Fatalf("a batch removed %d, %v, want %d", n, err, want)
	}
}

// drainBatches calls batch until it removes nothing.
func (x *fixture) drainBatches(most int, batch func() (int, error)) (total int) {
	x.Helper()
	for {
		n, err := batch()
		if err != nil || n > most {
			x.Fatalf("a batch removed %d, %v, want at most %d", n, err, most)
		}
		if total += n; n == 0 {
			return total
		}
	}
}

func (x *fixture) defineThese(queues ...workqueue.Queue) {
	x.Helper()
	if _, err := x.Store.DefineQueues(x.ctx, queues, "ann"); err != nil {
		x.Fatal(err)
	}
}

// several copies the only item until there are n, by doubling: n is a power of two.
func (x *fixture) several(n int, columns string) {
	x.Helper()
	for have := 1; have < n; have *= 2 {
		x.exec(int64(have), `INSERT INTO "BotWorkQueueItems" (%[1]s) SELECT %[1]s FROM "BotWorkQueueItems"`, columns)
	}
}

func housekeepRetained(x *fixture) {
	s := x.cleaned()
	x.row("over", "default", `"State" = 2`, `"RetainUntil" = `+ago(0))
	x.row("over long ago", "default", `"State" = 2`, `"RetainUntil" = `+longAgo)
	x.row("a millisecond left", "default", `"State" = 2`, `"RetainUntil" = `+ago(-time.Millisecond))
	x.row("deleted", "default", `"State" = 2`, `"RetainUntil" = `+longAgo, `"DeletedAt" = `+longAgo)
	x.row("archived", "default", `"State" = 3`, `"RetainUntil" = `+longAgo)
	x.row("waits", "default", `"State" = 0`, `"RetainUntil" = `+longAgo)
	x.row("no bound", "default", `"State" = 2`, `"FinishedAt" = `+longAgo)
	n, err := s.RemoveRetained(x.ctx, 0)
	x.wantRemoved(n, err, 2)
	x.wantLeft("a millisecond left", "deleted", "archived", "waits", "no bound")
	n, err = s.RemoveRetained(x.ctx, 0)
	x.wantRemoved(n, err, 0)
}

func housekeepCompleted(x *fixture) {
	s := x.cleaned()
	x.defineThese(
		workqueue.Queue{Name: "short", QueueLife: workqueue.QueueLife{Retain: new(workqueue.Duration(time.Hour))}},
		workqueue.Queue{Name: "long", QueueLife: workqueue.QueueLife{Retain: new(workqueue.Duration(365 * 24 * time.Hour))}},
	)
	for _, queue := range []string{"default", "short", "long"} {
		for name, age := range map[string]time.Duration{"hour": time.Hour, "month": 30 * 24 * time.Hour, "year": 365 * 24 * time.Hour} {
			x.row(queue+" "+name, queue, `"State" = 2`, `"FinishedAt" = `+ago(age))
			x.row(queue+" almost "+name, queue, `"State" = 2`, `"FinishedAt" = `+ago(age-time.Millisecond))
		}
	}
	x.row("has its own", "default", `"State" = 2`, `"FinishedAt" = `+longAgo, `"RetainUntil" = `+farAway)
	x.row("archived", "default", `"State" = 3`, `"FinishedAt" = `+longAgo)
	x.row("deleted", "default", `"State" = 2`, `"FinishedAt" = `+longAgo, `"DeletedAt" = `+longAgo)
	x.row("no end", "default", `"State" = 2`)
	unaffected := []string{"has its own", "archived", "deleted", "no end"}

	// Without a default, the retention of each queue applies.
	n, err := s.RemoveCompleted(x.ctx, nil, 0)
	x.wantRemoved(n, err, 5+1)
	all := []string{"default almost hour", "default hour", "default almost month", "default month", "default almost year", "default year"}
	ofQueues := []string{"short almost hour", "long almost hour", "long hour", "long almost month", "long month", "long almost year"}
	x.wantLeft(slices.Concat(all, ofQueues, unaffected)...)
	n, err = s.RemoveCompleted(x.ctx, days(30), 0)
	x.wantRemoved(n, err, 3)
	x.wantLeft(slices.Concat(all[:3], ofQueues, unaffected)...)
	n, err = s.RemoveCompleted(x.ctx, new(time.Duration(0)), 0)
	x.wantRemoved(n, err, 3)
	x.wantLeft(slices.Concat(ofQueues, unaffected)...)
}

func housekeepDeleted(x *fixture) {
	s := x.cleaned()
	x.row("old", "default", `"State" = 3`, `"DeletedAt" = `+ago(*days(30)))
	x.row("old completed", "default", `"State" = 2`, `"RetainUntil" = `+farAway, `"DeletedAt" = `+ago(*days(31)))
	x.row("almost old", "default", `"State" = 3`, `"DeletedAt" = `+ago(*days(30)-time.Millisecond))
	x.row("runs", "default", `"State" = 1`, `"DeletedAt" = `+longAgo)
	x.row("waits", "default", `"State" = 4`, `"DeletedAt" = `+longAgo)
	x.row("archived", "default", `"State" = 3`, `"FinishedAt" = `+longAgo)
	n, err := s.RemoveDeleted(x.ctx, *days(30), 0)
	x.wantRemoved(n, err, 2)
	x.wantLeft("almost old", "runs", "waits", "archived")
}

func housekeepKeys(x *fixture) {
	s := x.cleaned()
	for state := range 6 {
		x.row(fmt.Sprint("over ", state), "default", fmt.Sprint(`"State" = `, state), fmt.Sprintf(`"TimedKey" = 'over %d'`, state), `"TimedUntil" = `+ago(0))
		x.row(fmt.Sprint("holds ", state), "default", fmt.Sprint(`"State" = `, state), fmt.Sprintf(`"TimedKey" = 'holds %d'`, state), `"TimedUntil" = `+ago(-time.Millisecond))
	}
	n, err := s.FreeTimedKeys(x.ctx, 0)
	x.wantRemoved(n, err, 2)
	x.exec(2, `UPDATE "BotWorkQueueItems" SET "Priority" = 1 WHERE "TimedKey" IS NULL AND "TimedUntil" IS NULL AND "State" IN (2, 3) AND "IntegrationConfig" LIKE 'over%%'`)
	x.exec(10, `UPDATE "BotWorkQueueItems" SET "Priority" = 1 WHERE "TimedKey" IS NOT NULL AND "TimedUntil" IS NOT NULL`)
}
