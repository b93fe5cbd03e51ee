package api_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"botwork/internal/api/apitest"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// A caller that is bound to queues changes nothing of others by a change of many items, whatever
// the filter, the new values or the place to continue say.
func TestBoundCallersAndManyItems(t *testing.T) {
	s := apitest.Start(t, nil)
	for _, name := range []string{"mine", "theirs"} {
		defineQueue(t, s, workqueue.Queue{Name: name})
		for i := range 3 {
			create(t, s, fmt.Sprintf(`{"pipeline": "p", "queue": %q, "key": "k%d", "tags": ["x"], "metadata": {"a": "b"}}`, name, i))
		}
	}
	var before []string
	theirs := func() (all []string) {
		items, err := s.Store.Items(t.Context(), workqueue.ItemFilter{QueueName: "theirs", Limit: 10})
		if err != nil || len(items) != 3 {
			t.Fatalf("got %d items, %v", len(items), err)
		}
		for _, it := range items {
			all = append(all, fmt.Sprint(it.ID, it.Version, it.State, it.QueueName, it.Priority))
		}
		return all
	}
	before = theirs()
	bound := caller{t, s, s.Token(t, access.Admin, "mine")}
	// A place to continue that belongs to a request of another caller about another queue.
	stolen := apitest.Decode[many](t, as(t, s, access.Admin).do("POST", "/items/actions/cancel", `{"filter": {"queue": "theirs"}, "dryRun": true}`).Want(t, 200))
	if stolen.Changed != 3 || stolen.Next != nil {
		t.Fatalf("got %+v", stolen)
	}
	for _, action := range workqueue.Actions() {
		path := "/items/actions/" + string(action)
		for _, c := range []struct {
			body   string
			status int // 0: a success that changes nothing
			code   string
		}{
			{`{"filter": {"queue": "theirs"}, "yes": true}`, 403, "queue-not-allowed"},
			{`{"filter": {"queue": "THEIRS"}, "yes": true}`, 403, "queue-not-allowed"},
			{`{"filter": {"queue": " theirs"}, "yes": true}`, 403, "queue-not-allowed"},
			{`{"filter": {"queue": "theirs"}, "dryRun": true}`, 403, "queue-not-allowed"},
			{`{"filter": {"queue": ["mine", "theirs"]}, "yes": true}`, 422, "invalid-request"},
			{`{"filter": {"queue": "mine", "queue": "theirs"}, "yes": true}`, 403, "queue-not-allowed"},
			{`{"filter": {"queue": "mine,theirs"}, "yes": true}`, 403, "queue-not-allowed"},
			{`{"filter": {"queue": "%"}, "yes": true}`, 403, "queue-not-allowed"},
			{`{"filter": {"queue": ""}, "yes": true}`, 422, ""},
			{`{"filter": {"queueName": "theirs"}, "yes": true}`, 422, "invalid-request"},
			{`{"filter": {"key": "k0\" OR 1=1 --"}, "yes": true, "dryRun": true}`, 0, ""},
			{`{"filter": {"meta": ["a=b' OR ''='"]}, "yes": true, "dryRun": true}`, 0, ""},
			{`{"filter": {"label": ["a=b' OR ''='", "x\" OR 1=1 --"]}, "yes": true, "dryRun": true}`, 0, ""},
			{`{"filter": {"label": ["=b"]}, "yes": true}`, 422, "invalid-filter"},
			{`{"filter": {"queue": "mine"}, "continue": "eyJiIjoiYWJjZGVmZ2giLCJwIjowLCJpIjo5OX0", "yes": true}`, 422, "continue-mismatch"},
			{`{}`, 422, "invalid-filter"},
			{`{"yes": true}`, 422, "invalid-filter"},
		} {
			a := bound.do("POST", path, c.body)
			if c.status == 0 {
				if a.Status == http.StatusOK && apitest.Decode[many](t, a).Changed != 0 {
					t.Errorf("%s %s: got %s", action, c.body, a.Body)
				}
				continue
			}
			if a.Status != c.status || c.code != "" && !strings.Contains(string(a.Body), `"`+c.code+`"`) {
				t.Errorf("%s %s: got %d %s, want %d %s", action, c.body, a.Status, a.Body, c.status, c.code)
			}
		}
		// dryRun counts only the items of the caller's queue.
		if action.AllowsDeleted() || action == workqueue.RunNow {
			continue
		}
		if got := apitest.Decode[many](t, bound.do("POST", path, `{"filter": {"tag": ["x"]}, "dryRun": true}`).Want(t, 200)); got.Changed > 3 {
			t.Errorf("%s: a dry run counts %d items, want those of one queue", action, got.Changed)
		}
	}
	bound.do("POST", "/items/update", `{"filter": {"queue": "mine"}, "update": {"queue": "theirs"}}`).WantProblem(t, 403, "queue-not-allowed")
	bound.do("POST", "/items/update", `{"filter": {"queue": "theirs"}, "update": {"queue": "mine"}}`).WantProblem(t, 403, "queue-not-allowed")
	bound.do("GET", "/batches/"+stolen.Batch, nil).WantProblem(t, 403, "bound-to-queues")
	if after := theirs(); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the items of the other queue were %v, are %v", before, after)
	}
	// The same requests do change the caller's own items.
	if got := apitest.Decode[many](t, bound.do("POST", "/items/actions/cancel", `{"filter": {"tag": ["x"]}}`).Want(t, 200)); got.Changed != 3 {
		t.Errorf("got %+v, want the items of the own queue", got)
	}
	if after := theirs(); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("the items of the other queue were %v, are %v", before, after)
	}
}
