package queuedefs_test

import (
	"encoding/json"
	"errors"
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
	got, err := queuedefs.Change(before, []string{"ttl=7d", "limits.rate=10/1m", "onExpiry=remove", "payloads=hidden", "retry.limit=5", "keys={unique: queue}", "description=Orders, all of them"})
	if err != nil {
		t.Fatal(err)
	}
	want := before
	want.OnExpiry, want.Payloads = workqueue.ExpiryRemove, workqueue.PayloadsHidden
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

func TestPatch(t *testing.T) {
	before := workqueue.Queue{Name: "erp", PriorityOffset: 7, Resilience: `{"limit":3,"delay":"5s"}`}
	before.TTL, before.Concurrency = workqueue.Duration(time.Hour), 4
	patch := func(q workqueue.Queue, text string) (workqueue.Queue, error) {
		t.Helper()
		var settings map[string]json.RawMessage
		if err := json.Unmarshal([]byte(text), &settings); err != nil {
			t.Fatal(err)
		}
		return queuedefs.Patch(q, settings)
	}
	got, err := patch(before, `{"ttl": "7d", "limits": {"rate": "10/1m"}, "retry": {"limit": 5}, "keys.unique": "queue", "description": "Orders: \"all\" of\nthem \u2028 #1",
		"schemas": {"payload": {"type": "object", "properties": {"a": {"type": "string"}}}}, "robots": {"rights": {"r.1": "read"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	want := before
	want.TTL, want.Rate, want.KeyScope = workqueue.Duration(7*24*time.Hour), workqueue.Rate{Limit: 10, Per: workqueue.Duration(time.Minute)}, workqueue.KeyScopeQueue
	want.Resilience, want.Description = `{"delay":"5s","limit":5}`, new("Orders: \"all\" of\nthem \u2028 #1")
	want.Private, want.Robots = got.Private, []workqueue.QueueRobot{{Robot: "r.1", Read: true}}
	want.PayloadSchema = got.PayloadSchema
	if asJSON(t, got) != asJSON(t, want) || !strings.Contains(string(got.PayloadSchema), "properties") {
		t.Errorf("got  %s\nwant %s", asJSON(t, got), asJSON(t, want))
	}
	if got, err = patch(got, `{"ttl": null, "retry": {"delay": null, "limit": null}, "limits": null}`); err != nil || got.TTL != 0 || got.Resilience != "" || got.Concurrency != 0 {
		t.Errorf("got %s, %v, want the defaults of what is null", asJSON(t, got), err)
	}
	for text, want := range map[string]queuedefs.KeyError{
		`{"limits": {"concurrency": 0}}`:                      {Key: "limits.concurrency", Message: "got 0, want 1 or more"},
		`{"tll": "7d"}`:                                       {Message: `unknown key "tll"`, Hint: `did you mean "ttl"?`},
		`{"a\nb": 1}`:                                         {Message: `unknown key "a\nb"`},
		`{"ttl": "7d", "limits": {"x: y":1}}`:                 {},
		`{"limits.rate": "1/1s", "limits": {"rate": "1/1s"}}`: {Key: "limits.rate", Message: "got it twice, want it once"},
	} {
		_, err := patch(before, text)
		var e *queuedefs.KeyError
		if err == nil || !errors.As(err, &e) || want.Message != "" && (e.Key != want.Key && want.Key != "" || !strings.HasPrefix(e.Message, want.Message) || e.Hint != want.Hint) {
			t.Errorf("%s: got %+v, %v, want %+v", text, e, err, want)
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
			if name != "distribution" && name != "retry" && name != "escalation" {
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
