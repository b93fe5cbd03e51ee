package sqlstore_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// Scheduled items that are now due are read in the same order as items that have always been
// due, before and after they are promoted. Whether an item is due depends on AvailableAt alone,
// whatever Scheduled is.
func TestPromotedItemsKeepTheirOrder(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		e.Open(t, dsn) // migrates
		clock := time.Date(2026, 1, 31, 13, 45, 0, 0, time.UTC)
		store := openAt(t, e, dsn, func() time.Time { return clock })
		hand := e.SQL(t, dsn)
		yes, no := "1", "0"
		if e.Driver == database.Postgres {
			yes, no = "TRUE", "FALSE"
		}
		const n = 1500 // so many that a pass promotes them
		var items []workqueue.NewItem
		for i := range n {
			it := workqueue.NewItem{IntegrationConfig: "x", State: workqueue.Pending, Priority: 500 + i%7*100}
			switch i % 5 {
			case 0: // due at once
			case 1:
				it.In = 3 * time.Hour // later than the test's end
			default:
				it.In = time.Hour
			}
			if i%3 == 0 {
				it.Deadline = clock.Add(24*time.Hour + time.Duration(i)*time.Minute)
			}
			items = append(items, it, it)
		}
		if _, err := store.Enqueue(t.Context(), items); err != nil {
			t.Fatal(err)
		}
		count := func(where string) (found int) {
			t.Helper()
			if err := hand.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM "BotWorkQueueItems" WHERE `+where).Scan(&found); err != nil {
				t.Fatal(err)
			}
			return found
		}
		scheduled := fmt.Sprintf(`"Scheduled" = %s`, yes)
		if got, want := count(scheduled), 2*n*4/5; got != want {
			t.Errorf("%d items are scheduled at first, want %d", got, want)
		}
		due := func(limit int) (ids []int64) {
			t.Helper()
			err := store.ReadUnlocked(t.Context(), func(ctx context.Context, view workqueue.AssignView) error {
				list, err := view.DueItems(ctx, workqueue.EveryPriority, workqueue.Full{}, limit)
				for _, d := range list {
					ids = append(ids, d.ID)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return ids
		}
		if got, want := len(due(4*n)), 2*n/5; got != want {
			t.Errorf("%d items are due at first, want %d", got, want)
		}
		clock = clock.Add(2 * time.Hour)
		all, err := store.Items(t.Context(), workqueue.ItemFilter{Limit: 4 * n})
		if err != nil {
			t.Fatal(err)
		}
		all = slices.DeleteFunc(all, func(it workqueue.Item) bool { return it.AvailableAt.After(clock) })
		slices.SortFunc(all, func(a, b workqueue.Item) int {
			none := func(it workqueue.Item) int { return map[bool]int{true: 1}[it.DeadlineAt == nil] }
			deadline := func(it workqueue.Item) time.Time {
				if it.DeadlineAt == nil {
					return time.Time{}
				}
				return *it.DeadlineAt
			}
			return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(none(a), none(b)), deadline(a).Compare(deadline(b)), cmp.Compare(a.ID, b.ID))
		})
		want := make([]int64, len(all))
		for i := range all {
			want[i] = all[i].ID
		}
		if len(want) != 2*n*4/5 {
			t.Fatalf("%d items are due, want %d", len(want), 2*n*4/5)
		}
		if diff := gocmp.Diff(want[:10], due(10)); diff != "" {
			t.Errorf("the first ten while they are scheduled (-want +got):\n%s", diff)
		}
		if got := count(scheduled); got != 2*n*4/5 {
			t.Errorf("%d items are scheduled after a pass that read few, want %d, unchanged", got, 2*n*4/5)
		}
		for _, when := range []string{"while they are scheduled", "after they were promoted"} {
			if diff := gocmp.Diff(want, due(4*n)); diff != "" {
				t.Errorf("due items %s (-want +got):\n%s", when, diff)
			}
			if got := count(scheduled); got != 2*n/5 {
				t.Errorf("%d items are scheduled after a pass that read many, want %d: those that are due later", got, 2*n/5)
			}
		}
		// Changes by hand: Scheduled does not matter.
		for _, change := range []string{`"AvailableAt" = '2026-01-01 00:00:00.000'`, `"AvailableAt" = '2027-01-01 00:00:00.000', "Scheduled" = ` + no} {
			if _, err := hand.ExecContext(t.Context(), `UPDATE "BotWorkQueueItems" SET `+change+` WHERE `+scheduled+` OR "AvailableAt" > '2026-06-01 00:00:00.000'`); err != nil {
				t.Fatal(err)
			}
			if got, want := len(due(4*n)), map[bool]int{true: 2 * n, false: 2 * n * 4 / 5}[change == `"AvailableAt" = '2026-01-01 00:00:00.000'`]; got != want {
				t.Errorf("%d items are due after %s, want %d", got, change, want)
			}
		}
	})
}
