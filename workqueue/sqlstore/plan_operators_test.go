package sqlstore_test

import (
	"database/sql"
	"io/fs"
	"path"
	"strings"
	"testing"

	"botwork/internal/testdb"
)

// operatorIndexes are the indexes that operators' files must use, those that find their rows by
// key apart.
var operatorIndexes = map[string][]string{
	"01_what_waits_and_why": {"Waiting", "WaitingDeadline|Deadline", "Scheduled", "Assigned", "Leased"},
	"04_what_failed_today":  {"ArchivedAt", "Deleted"},
	"02_what_runs_where":    {"Leased"},
	"03_who_is_stale":       {"Assigned", "Leased"},
	"08_backlog_by_band":    {"Checkout", "CheckoutDeadline|WaitingDeadline|Deadline", "Assigned", "Leased"},
	"18_batches_of_items":   {"Batch"},
}

// checkOperatorPlans wants the operators' files to read no large table as a whole: people run them
// while the database is at work.
func checkOperatorPlans(t *testing.T, e testdb.Engine, db *sql.DB, prefix string) {
	t.Helper()
	files, err := fs.Glob(operatorFiles, folders[e.Driver]+"/operators/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(path.Base(file), ".sql")
		text, err := fs.ReadFile(operatorFiles, file)
		if err != nil {
			t.Fatal(err)
		}
		plan := explainText(t, e, db, name, string(text), nil)
		for _, index := range operatorIndexes[name] {
			one, other, _ := strings.Cut(index, "|") // either is correct
			if !uses(plan, prefix+one) && (other == "" || !uses(plan, prefix+other)) {
				t.Errorf("%s does not use %s%s:\n%s", name, prefix, index, plan)
			}
		}
		if name == "11_throughput_by_hour" {
			continue // no index has finished items by time: stats has these figures without reading items
		}
		if scan := fullScan(e, plan); scan != "" {
			t.Errorf("%s reads the whole table (%s):\n%s", name, scan, plan)
		}
	}
}
