package sql_test

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"botwork/sql"
)

// unversioned are the statements that update items without raising their version, each with the
// reason.
var unversioned = map[string]string{
	"beat_items":        "renews leases",
	"begin":             "records that a claimed run has started",
	"checkout_extend":   "renews leases",
	"checkout_progress": "progress",
	"clean_keys":        "time decides that a key expires",
	"expire_leases":     "ends leases; the rescue that follows is the change",
	"free_timed_keys":   "time decides that a key expires",
	"free_unique_key":   "frees a key of an item that has ended",
	"progress":          "progress",
	"promote":           "time decides that a delay ends",
	"seal":              "encrypts what is stored again; its content stays",
	"take_order":        "completes the statement take, in its transaction",
	"task_notify":       "records that a notification was sent",
}

var (
	updatedTable = regexp.MustCompile(`(?m)^UPDATE (?:"?BotWorkQueueItems"?|t) SET\b`)
	raised       = regexp.MustCompile(`"?Version"? = (?:"?\w+"?\.)?"?Version"? \+ 1,`)
)

// TestVersions wants every statement that changes an item to raise its version.
func TestVersions(t *testing.T) {
	used := map[string]bool{}
	for _, engine := range []string{"sqlite", "postgres", "sqlserver"} {
		for _, folder := range []string{"queries", "operators"} {
			statements, err := sql.Load(os.DirFS("."), engine, folder)
			if err != nil {
				t.Fatal(err)
			}
			for name, text := range statements {
				if !updatedTable.MatchString(text) || !strings.Contains(text, "BotWorkQueueItems") {
					continue
				}
				file := path.Join(engine, folder, name+".sql")
				_, exempt := unversioned[name]
				used[name] = used[name] || exempt
				switch n := len(raised.FindAllString(text, -1)); {
				case exempt && n > 0:
					t.Errorf("%s raises the version, but is listed as unversioned", file)
				case !exempt && n != 1 && updatesItems(text):
					t.Errorf("%s raises the version %d times, want once", file, n)
				}
			}
		}
	}
	for name := range unversioned {
		if !used[name] {
			t.Errorf("unversioned: no statement %q updates items", name)
		}
	}
}

var joined = regexp.MustCompile(`(?m)^FROM (\w+) t\b`)

// updatesItems reports whether the statement updates items and not another table called t.
func updatesItems(text string) bool {
	at := updatedTable.FindStringIndex(text)
	if !strings.Contains(text[at[0]:at[1]], " t ") {
		return true
	}
	from := joined.FindStringSubmatch(text[at[1]:])
	return from == nil || from[1] == "BotWorkQueueItems"
}
