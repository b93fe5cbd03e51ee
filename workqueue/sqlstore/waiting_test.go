package sqlstore_test

import (
	"strings"
	"testing"

	sqlfiles "botwork/sql"
)

// What Waits finds and no pass assigns would have every busy worker run passes for
// nothing; what it misses would wait for the end of lesser items.
func TestWaitingHasTheConditionsOfDue(t *testing.T) {
	read := func(folder, name string) string {
		t.Helper()
		text, err := sqlfiles.Files.ReadFile(folder + "/queries/" + name + ".sql")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(string(text)), " ")
	}
	for _, folder := range folders {
		waiting, ready := read(folder, "waiting"), read(folder, "ready")
		for _, name := range []string{"due", "due_deadline"} {
			due := read(folder, name)
			// The last conditions leave out what a pass has found without a place.
			from, to := strings.Index(due, " FROM BotWorkQueueItems "), strings.Index(due, "@queues ")
			if folder == "postgres" {
				from, to = strings.Index(due, ` FROM "BotWorkQueueItems" `), strings.Index(due, "CAST(@queues ")
			}
			if to = strings.LastIndex(due[:max(to, 0)], " AND ("); from < 0 || to < from {
				t.Fatalf("%s/%s: want FROM … AND (@queues …", folder, name)
			}
			if !strings.Contains(waiting, "EXISTS (SELECT 1"+due[from:to]+")") {
				t.Errorf("%s/waiting has not the conditions of %s: %s", folder, name, due[from:to])
			}
			if !strings.Contains(ready, "EXISTS (SELECT 1"+due[from:to]+")") {
				t.Errorf("%s/ready has not the conditions of %s: %s", folder, name, due[from:to])
			}
		}
	}
}
