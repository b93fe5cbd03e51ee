package queue_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/handlers"
	"botwork/handlers/queue"
	"botwork/internal/database"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// rubbish records calls of CleanUp.
type rubbish struct {
	workqueue.CleanUpStore
	asked map[string]any
}

func (r *rubbish) note(name string, value any) (int, error) {
	r.asked[name] = value
	return 0, nil
}

func shown[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

func (r *rubbish) RemoveRetained(_ context.Context, limit int) (int, error) {
	return r.note("batch", limit)
}
func (r *rubbish) RemoveCompleted(_ context.Context, age *time.Duration, _ int) (int, error) {
	return r.note("completed", shown(age))
}
func (r *rubbish) RemoveArchived(_ context.Context, age *time.Duration, _ int) (int, error) {
	return r.note("archived", shown(age))
}
func (r *rubbish) TrimArchives(_ context.Context, keep *int, _ int) (int, error) {
	return r.note("archivedItems", shown(keep))
}
func (r *rubbish) FreeTimedKeys(context.Context, int) (int, error)     { return 0, nil }
func (r *rubbish) CompactStatistics(context.Context, int) (int, error) { return 0, nil }
func (r *rubbish) RemoveDeleted(_ context.Context, age time.Duration, _ int) (int, error) {
	return r.note("deleted", age)
}
func (r *rubbish) RemoveFirings(_ context.Context, age time.Duration, _ int) (int, error) {
	return r.note("firings", age)
}
func (r *rubbish) RemoveRuns(_ context.Context, age time.Duration, _ int) (int, error) {
	return r.note("runs", age)
}
func (r *rubbish) RemoveWorkers(_ context.Context, age time.Duration, _ int) (int, error) {
	return r.note("workers", age)
}
func (r *rubbish) RemoveBatches(context.Context, time.Duration, int) (int, error) { return 0, nil }
func (r *rubbish) RemoveSteps(context.Context, int) (int, error)                  { return 0, nil }
func (r *rubbish) CleanAccess(context.Context, int) (int, error)                  { return 0, nil }

func (r *rubbish) RemoveAudit(_ context.Context, age time.Duration, _ int) (int, error) {
	return r.note("audit", age)
}
func (r *rubbish) RemoveTexts(_ context.Context, age time.Duration, _ int) (int, error) {
	return r.note("texts", age)
}
func (r *rubbish) RemoveForecasts(_ context.Context, age time.Duration, _ int) (int, error) {
	return r.note("forecasts", age)
}
func (r *rubbish) RemoveDurations(_ context.Context, age time.Duration, _ int) (int, error) {
	return r.note("durations", age)
}

func TestCleanUpParameters(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		name string
		with map[string]any
		want map[string]any
	}{
		{"the defaults", nil, map[string]any{
			"completed": 30 * day, "archived": 90 * day, "archivedItems": 10_000, "deleted": 30 * day,
			"firings": 90 * day, "runs": 30 * day, "workers": 30 * day, "durations": 90 * day, "texts": 365 * day, "forecasts": 30 * day, "audit": 90 * day, "batch": 500,
		}},
		{"never", map[string]any{
			"completed": "never", "archived": "never", "archivedItems": "never", "deleted": "never", "firings": "never", "runs": "never", "workers": "never", "durations": "never", "texts": "never", "forecasts": "never", "audit": "never",
		}, map[string]any{"completed": nil, "archived": nil, "archivedItems": nil, "batch": 500}},
		{"others", map[string]any{"completed": "0s", "archived": "36h", "archivedItems": 0, "workers": "24h", "durations": "0s", "texts": "48h", "forecasts": "1h", "audit": "24h", "batch": 7, "for": "1s"}, map[string]any{
			"completed": time.Duration(0), "archived": 36 * time.Hour, "archivedItems": 0, "deleted": 30 * day,
			"firings": 90 * day, "runs": 30 * day, "workers": day, "durations": time.Duration(0), "texts": 2 * day, "forecasts": time.Hour, "audit": day, "batch": 7,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &rubbish{asked: map[string]any{}}
			out, err := run(t, queue.Services{CleanUp: func() workqueue.CleanUpStore { return r }}, "CleanUp", c.with, handlers.Call{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, r.asked); diff != "" {
				t.Errorf("the store was asked (-want +got):\n%s", diff)
			}
			if out.(map[string]any)["complete"] != true {
				t.Errorf("output = %v, want it complete", out)
			}
		})
	}
}

func TestCleanUpRejectsWrongParameters(t *testing.T) {
	k, _ := registry(queue.Services{}).Lookup("CleanUp")
	for want, with := range map[string]map[string]any{
		"completed":     {"completed": "-1s"},
		"durations":     {"durations": "-1s"},
		"forecasts":     {"forecasts": "-1s"},
		"texts":         {"texts": "23h"},
		"or never":      {"archived": "sometimes"},
		"whole number":  {"archivedItems": "many"},
		"archivedItems": {"archivedItems": -1},
		"24h or more":   {"workers": "1h"},
		"run twice":     {"firings": "1h"},
		"its entry":     {"audit": "23h"},
		"1 to 500":      {"batch": 501},
		"got 0, want 1": {"batch": 0},
		"more than 0s":  {"for": "0s"},
	} {
		if _, err := k.Build(with); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want one about %q", with, err, want)
		}
	}
	if _, err := run(t, queue.Services{}, "CleanUp", nil, handlers.Call{}); err == nil || !strings.Contains(err.Error(), "botwork run") {
		t.Errorf("without a database: %v, want a hint", err)
	}
}

// The step with a real database removes old rows and keeps others.
func TestCleanUpOfADatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "botwork.db")
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: string(database.SQLite), DSN: path})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	byHand, err := database.Open(database.SQLite, path)
	if err != nil {
		t.Fatal(err)
	}
	defer byHand.Close()
	for statement, want := range map[string]int64{
		`INSERT INTO BotWorkQueueItems (IntegrationConfig, State, FinishedAt)
			WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 1200) SELECT 'old', 2 + n % 2, '2001-01-01 00:00:00.000' FROM s`: 1200,
		`INSERT INTO BotWorkQueueItems (IntegrationConfig, State, FinishedAt) VALUES ('new', 2, strftime('%Y-%m-%d %H:%M:%f', 'now', '-29 days'))`: 1,
		`INSERT INTO BotWorkQueueItems (IntegrationConfig, State, FinishedAt) VALUES ('new', 3, strftime('%Y-%m-%d %H:%M:%f', 'now', '-89 days'))`: 1,
		`INSERT INTO BotWorkQueueItems (IntegrationConfig) VALUES ('waits')`:                                                                       1,
	} {
		result, err := byHand.ExecContext(t.Context(), statement)
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		if n, err := result.RowsAffected(); err != nil || n != want {
			t.Fatalf("%s: %d rows, %v", statement, n, err)
		}
	}
	out, err := run(t, queue.Services{CleanUp: func() workqueue.CleanUpStore { return store }}, "CleanUp", nil, handlers.Call{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"completed": 600, "archived": 600, "deleted": 0, "firings": 0, "runs": 0, "workers": 0, "durations": 0, "forecasts": 0, "texts": 0, "audit": 0, "keys": 0, "figures": 0, "complete": true,
	}
	if diff := cmp.Diff(any(want), out); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	items, err := store.Items(t.Context(), workqueue.ItemFilter{})
	if err != nil || len(items) != 3 {
		t.Errorf("%d items are left, %v, want 3", len(items), err)
	}
}
