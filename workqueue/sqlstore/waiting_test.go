package sqlstore_test

import (
	"strings"
	"testing"

	sqlfiles "botwork/sql"
)

// If Waits found items that no pass assigns, every busy worker would run passes in vain. If it
// missed items, they would wait until less urgent items end.
func TestWaitingHasTheConditionsOfDue(t *testing.T) {
	read := func(folder, name string) string {
		t.Helper()
		text, err := sqlfiles.Read(sqlfiles.Files, folder+"/queries/"+name+".sql")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(text), " ")
	}
	for _, folder := range folders {
		waiting, ready := read(folder, "waiting"), read(folder, "ready")
		leaders, due, _ := strings.Cut(read(folder, "due"), ") SELECT undated.")
		parts := strings.Split(due, " UNION ALL ")
		if len(parts) != 5 {
			t.Fatalf("%s/due has %d parts, want 5", folder, len(parts))
		}
		// The last part has the items that lead a batch, whose conditions precede all parts.
		_, leaders, found := strings.Cut(leaders, " FROM ( SELECT ")
		groups, conditions, both := strings.Cut(leaders, " g WHERE ")
		if !found || !both {
			t.Fatalf("%s/due: want WITH leaders AS (SELECT … FROM (SELECT …) g WHERE …)", folder)
		}
		for name, text := range map[string]string{"waiting": waiting, "ready": ready} {
			if !strings.Contains(text, groups) || !strings.Contains(text, conditions) {
				t.Errorf("%s/%s does not have the conditions of items that lead a batch: %s g WHERE %s", folder, name, groups, conditions)
			}
		}
		// The third part, items that may overtake others, only defines an order: its items are
		// also in the first two.
		for i, due := range append(parts[:2:2], parts[3]) {
			// The last conditions exclude items that a pass has found to be at a limit.
			from, to := strings.Index(due, " FROM BotWorkQueueItems "), strings.Index(due, "@queues ")
			if folder == "postgres" {
				from, to = strings.Index(due, ` FROM "BotWorkQueueItems" `), strings.Index(due, "CAST(@queues ")
			}
			if to = strings.LastIndex(due[:max(to, 0)], " AND ("); from < 0 || to < from {
				t.Fatalf("%s/due: want FROM … AND (@queues …", folder)
			}
			for name, text := range map[string]string{"waiting": waiting, "ready": ready} {
				if !strings.Contains(text, "WHEN EXISTS (SELECT 1"+due[from:to]+")") && !strings.Contains(text, "WHEN (SELECT 1"+due[from:to]+" ORDER BY ") {
					t.Errorf("%s/%s does not have the conditions of part %d of due: %s", folder, name, i+1, due[from:to])
				}
			}
		}
	}
}
