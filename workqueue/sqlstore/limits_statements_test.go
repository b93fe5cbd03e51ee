package sqlstore_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	sqlfiles "botwork/sql"
)

// A condition on due items that is added to a statement and forgotten in the one
// for queues with limits would hold only until some queue is full.
func TestLimitedStatementsFollowTheirSiblings(t *testing.T) {
	read := func(folder, name string) string {
		t.Helper()
		text, err := sqlfiles.Files.ReadFile(folder + "/queries/" + name + ".sql")
		if err != nil {
			t.Fatal(err)
		}
		_, statement, ok := strings.Cut(string(text), "\nSELECT ")
		if !ok {
			t.Fatalf("%s/%s has no SELECT", folder, name)
		}
		return statement
	}
	for _, folder := range folders {
		for _, name := range []string{"due", "due_deadline"} {
			limited := read(folder, name+"_limited")
			from, to := strings.Index(limited, "@queues"), strings.LastIndex(limited, "ORDER BY")
			if from < 0 || to < from || !strings.Contains(limited[from:to], "@keys") {
				t.Fatalf("%s/%s_limited: want conditions with @queues and @keys last", folder, name)
			}
			from = strings.LastIndex(limited[:from], "\n") + 1
			if diff := cmp.Diff(read(folder, name), limited[:from]+limited[to:]); diff != "" {
				t.Errorf("%s/%s_limited without its last conditions differs from %s (-%s +%s_limited):\n%s", folder, name, name, name, name, diff)
			}
		}
	}
}
