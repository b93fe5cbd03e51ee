package sqlstore_test

import (
	"fmt"
	"testing"

	"botwork/internal/testdb"
	"botwork/workqueue"
)

// An update and a rule of escalation leave an item alone that has changed since it was read, whether or
// not the rows were locked before: the statement would write back what was read, or act twice.
func TestStatementsCompareTheVersion(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		store := e.Open(t, dsn)
		db := e.SQL(t, dsn)
		made, err := store.Enqueue(t.Context(), []workqueue.NewItem{{IntegrationConfig: "Work", Priority: 700}})
		if err != nil {
			t.Fatal(err)
		}
		it, err := store.Item(t.Context(), made[0].ID)
		if err != nil {
			t.Fatal(err)
		}
		for statement, values := range map[string]string{
			"change_update": `"Queue": "default", "Prio": 900, "SetsDeadline": 0`,
			"escalate":      `"OldPrio": 700, "NewPrio": 900, "SetsSelectors": 0`,
		} {
			for version, want := range map[int64]int{it.Version - 1: 0, it.Version: 1, it.Version + 1: 0} {
				row := fmt.Sprintf(`[{"ItemId": %d, "ItemFence": %d, "OldState": %d, "OldVersion": %d, %s}]`, it.ID, it.Fence, it.State, version, values)
				if changed, _ := lockedBy(t, e, db, statement, map[string]any{"rows": row, "now": nil}); changed != want {
					t.Errorf("%s changed %d items when version %d was read, want %d: the item has version %d", statement, changed, version, want, it.Version)
				}
			}
		}
	})
}
