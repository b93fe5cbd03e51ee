package cmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

// fillQueue makes items by hand: so many in each of the states.
func fillQueue(t *testing.T, queue string, n int) {
	t.Helper()
	byHand(t, fmt.Sprintf(`INSERT INTO BotWorkQueueItems (IntegrationConfig, QueueName, State, FinishedAt)
		WITH RECURSIVE s(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < %d - 1)
		SELECT 'P', '%s', n %% 6, '2001-01-01 00:00:00.000' FROM s`, 6*n, queue))
}

func countItems(t *testing.T, args ...string) int {
	t.Helper()
	args = append([]string{"items", "list", "--limit", "10000", "-o", "json"}, args...)
	return len(decode[[]workqueue.Item](t, mustDo(t, args...)))
}

func TestQueuesPurge(t *testing.T) {
	defineSome(t)
	mustDo(t, "queues", "define")
	fillQueue(t, "mail", 200)
	fillQueue(t, "default", 2)
	mustDo(t, "queues", "stats", "--recount")

	botwork(t, "queues", "purge", "mail").wantFailure(t, cli.ExitUsage, "--yes", "1000 items would go")
	botwork(t, "queues", "purge", "mail", "--lifecycle", "completed,archived").wantFailure(t, cli.ExitUsage, "--yes", "400 items would go")
	if n := countItems(t, "--queue", "mail"); n != 1200 {
		t.Errorf("%d items are left without --yes, want all 1200", n)
	}
	if out := mustDo(t, "queues", "purge", "mail", "--lifecycle", "completed,archived", "--yes"); out != "queue mail: 400 items removed\n" {
		t.Errorf("purge of two lifecycles: %q", out)
	}
	if out := mustDo(t, "queues", "purge", "mail", "--yes"); out != "queue mail: 600 items removed\nmore than 100 items run and are left\n" {
		t.Errorf("purge of all: %q", out)
	}
	byHand(t, `UPDATE BotWorkQueueItems SET State = 2 WHERE QueueName = 'mail'`)
	if out := mustDo(t, "queues", "purge", "mail", "--yes"); out != "queue mail: 200 items removed\n" {
		t.Errorf("purge of the rest: %q", out)
	}
	if out := mustDo(t, "queues", "purge", "mail", "--yes"); out != "queue mail: no items removed\n" {
		t.Errorf("purge of nothing: %q", out)
	}
	if n := countItems(t); n != 12 {
		t.Errorf("%d items of other queues are left, want 12", n)
	}
	if out := mustDo(t, "queues", "purge", "default", "--yes"); !strings.HasSuffix(out, "2 items run and are left\n") {
		t.Errorf("purge of default: %q", out)
	}
	mustDo(t, "queues", "delete", "mail")
}

func TestQueuesPurgeRefuses(t *testing.T) {
	inProject(t)
	mustDo(t, "db", "migrate")
	fillQueue(t, "default", 1)
	botwork(t, "queues", "purge").wantFailure(t, cli.ExitUsage, "the queue's name")
	botwork(t, "queues", "purge", "defaul", "--yes").wantFailure(t, cli.ExitFailed, `did you mean "default"`)
	botwork(t, "queues", "purge", "default", "--yes", "--lifecycle", "active").wantFailure(t, cli.ExitUsage, "cancel it first")
	botwork(t, "queues", "purge", "default", "--yes", "--lifecycle", "complete").wantFailure(t, cli.ExitUsage, `did you mean "completed"`)
	botwork(t, "queues", "purge", "default", "--yes", "--lifecycle", "").wantFailure(t, cli.ExitUsage, "got nothing")
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

func TestPurgeThatIsInterrupted(t *testing.T) {
	seen := 0
	store := &pages{}
	n, err := (&app{App: &cli.App{}}).purgePages(t.Context(), t.Context(), store, workqueue.PurgeParams{}, func(n int) { seen += n })
	if err != nil || n != 30 || seen != 30 || fmt.Sprint(store.asked) != "[0 20 10]" {
		t.Errorf("purgePages = %d, %v with pages before %v", n, err, store.asked)
	}
	ctx, cancel := context.WithCancel(t.Context())
	store = &pages{cancel: cancel}
	n, err = (&app{App: &cli.App{}}).purgePages(ctx, t.Context(), store, workqueue.PurgeParams{}, func(int) {})
	if !errors.Is(err, context.Canceled) || n != 20 {
		t.Errorf("purgePages = %d, %v, want the page that was under way counted: 20", n, err)
	}
}

func TestCleanUpRuns(t *testing.T) {
	inProject(t)
	mustDo(t, "db", "migrate")
	fillQueue(t, "default", 3)
	mustDo(t, "run", "--once", "CleanUp")
	if n := countItems(t); n != 12 {
		t.Errorf("%d items are left, want 12: what completed or was cancelled long ago is gone", n)
	}
}
