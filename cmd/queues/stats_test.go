package queues_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"botwork/cmd/queues"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
)

// cannedStatistics are figures that do not depend on the time: of a busy queue and of an
// unused one.
func cannedStatistics() queues.AllStatistics {
	at := time.Date(2026, 1, 31, 13, 45, 7, 250_000_000, time.UTC)
	var since []time.Time
	for _, length := range workqueue.StatisticsWindows() {
		since = append(since, at.Add(-length))
	}
	busy := workqueue.NewQueueStatistics("invoices", at, since)
	for i, l := range workqueue.Lifecycles() {
		busy.Items[l] = int64(3 * i)
	}
	for i, s := range workqueue.States() {
		busy.States[s.String()] = int64(7 * i)
	}
	busy.Items[workqueue.LifeCompleted], busy.States[workqueue.Processed.String()] = 9_876_543, 9_876_543
	busy.Waits(at.Add(-90 * time.Second))
	for i := range busy.Windows {
		w := &busy.Windows[i]
		runs := int64(10 * (i + 1))
		w.Complete(workqueue.DurationBucket(200), runs, 200*runs)
		w.Complete(workqueue.DurationBucket(61_000), 1, 61_000)
		w.Failed, w.Archived = int64(i), int64(i)
	}
	busy.ComputeWindows()
	list := []workqueue.QueueStatistics{busy, workqueue.NewQueueStatistics("mail", at, since)}
	return queues.AllStatistics{workqueue.OverallStatistics(list), list}
}

func TestQueuesStatsShown(t *testing.T) {
	all := cannedStatistics()
	for file, show := range map[string]func(a *cli.App) error{
		"queues_stats.txt":     func(a *cli.App) error { queues.StatisticsTable(a, all); return nil },
		"queues_stats_one.txt": func(a *cli.App) error { queues.StatisticsSheet(a, &all.Queues[0]); return nil },
		"queues_stats_new.txt": func(a *cli.App) error { queues.StatisticsSheet(a, &all.Queues[1]); return nil },
		"queues_stats.json":    func(a *cli.App) error { return a.Print(cli.FormatJSON, all, nil) },
		"queues_stats.yaml":    func(a *cli.App) error { return a.Print(cli.FormatYAML, all.Queues[0], nil) },
	} {
		var out bytes.Buffer
		if err := show(&cli.App{Streams: cli.Streams{Stdout: &out}}); err != nil {
			t.Fatal(err)
		}
		clitest.Golden(t, file, out.String())
	}
}

func TestQueuesStats(t *testing.T) {
	clitest.InProject(t)
	for range 3 {
		clitest.Must(t, "enqueue", "--pipeline", "hello", "--payload", `{"name": "Ada"}`)
	}
	one := func() workqueue.QueueStatistics {
		t.Helper()
		return clitest.Decode[workqueue.QueueStatistics](t, clitest.Must(t, "queues", "stats", "default", "-o", "json"))
	}
	if q := one(); q.Items[workqueue.LifePending] != 3 || q.OldestDueAt == nil || q.Items[workqueue.LifeCompleted] != 0 {
		t.Errorf("before a run: %+v, want 3 pending items", q)
	}
	clitest.Must(t, "run", "--once")
	q := one()
	if w := q.Windows[3]; q.Items[workqueue.LifeCompleted] != 3 || q.OldestDueAt != nil || w.Completed != 3 || w.Failed != 0 || w.P95Duration == nil {
		t.Errorf("after a run: %+v, want 3 completed items", q)
	}
	all := clitest.Decode[queues.AllStatistics](t, clitest.Must(t, "queues", "stats", "-o", "json"))
	if len(all.Queues) != 1 || all.All.Items[workqueue.LifeCompleted] != 3 {
		t.Errorf("of all queues: %+v", all)
	}
	if out := clitest.Must(t, "queues", "stats"); !strings.Contains(out, "(all)") {
		t.Errorf("the table has no sum:\n%s", out)
	}

	clitest.ByHand(t, `DELETE FROM BotWorkQueueItems WHERE Id = 1`)
	r := clitest.Do(t, "queues", "stats", "default", "--recount", "-o", "json")
	if r.Code != cli.ExitDone || !strings.Contains(r.Stderr, "queue default: 2 are completed; the counter was 3\ncounted all items: 1 correction\n") {
		t.Errorf("--recount: exit code %d\n%s", r.Code, r.Stderr)
	}
	if q := clitest.Decode[workqueue.QueueStatistics](t, r.Stdout); q.Items[workqueue.LifeCompleted] != 2 || q.Windows[3].Completed != 3 {
		t.Errorf("after a recount: %+v, want 2 completed items, and 3 in the day", q)
	}
	clitest.Do(t, "queues", "stats", "defualt", "--recount").WantFailure(t, cli.ExitFailed, `queue "defualt": not found; did you mean "default"?`)
	clitest.Do(t, "queues", "stats", "a", "b").WantFailure(t, cli.ExitUsage, "want at most one: the queue's name")
}
