package queues_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"botwork/cmd/queues"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
)

// fillQueue inserts items with SQL: the same number in each state.
func fillQueue(t *testing.T, queue string, n int) {
	t.Helper()
	clitest.ByHand(t, fmt.Sprintf(`INSERT INTO BotWorkQueueItems (IntegrationConfig, QueueName, State, FinishedAt)
		WITH RECURSIVE s(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < %d - 1)
		SELECT 'P', '%s', n %% 6, '2001-01-01 00:00:00.000' FROM s`, 6*n, queue))
}

func countItems(t *testing.T, args ...string) int {
	t.Helper()
	args = append([]string{"items", "list", "--limit", "10000", "-o", "json"}, args...)
	return len(clitest.Decode[[]workqueue.Item](t, clitest.Must(t, args...)))
}

func TestQueuesPurge(t *testing.T) {
	defineSome(t)
	clitest.Must(t, "queues", "define")
	fillQueue(t, "mail", 200)
	fillQueue(t, "default", 2)
	clitest.Must(t, "queues", "stats", "--recount")

	clitest.Do(t, "queues", "purge", "mail").WantFailure(t, cli.ExitUsage, "--yes", "1000 items would be removed")
	clitest.Do(t, "queues", "purge", "mail", "--lifecycle", "completed,archived").WantFailure(t, cli.ExitUsage, "--yes", "400 items would be removed")
	if n := countItems(t, "--queue", "mail"); n != 1200 {
		t.Errorf("%d items are left without --yes, want all 1200", n)
	}
	if out := clitest.Must(t, "queues", "purge", "mail", "--lifecycle", "completed,archived", "--yes"); out != "queue mail: 400 items removed\n" {
		t.Errorf("purge of two lifecycles: %q", out)
	}
	if out := clitest.Must(t, "queues", "purge", "mail", "--yes"); out != "queue mail: 600 items removed\nmore than 100 running items were not removed\n" {
		t.Errorf("purge of all: %q", out)
	}
	clitest.ByHand(t, `UPDATE BotWorkQueueItems SET State = 2 WHERE QueueName = 'mail'`)
	if out := clitest.Must(t, "queues", "purge", "mail", "--yes"); out != "queue mail: 200 items removed\n" {
		t.Errorf("purge of the rest: %q", out)
	}
	if out := clitest.Must(t, "queues", "purge", "mail", "--yes"); out != "queue mail: no items removed\n" {
		t.Errorf("purge of nothing: %q", out)
	}
	if n := countItems(t); n != 12 {
		t.Errorf("%d items of other queues are left, want 12", n)
	}
	if out := clitest.Must(t, "queues", "purge", "default", "--yes"); !strings.HasSuffix(out, "2 running items were not removed\n") {
		t.Errorf("purge of default: %q", out)
	}
	clitest.Must(t, "queues", "delete", "mail")
}

func TestQueuesPurgeRefuses(t *testing.T) {
	clitest.InProject(t)
	clitest.Must(t, "db", "migrate")
	fillQueue(t, "default", 1)
	clitest.Do(t, "queues", "purge").WantFailure(t, cli.ExitUsage, "the queue's name")
	clitest.Do(t, "queues", "purge", "defaul", "--yes").WantFailure(t, cli.ExitFailed, `did you mean "default"`)
	clitest.Do(t, "queues", "purge", "default", "--yes", "--lifecycle", "active").WantFailure(t, cli.ExitUsage, "cancel it first")
	clitest.Do(t, "queues", "purge", "default", "--yes", "--lifecycle", "complete").WantFailure(t, cli.ExitUsage, `did you mean "completed"`)
	clitest.Do(t, "queues", "purge", "default", "--yes", "--lifecycle", "").WantFailure(t, cli.ExitUsage, "got nothing")
	if n := countItems(t); n != 6 {
		t.Errorf("%d items are left, want all 6", n)
	}
}

// pages is a store whose purge takes three pages.
type pages struct {
	asked  []int64
	cancel func()
}

func (p *pages) PurgeQueue(ctx context.Context, params workqueue.PurgeParams) (workqueue.PurgeResult, error) {
	p.asked = append(p.asked, params.BeforeID)
	if len(p.asked) == 2 && p.cancel != nil {
		p.cancel()
	}
	if err := ctx.Err(); err != nil {
		return workqueue.PurgeResult{}, err
	}
	return workqueue.PurgeResult{Removed: 10, Next: int64(30 - 10*len(p.asked))}, nil
}

func TestPurgeInterrupted(t *testing.T) {
	seen := 0
	store := &pages{}
	n, err := queues.PurgePages(t.Context(), &cli.App{}, store, workqueue.PurgeParams{}, func(n int) { seen += n })
	if err != nil || n != 30 || seen != 30 || fmt.Sprint(store.asked) != "[0 20 10]" {
		t.Errorf("purgePages = %d, %v with pages before %v", n, err, store.asked)
	}
	ctx, cancel := context.WithCancel(t.Context())
	store = &pages{cancel: cancel}
	n, err = queues.PurgePages(ctx, &cli.App{}, store, workqueue.PurgeParams{}, func(int) {})
	if !errors.Is(err, context.Canceled) || n != 20 {
		t.Errorf("purgePages = %d, %v, want 20, including the current page", n, err)
	}
}

func TestCleanUpRuns(t *testing.T) {
	clitest.InProject(t)
	clitest.Must(t, "db", "migrate")
	fillQueue(t, "default", 3)
	clitest.Must(t, "run", "--once", "CleanUp")
	if n := countItems(t); n != 12 {
		t.Errorf("%d items are left, want 12: CleanUp removes old completed and cancelled items", n)
	}
}
