package check_test

import (
	"slices"
	"strings"
	"testing"

	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/storetest"
)

// An item that waits because the file of its pipeline has errors is not a violation, and does
// not hide others.
func TestCheckOfBrokenPipelines(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newChecked(t, e)
		w := x.Worker(storetest.WorkerOpts{})
		x.exec(`UPDATE "BotWorkers" SET "StartedAt" = %s WHERE "Id" = %d`, longAgo, w.ID)
		broken := x.Item(storetest.ItemOpts{Pipeline: "Import"}).ID
		x.set(broken, `AvailableAt = `+longAgo+`, CreatedAt = `+longAgo)
		x.wantOne(workqueue.CheckOverdue, subjectOf(broken), "due since")

		x.params.BrokenPipelines = []string{"Import", "Export"}
		report := x.check()
		noted := slices.ContainsFunc(report.Checks, func(c workqueue.CheckResult) bool {
			return c.Check == workqueue.CheckOverdue && strings.Contains(strings.Join(c.Notes, "\n"), "Import, Export")
		})
		if !report.Clean || !noted {
			t.Errorf("violations %v, noted: %v; want no violation and the note", report.Violations, noted)
		}
		good := x.Item(storetest.ItemOpts{Pipeline: "Good"}).ID
		x.set(good, `AvailableAt = `+longAgo+`, CreatedAt = `+longAgo)
		x.wantOne(workqueue.CheckOverdue, subjectOf(good), "due since")
	})
}
