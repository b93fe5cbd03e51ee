package items

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/workqueue"
)

// readings is a backend whose item has the next state at each reading.
type readings struct {
	cli.Backend
	items []workqueue.Item
}

func (r *readings) Item(context.Context, int64) (workqueue.Item, error) {
	now := r.items[0]
	r.items = r.items[1:]
	return now, nil
}

func (r *readings) Attempts(context.Context, int64) ([]workqueue.Attempt, error) { return nil, nil }

func (r *readings) AuditEntries(context.Context, workqueue.AuditFilter) ([]workqueue.AuditEntry, error) {
	return nil, nil
}

func (r *readings) Workers(context.Context) ([]workqueue.Worker, error) { return nil, nil }

// With --follow the log of a run is after the item, once, and grows until the run ends.
func TestShowFollowsTheLog(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	item := func(state workqueue.State, log string) workqueue.Item {
		it := workqueue.Item{ID: 7, State: state, QueueName: "default", IntegrationConfig: "hello", LogTail: new(log)}
		if state == workqueue.Processed || state == workqueue.Cancelled {
			it.FinishedAt = &at
		}
		if log == "" {
			it.LogTail = nil
		}
		return it
	}
	for _, c := range []struct {
		name  string
		items []workqueue.Item
		want  string // after the pipeline
		took  time.Duration
	}{
		{"running", []workqueue.Item{
			item(workqueue.Blocked, "a\n"), item(workqueue.Blocked, "a\n"), item(workqueue.Blocked, "a\nb\n"), item(workqueue.Processed, "a\nb\nc\n"),
		}, "failed attempts  0\n\na\nb\nc\n", 2 * logEvery},
		{"not started", []workqueue.Item{
			item(workqueue.Pending, ""), item(workqueue.Pending, ""), item(workqueue.Blocked, ""), item(workqueue.Processed, "a\n"),
		}, "failed attempts  0\n\na\n", 2 * logEvery},
		{"ended", []workqueue.Item{item(workqueue.Processed, "a\n")}, "log              a\nfailed attempts  0\nfinished         2026-01-02 03:04:05Z\n", 0},
		{"cancelled before it ran", []workqueue.Item{item(workqueue.Cancelled, "")}, "failed attempts  0\nfinished         2026-01-02 03:04:05Z\n", 0},
		{"cancelled while it waits", []workqueue.Item{item(workqueue.Pending, ""), item(workqueue.Cancelled, "")}, "failed attempts  0\n\n", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out strings.Builder
				a := &command{&projectdir.App{App: &cli.App{Streams: cli.Streams{Stdout: &out}}}}
				store := &readings{items: c.items}
				began := time.Now()
				err := a.showItem(t.Context(), store, 7, cli.FormatTable, true)
				_, rest, _ := strings.Cut(out.String(), "pipeline         hello\n")
				if rest != c.want || err != nil || len(store.items) > 0 || time.Since(began) != c.took {
					t.Errorf("got %q, error %v, %d readings left after %s; want %q after %s:\n%s",
						rest, err, len(store.items), time.Since(began), c.want, c.took, out.String())
				}
			})
		})
	}
}
