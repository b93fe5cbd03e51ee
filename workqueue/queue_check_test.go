package workqueue_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"botwork/workqueue"
)

func TestValidateQueue(t *testing.T) {
	right := []workqueue.Queue{
		{Name: "default"},
		{Name: strings.Repeat("A", 200), PriorityOffset: math.MinInt32},
		{
			Name: "Invoices-2.b_c", Description: new(strings.Repeat("ä", 1000)), Consumer: workqueue.ConsumerRobots, RetryAs: workqueue.RetryCopy,
			Resilience: `{"limit": 3, "retryOn": []}`, Distribution: `{"mode": "longest-idle"}`,
			QueueKeys: workqueue.QueueKeys{KeyScope: workqueue.KeyScopeGlobal},
			QueueLife: workqueue.QueueLife{TTL: workqueue.Duration(time.Hour), Retain: new(workqueue.Duration(0)), ArchiveAge: new(workqueue.Duration(0)),
				ArchiveLimit: new(0), Deletion: workqueue.DeletionLogical, OnExpiry: workqueue.ExpiryRemove},
			QueueSchemas: workqueue.QueueSchemas{PayloadSchema: `true`},
			QueueAccess:  workqueue.QueueAccess{Payloads: workqueue.PayloadsHidden, Private: true, Robots: []workqueue.QueueRobot{{Robot: "a"}, {Robot: "b"}}},
			QueueLimits:  workqueue.QueueLimits{Concurrency: 1, KeyRate: workqueue.Rate{Limit: 2, Per: workqueue.Duration(time.Second)}},
		},
	}
	for _, q := range right {
		if err := q.Validate(); err != nil {
			t.Errorf("Validate: %v, want no fault", err)
		}
	}
	for _, name := range []string{"", "two words", "Rechnungen-ä", "a/b", strings.Repeat("A", 201), "q\n"} {
		wantFaults(t, workqueue.Queue{Name: name}, workqueue.QueueFault{Field: "name", Got: quote(name), Want: "1 to 200 Latin letters, digits and the characters _ - ."})
	}
}

func quote(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}

func TestValidateQueueReportsAllFaults(t *testing.T) {
	negative := workqueue.Duration(-time.Second)
	wantFaults(t, workqueue.Queue{
		Name: "two words", Description: new(strings.Repeat("🤖", 501)), Consumer: "people", PriorityOffset: math.MaxInt32 + 1,
		Resilience: `{"limit": 0}`, RetryAs: "clone", Distribution: `{"mode": "best", "scoring": {"rule": "map"}, "x": 1}`,
		QueueKeys:    workqueue.QueueKeys{KeyScope: "local"},
		QueueLife:    workqueue.QueueLife{TTL: negative, Retain: &negative, ArchiveAge: &negative, ArchiveLimit: new(-1), Deletion: "soft", OnExpiry: "delete"},
		QueueSchemas: workqueue.QueueSchemas{PayloadSchema: `{`, OutputSchema: `{"minimum": "a"}`, AnalyticsSchema: `{"$ref": "https://example.com/s"}`},
		QueueAccess: workqueue.QueueAccess{Payloads: "secret", Checkout: negative, Robots: []workqueue.QueueRobot{
			{Robot: " "}, {Robot: "Robot-1"}, {Robot: "robot-1"}, {Robot: strings.Repeat("r", 201)},
		}},
		QueueLimits: workqueue.QueueLimits{Concurrency: -1, KeyConcurrency: math.MaxInt32 + 1,
			Rate: workqueue.Rate{Limit: 10}, KeyRate: workqueue.Rate{Per: workqueue.Duration(time.Second)}},
	},
		workqueue.QueueFault{Field: "name", Got: `"two words"`, Want: "1 to 200 Latin letters, digits and the characters _ - ."},
		workqueue.QueueFault{Field: "description", Got: "1002 characters", Want: "at most 1000"},
		workqueue.QueueFault{Field: "consumer", Got: `"people"`, Want: "workers or robots"},
		workqueue.QueueFault{Field: "priorityOffset", Got: "2147483648", Want: "-2147483648 to 2147483647"},
		workqueue.QueueFault{Field: "retry", Got: `resilience {"limit": 0}: limit 0: want 1 or more attempts; 1 means no retry`,
			Want: `a resilience such as {"limit": 3, "delay": "30s"}`},
		workqueue.QueueFault{Field: "retry.as", Got: `"clone"`, Want: "same or copy"},
		workqueue.QueueFault{Field: "distribution.x", Got: `unknown key "x"; valid keys: mode, bypassSelectors, scoring, share`,
			Want: `a distribution such as {"mode": "round-robin"}`},
		workqueue.QueueFault{Field: "distribution.mode", Got: `"best"`, Want: "least-loaded, round-robin, longest-idle or best-worker"},
		workqueue.QueueFault{Field: "distribution.scoring", Got: `the key "label" is missing; the rule map needs it`, Want: `a distribution such as {"mode": "round-robin"}`},
		workqueue.QueueFault{Field: "distribution.scoring", Got: `the key "scores" is missing; the rule map needs it`, Want: `a distribution such as {"mode": "round-robin"}`},
		workqueue.QueueFault{Field: "keys.unique", Got: `"local"`, Want: "none, queue or global"},
		workqueue.QueueFault{Field: "ttl", Got: "-1s", Want: "0s to 68 years"},
		workqueue.QueueFault{Field: "onExpiry", Got: `"delete"`, Want: "archive or remove"},
		workqueue.QueueFault{Field: "retain", Got: "-1s", Want: "0s to 68 years"},
		workqueue.QueueFault{Field: "archive.maxAge", Got: "-1s", Want: "0s to 68 years"},
		workqueue.QueueFault{Field: "archive.limit", Got: "-1", Want: "0 to 2147483647"},
		workqueue.QueueFault{Field: "deletion", Got: `"soft"`, Want: "physical or logical"},
		workqueue.QueueFault{Field: "schemas.payload", Got: "the schema is not JSON: unexpected EOF", Want: "a JSON Schema"},
		workqueue.QueueFault{Field: "schemas.output", Got: "schema.minimum: got string, want number", Want: "a JSON Schema"},
		workqueue.QueueFault{Field: "schemas.analytics", Got: "$ref to https://example.com/s: a schema can only refer to itself", Want: "a JSON Schema"},
		workqueue.QueueFault{Field: "payloads", Got: `"secret"`, Want: "visible or hidden"},
		workqueue.QueueFault{Field: "robots.rights", Got: `" "`, Want: "a robot's name"},
		workqueue.QueueFault{Field: "robots.rights.robot-1", Got: "the robot twice", Want: "each robot once; names that differ in case alone count as one"},
		workqueue.QueueFault{Field: "robots.rights." + strings.Repeat("r", 201), Got: "201 characters", Want: "at most 200"},
		workqueue.QueueFault{Field: "checkout", Got: "-1s", Want: "0s to 68 years"},
		workqueue.QueueFault{Field: "limits.concurrency", Got: "-1", Want: "0 to 2147483647"},
		workqueue.QueueFault{Field: "limits.rate", Got: "10 in 0s", Want: "a number and a period, both above 0, such as 10/1m"},
		workqueue.QueueFault{Field: "limits.perKey.concurrency", Got: "2147483648", Want: "0 to 2147483647"},
		workqueue.QueueFault{Field: "limits.perKey.rate", Got: "0 in 1s", Want: "a number and a period, both above 0, such as 10/1m"},
	)
}

func wantFaults(t *testing.T, q workqueue.Queue, want ...workqueue.QueueFault) {
	t.Helper()
	var got *workqueue.QueueError
	if err := q.Validate(); !errors.As(err, &got) {
		t.Fatalf("Validate of %q = %v, want a *QueueError", q.Name, err)
	}
	if diff := cmp.Diff(want, got.Faults); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	for _, f := range got.Faults {
		if !strings.Contains(got.Error(), f.Field+": got "+f.Got+", want "+f.Want) {
			t.Errorf("the error %q does not contain %+v", got.Error(), f)
		}
	}
}

func TestRate(t *testing.T) {
	for text, want := range map[string]workqueue.Rate{
		"10/1m":        {Limit: 10, Per: workqueue.Duration(time.Minute)},
		" 2 / 1500ms ": {Limit: 2, Per: workqueue.Duration(1500 * time.Millisecond)},
	} {
		got, err := workqueue.ParseRate(text)
		if err != nil || got != want {
			t.Errorf("ParseRate(%q) = %v, %v, want %v", text, got, err, want)
		}
		if again, err := workqueue.ParseRate(got.String()); err != nil || again != want {
			t.Errorf("ParseRate(%q) = %v, %v, want %v", got.String(), again, err, want)
		}
	}
	for _, text := range []string{"", "10", "10/", "/1m", "0/1m", "-1/1m", "10/0s", "10/-1s", "ten/1m", "1.5/1m", "10/1"} {
		if got, err := workqueue.ParseRate(text); err == nil {
			t.Errorf("ParseRate(%q) = %v, want an error", text, got)
		}
	}
}

// Scripts read the JSON of a queue: every key exists, and values that are not
// set are null.
func TestQueueJSON(t *testing.T) {
	data, err := json.Marshal(workqueue.Queue{Name: "q", QueueLimits: workqueue.QueueLimits{
		Rate: workqueue.Rate{Limit: 10, Per: workqueue.Duration(time.Minute)},
	}, QueueLife: workqueue.QueueLife{Retain: new(workqueue.Duration(0))}})
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if got["rateLimit"] != "10/1m0s" || got["retain"] != "0s" || got["archiveAge"] != nil || got["name"] != "q" {
		t.Errorf("JSON is %s", data)
	}
	for _, key := range []string{"ttl", "checkout", "concurrencyLimit", "keyConcurrencyLimit", "keyRateLimit", "payloadSchema"} {
		if v, ok := got[key]; !ok || v != nil {
			t.Errorf("JSON is %s, want %s to be null", data, key)
		}
	}
	if list, ok := got["robots"].([]any); !ok || len(list) != 0 {
		t.Errorf("JSON is %s, want an empty list of robots", data)
	}
	var again workqueue.Queue
	if err := json.Unmarshal(data, &again); err != nil || again.Rate != (workqueue.Rate{Limit: 10, Per: workqueue.Duration(time.Minute)}) {
		t.Errorf("a queue read from its JSON is %+v, %v", again, err)
	}
}
