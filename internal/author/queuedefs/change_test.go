package queuedefs_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"botwork/internal/author/keydocs"
	"botwork/internal/author/queuedefs"
	"botwork/workqueue"
)

func TestChangeSetsTheNamedKeysOnly(t *testing.T) {
	before := workqueue.Queue{Name: "erp", PriorityOffset: 7, Resilience: `{"limit":3,"delay":"5s"}`}
	before.TTL, before.Concurrency, before.Revision = workqueue.Duration(time.Hour), 4, 9
	got, err := queuedefs.Change(before, []string{"ttl=7d", "limits.rate=10/1m", "retry.limit=5", "keys={unique: queue}", "description=Orders, all of them"})
	if err != nil {
		t.Fatal(err)
	}
	want := before
	want.TTL, want.Rate, want.KeyScope = workqueue.Duration(7*24*time.Hour), workqueue.Rate{Limit: 10, Per: workqueue.Duration(time.Minute)}, workqueue.KeyScopeQueue
	want.Resilience, want.Description = `{"delay":"5s","limit":5}`, new("Orders, all of them")
	if asJSON(t, got) != asJSON(t, want) {
		t.Errorf("got  %s\nwant %s", asJSON(t, got), asJSON(t, want))
	}
	if got, err = queuedefs.Change(got, []string{"ttl=", "retry.delay=", "retry.limit=", "limits="}); err != nil || got.TTL != 0 || got.Resilience != "" || got.Concurrency != 0 {
		t.Errorf("got %s, %v, want the defaults of what was emptied", asJSON(t, got), err)
	}
}

func TestChangeRefuses(t *testing.T) {
	for setting, want := range map[string]string{
		"ttl":                    `got "ttl", want KEY=VALUE`,
		"ttl=soon":               "ttl: ",
		"tll=7d":                 `did you mean "ttl"?`,
		"limits.concurrency=0":   "limits.concurrency: got 0, want 1 or more",
		"keys.unique=[queue":     "",
		"description=a\nttl: 1d": "want one line",
		"robots.rights.ann=read": "want a shorter key, such as robots={…}",
		"maxPayload=-1":          "maxPayload: ",
	} {
		if _, err := queuedefs.Change(workqueue.Queue{Name: "erp"}, []string{setting}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Change(%q) returns %v, want an error with %q", setting, err, want)
		}
	}
	for _, both := range [][]string{{"ttl=1d", "ttl=2d"}, {"limits={}", "limits.rate=1/1s"}, {"limits.rate=1/1s", "limits={}"}} {
		if _, err := queuedefs.Change(workqueue.Queue{Name: "erp"}, both); err == nil {
			t.Errorf("Change(%q) returns no error", both)
		}
	}
}

// Each key of a definition can be set by its name.
func TestChangeKnowsEveryKey(t *testing.T) {
	var check func(prefix string, keys keydocs.Keys)
	check = func(prefix string, keys keydocs.Keys) {
		for _, key := range keys {
			name := prefix + key.Name
			if _, err := queuedefs.Change(workqueue.Queue{Name: "erp"}, []string{name + "="}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if name != "distribution" && name != "retry" {
				check(name+".", key.Keys)
			}
		}
	}
	check("", queuedefs.Keys())
}

func asJSON(t *testing.T, q workqueue.Queue) string {
	t.Helper()
	text, err := json.Marshal(q)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
