package api_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

func TestItemProblems(t *testing.T) {
	s := apitest.Start(t, nil)
	id := create(t, s, `{"pipeline": "p"}`)
	path := "/items/" + itoa(id)
	for _, c := range []struct {
		method, path, body string
		status             int
		code               string
	}{
		{"GET", "/items/999", "", 404, "not-found"},
		{"GET", "/items/x", "", 422, "invalid-request"},
		{"GET", "/items/0", "", 422, "invalid-request"},
		{"GET", "/items/999/attempts", "", 404, "not-found"},
		{"GET", "/items/999/history", "", 404, "not-found"},
		{"GET", "/items/999/why", "", 404, "not-found"},
		{"POST", "/items/999/run", "", 404, "not-found"},
		{"POST", "/items/999/clone", "", 404, "not-found"},
		{"POST", path + "/repeat", "", 409, "wrong-state"},
		{"POST", path + "/release", "", 409, "wrong-state"},
		{"POST", path + "/clone", `{"newKey": ""}`, 422, "invalid-request"},
		{"DELETE", path, "", 403, "permanent-deletion"},
		{"PATCH", path, `{}`, 422, "invalid-update"},
		{"PATCH", path, `{"priority": "high"}`, 422, "invalid-request"},
		{"PATCH", path, `{"queue": "nowhere"}`, 422, "unknown-queue"},
		{"POST", "/items/actions/cancel", `{}`, 422, "invalid-filter"},
		{"POST", "/items/actions/cancel", `{"all": true}`, 422, "invalid-filter"},
		{"POST", "/items/actions/cancel", `{"all": true, "yes": true, "filter": {"queue": "default"}}`, 422, "invalid-filter"},
		{"POST", "/items/actions/cancel", `{"filter": {"queue": ""}}`, 422, "invalid-request"},
		{"POST", "/items/actions/cancel", `{"filter": {"status": ["nothing"]}}`, 422, "invalid-filter"},
		{"POST", "/items/actions/cancel", `{"filter": {"queue": "nowhere"}}`, 422, "unknown-queue"},
		{"POST", "/items/actions/cancel", `{"filter": {"queue": "default", "deleted": true}}`, 422, "invalid-filter"},
		{"POST", "/items/actions/cancel", `{"filter": {"queue": "default"}, "continue": "x"}`, 422, "continue-mismatch"},
		{"POST", "/items/actions/run", `{"filter": {"queue": "default"}}`, 422, "invalid-filter"},
		{"POST", "/items/actions/delete", `{"filter": {"queue": "default"}}`, 422, "invalid-filter"},
		{"POST", "/items/actions/delete", `{"filter": {"queue": "default"}, "yes": true}`, 403, "permanent-deletion"},
		{"POST", "/items/actions/eat", `{"filter": {"queue": "default"}}`, 404, "unknown-path"},
		{"POST", "/items/update", `{"filter": {"queue": "default"}}`, 422, "invalid-request"},
		{"POST", "/items/update", `{"filter": {"queue": "default"}, "update": {}}`, 422, "invalid-update"},
		{"GET", "/batches/x", "", 422, "invalid-request"},
	} {
		var body any
		if c.body != "" {
			body = c.body
		}
		if c.code == "unknown-path" {
			continue // not an operation: TestUnknownPaths
		}
		t.Run(c.method+" "+c.path+" "+c.body, func(t *testing.T) { do(t, s, c.method, c.path, body).WantProblem(t, c.status, c.code) })
	}
}

func TestItemChanges(t *testing.T) {
	s := apitest.Start(t, nil)
	id := create(t, s, `{"pipeline": "p", "payload": {"a": 1}, "key": "K"}`)
	path := "/items/" + itoa(id)
	got := do(t, s, "GET", path, nil).Want(t, 200)
	if got.Header.Get("ETag") != `"1"` || !bytes.Contains(got.Body, []byte(`"createdBy":"operator"`)) {
		t.Errorf("got the ETag %s and %s", got.Header.Get("ETag"), got.Body)
	}
	patch := func(match string, body any) apitest.Answer {
		return s.Do(t, apitest.Request{Method: "PATCH", Path: path, Token: s.Token(t, access.Operator), Body: body, Header: map[string]string{"If-Match": match}})
	}
	a := patch(`"1"`, `{"priority": 1500, "in": "10m", "deadlineIn": "1h", "addTags": ["x"], "metadata": {"c": "Ada"}, "payload": {"n": 12345678901234567890}, "labels": {"l": 1}, "selectors": ["ram >= 32"], "limitKey": "k", "estimatedDuration": "30s", "resilience": {"limit": 5}, "reason": "urgent"}`).Want(t, 200)
	if a.Header.Get("ETag") != `"2"` {
		t.Errorf("got the ETag %s, want 2", a.Header.Get("ETag"))
	}
	patch(`"1"`, `{"priority": 1}`).WantProblem(t, 412, "version-changed")
	patch(`x`, `{"priority": 1}`).WantProblem(t, 422, "invalid-request")
	item := do(t, s, "GET", path, nil).Want(t, 200)
	for _, want := range []string{`"priority":1500`, `"payload":{"n":12345678901234567890}`, `"tags":["x"]`, `"metadata":{"c":"Ada"}`, `"limitKey":"k"`, `"estimatedDurationMs":30000`, `"status":"Scheduled"`} {
		if !bytes.Contains(bytes.ReplaceAll(item.Body, []byte(": "), []byte(":")), []byte(want)) {
			t.Errorf("the item lacks %s: %s", want, item.Body)
		}
	}
	patch("", `{"deadline": null, "limitKey": null, "estimatedDuration": null, "resilience": null, "selectors": null, "payload": null}`).Want(t, 200)
	item = do(t, s, "GET", path, nil).Want(t, 200)
	for _, want := range []string{`"payload":null`, `"deadlineAt":null`, `"limitKey":null`, `"estimatedDurationMs":null`, `"resilienceConfig":null`, `"selectors":null`} {
		if !bytes.Contains(item.Body, []byte(want)) {
			t.Errorf("the item lacks %s: %s", want, item.Body)
		}
	}
	p := patch("", `{"in": "soon", "at": "x", "estimatedDuration": "0s", "limitKey": "", "selectors": 5}`).WantProblem(t, 422, "invalid-update")
	if got, want := locations(p), []string{"body.in", "body.at", "body.in", "body.estimatedDuration", "body.limitKey", "body.selectors"}; !slices.Equal(got, want) {
		t.Errorf("got the faults %+v, want %v", p.Errors, want)
	}
	for _, step := range []struct{ verb, status string }{{"run", "Pending"}, {"archive", "Cancelled"}, {"repeat", "Pending"}, {"cancel", "Cancelled"}, {"run", "Pending"}} {
		after := apitest.Decode[struct{ Status string }](t, do(t, s, "POST", path+"/"+step.verb, `{"reason": "test"}`).Want(t, 200))
		if after.Status != step.status {
			t.Errorf("%s: got %s, want %s", step.verb, after.Status, step.status)
		}
	}
	a = do(t, s, "POST", path+"/clone", `{"newKey": "K2"}`).Want(t, 201)
	if a.Header.Get("Location") != "/api/v1/items/2" {
		t.Errorf("got the Location %s", a.Header.Get("Location"))
	}
	history := apitest.Decode[struct {
		Items []struct{ Actor, Reason string }
		Next  *string
	}](t, do(t, s, "GET", path+"/history?limit=3", nil).Want(t, 200))
	if len(history.Items) != 3 || history.Next == nil || history.Items[1].Actor != "operator" || history.Items[1].Reason != "test" {
		t.Errorf("got the history %+v", history)
	}
	do(t, s, "GET", path+"/attempts", nil).Want(t, 200)
	why := apitest.Decode[struct {
		Kind string
		Item int64
	}](t, do(t, s, "GET", path+"/why", nil).Want(t, 200))
	if why.Kind == "" || why.Item != id {
		t.Errorf("got the reason %+v", why)
	}
	admin := s.Do(t, apitest.Request{Method: "DELETE", Path: path, Token: s.Token(t, access.Admin)}).Want(t, 200)
	if !bytes.Contains(admin.Body, []byte(`"status":null`)) {
		t.Errorf("got %s", admin.Body)
	}
	do(t, s, "GET", path, nil).WantProblem(t, 404, "not-found")
	do(t, s, "GET", path+"/history", nil).Want(t, 200) // what was deleted for good keeps its history
}

// An item that was taken from a robot has an attempt, and the robot no longer holds it.
func TestReleaseFromARobot(t *testing.T) {
	s := apitest.Start(t, nil)
	defineQueue(t, s, workqueue.Queue{Name: "robots", Consumer: workqueue.ConsumerRobots})
	id := create(t, s, `{"queue": "robots"}`)
	if _, err := s.Store.Checkout(t.Context(), workqueue.CheckoutParams{Queue: "robots", Robot: "r1", Max: 1}); err != nil {
		t.Fatal(err)
	}
	do(t, s, "POST", "/items/"+itoa(id)+"/release", `{"reason": "its machine is gone"}`).Want(t, 200)
	attempts := apitest.Decode[struct{ Items []workqueue.Attempt }](t, do(t, s, "GET", "/items/"+itoa(id)+"/attempts", nil).Want(t, 200))
	if len(attempts.Items) != 1 || attempts.Items[0].Outcome != "released" {
		t.Errorf("got the attempts %+v", attempts)
	}
	do(t, s, "POST", "/items/"+itoa(id)+"/release", nil).WantProblem(t, 409, "wrong-state")
}

type many struct {
	Batch                       string
	Changed, Refused, KeysTaken int
	Skipped                     []struct {
		ItemID  int64
		Message string
		Errors  []api.Fault
	}
	Clones []int64
	Next   *string
}

func TestChangesOfAFilter(t *testing.T) {
	s := apitest.Start(t, nil)
	for i := range 5 {
		create(t, s, fmt.Sprintf(`{"pipeline": "p%d", "payload": {"n": %d}}`, i%2, i))
	}
	change := func(action, body string) many {
		t.Helper()
		return apitest.Decode[many](t, do(t, s, "POST", "/items/"+action, body).Want(t, 200))
	}
	if got := change("actions/cancel", `{"filter": {"pipeline": "p1"}, "dryRun": true}`); got.Changed != 2 || got.Next != nil {
		t.Errorf("dry run: got %+v", got)
	}
	got := change("actions/cancel", `{"filter": {"pipeline": "p1"}, "reason": "test"}`)
	if got.Changed != 2 {
		t.Errorf("cancel: got %+v", got)
	}
	batch := apitest.Decode[workqueue.BatchSummary](t, do(t, s, "GET", "/batches/"+got.Batch, nil).Want(t, 200))
	if batch.Items != 2 || batch.Kind != "cancel" {
		t.Errorf("got the batch %+v", batch)
	}
	if got := change("actions/run", `{"filter": {"status": ["cancelled"]}}`); got.Changed != 2 {
		t.Errorf("run: got %+v", got)
	}
	if got := change("update", `{"filter": {"payload": "n >= 3"}, "update": {"priority": 7, "addTags": ["x"]}}`); got.Changed != 2 {
		t.Errorf("update: got %+v", got)
	}
	if got := change("update", `{"filter": {"tag": ["x"]}, "update": {"priority": 2147483647}, "dryRun": true}`); got.Changed != 2 {
		t.Errorf("update, dry run: got %+v", got)
	}
	defineQueue(t, s, workqueue.Queue{Name: "offset", PriorityOffset: 10})
	if got := change("update", `{"filter": {"tag": ["x"]}, "update": {"queue": "offset", "priority": 2147483647}}`); got.Changed != 0 || got.Refused != 2 || len(got.Skipped) != 2 || got.Skipped[0].Errors[0].Location != "body.update.priority" {
		t.Errorf("refused: got %+v", got)
	}
	if got := change("actions/archive", `{"all": true, "yes": true}`); got.Changed != 5 {
		t.Errorf("archive all: got %+v", got)
	}
	cloned := apitest.Decode[many](t, s.Do(t, apitest.Request{Method: "POST", Path: "/items/actions/clone", Token: s.Token(t, access.Editor), Body: `{"filter": {"pipeline": "p0"}}`}).Want(t, 200))
	if len(cloned.Clones) != 3 || cloned.Changed != 3 {
		t.Errorf("clone: got %+v", cloned)
	}
	deleted := apitest.Decode[many](t, s.Do(t, apitest.Request{Method: "POST", Path: "/items/actions/delete", Token: s.Token(t, access.Admin), Body: `{"all": true, "yes": true}`}).Want(t, 200))
	if deleted.Changed != 8 {
		t.Errorf("delete: got %+v", deleted)
	}
}

// An operator may delete only what can be restored.
func TestDeletionForGood(t *testing.T) {
	s := apitest.Start(t, nil)
	defineQueue(t, s, workqueue.Queue{Name: "kept", QueueLife: workqueue.QueueLife{Deletion: workqueue.DeletionLogical}})
	id := create(t, s, `{"pipeline": "p", "queue": "kept"}`)
	create(t, s, `{"pipeline": "p", "queue": "kept"}`)
	if a := do(t, s, "DELETE", "/items/"+itoa(id), `{"reason": "twice"}`).Want(t, 200); !bytes.Contains(a.Body, []byte(`"status":"Deleted"`)) {
		t.Errorf("got %s", a.Body)
	}
	if got := apitest.Decode[many](t, do(t, s, "POST", "/items/actions/delete", `{"filter": {"queue": "kept"}, "yes": true}`).Want(t, 200)); got.Changed != 1 {
		t.Errorf("got %+v", got)
	}
	if ids, _ := list(t, s, s.Token(t, access.Viewer), "?deleted=true&queue=kept"); len(ids) != 2 {
		t.Errorf("got the deleted items %d", ids)
	}
	do(t, s, "POST", "/items/actions/delete", `{"filter": {"pipeline": "p"}, "yes": true}`).WantProblem(t, 403, "permanent-deletion")
}
