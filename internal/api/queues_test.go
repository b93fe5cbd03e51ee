package api_test

import (
	"fmt"
	"strings"
	"testing"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// caller sends requests with one token.
type caller struct {
	t     *testing.T
	s     *apitest.Server
	token string
}

func as(t *testing.T, s *apitest.Server, role access.Role, queues ...string) caller {
	return caller{t, s, s.Token(t, role, queues...)}
}

func (c caller) do(method, path string, body any) apitest.Answer {
	c.t.Helper()
	return c.s.Do(c.t, apitest.Request{Method: method, Path: path, Token: c.token, Body: body})
}

func (c caller) get(path string) apitest.Answer { c.t.Helper(); return c.do("GET", path, nil) }

type object = map[string]any

func wantFault(t *testing.T, p api.Problem, location, message string) {
	t.Helper()
	for _, f := range p.Errors {
		if f.Location == location && strings.Contains(f.Message, message) {
			return
		}
	}
	t.Errorf("got the faults %+v, want one at %s with %q", p.Errors, location, message)
}

func TestCreateAndSetQueues(t *testing.T) {
	s := apitest.Start(t, nil)
	editor := as(t, s, access.Editor)
	a := editor.do("POST", "/queues", object{"name": "invoices", "settings": object{"limits": object{"concurrency": 5}, "ttl": "7d"}, "reason": "new customer"}).Want(t, 201)
	type queue struct {
		Name, TTL        string
		ConcurrencyLimit *int
		Revision         int64
		Override         any
	}
	q := apitest.Decode[queue](t, a)
	if q.Name != "invoices" || q.TTL != "168h0m0s" || *q.ConcurrencyLimit != 5 || a.Header.Get("ETag") != `"1"` {
		t.Errorf("created %+v with the ETag %s", q, a.Header.Get("ETag"))
	}
	editor.do("POST", "/queues", object{"name": "invoices"}).WantProblem(t, 409, "queue-exists")
	editor.do("POST", "/queues", object{"name": "in\n  voices"}).WantProblem(t, 422, "invalid-request")
	p := editor.do("POST", "/queues", object{"name": "x", "settings": object{"limits": object{"concurrency": 0}, "tll": "7d"}}).WantProblem(t, 422, "invalid-queue")
	wantFault(t, p, "body.settings.limits.concurrency", "got 0, want 1 or more")
	wantFault(t, p, "body.settings", `unknown key "tll"`)

	patch := func(match string, settings object) apitest.Answer {
		t.Helper()
		return s.Do(t, apitest.Request{Method: "PATCH", Path: "/queues/invoices", Token: editor.token, Body: object{"settings": settings, "reason": "night"}, Header: map[string]string{"If-Match": match}})
	}
	if a = patch(`"1"`, object{"limits.concurrency": nil, "retry": object{"limit": 3}}).Want(t, 200); a.Header.Get("ETag") != `"2"` {
		t.Errorf("the ETag is %s after a change", a.Header.Get("ETag"))
	}
	if q := apitest.Decode[queue](t, a); q.ConcurrencyLimit != nil || q.TTL != "168h0m0s" || q.Override == nil {
		t.Errorf("changed to %+v", q)
	}
	patch(`"1"`, object{"ttl": "1h"}).WantProblem(t, 412, "revision-changed")
	wantFault(t, patch("x", object{"ttl": "1h"}).WantProblem(t, 422, "invalid-request"), "header.If-Match", "want a revision")
	wantFault(t, patch("*", object{"ttl": "soon"}).WantProblem(t, 422, "invalid-queue"), "body.settings.ttl", "soon")
	if got := patch("*", object{"ttl": "1h"}).Want(t, 200); got.Header.Get("ETag") != `"3"` {
		t.Errorf("the ETag is %s", got.Header.Get("ETag"))
	}
	editor.do("PATCH", "/queues/nothing", object{"settings": object{}}).WantProblem(t, 404, "not-found")
	as(t, s, access.Editor, "default").do("PATCH", "/queues/invoices", object{"settings": object{}}).WantProblem(t, 403, "queue-not-allowed")

	editor.do("DELETE", "/queues/default", nil).WantProblem(t, 409, "default-queue")
	enqueue(t, s, "invoices", 3)
	editor.do("DELETE", "/queues/invoices", nil).WantProblem(t, 409, "queue-not-empty")

	admin := as(t, s, access.Admin)
	wantFault(t, admin.do("POST", "/queues/invoices/purge", object{"confirm": false}).WantProblem(t, 422, "not-confirmed"), "body.confirm", "want true")
	admin.do("POST", "/queues/invoices/purge", object{"confirm": true, "lifecycles": []string{"active"}}).WantProblem(t, 422, "invalid-request")
	admin.do("POST", "/queues/nothing/purge", object{"confirm": true}).WantProblem(t, 404, "not-found")
	if got := string(admin.do("POST", "/queues/invoices/purge", object{"confirm": true, "lifecycles": []string{"completed"}}).Want(t, 200).Body); !strings.Contains(got, `"removed":0,"next":null`) {
		t.Errorf("purged %s", got)
	}
	if got := string(admin.do("POST", "/queues/invoices/purge", object{"confirm": true}).Want(t, 200).Body); !strings.Contains(got, `"removed":3,"next":null`) {
		t.Errorf("purged %s", got)
	}
	editor.do("DELETE", "/queues/invoices", object{"reason": "gone"}).Want(t, 204)
	editor.do("DELETE", "/queues/invoices", nil).WantProblem(t, 404, "not-found")

	entries, err := s.Store.AuditEntries(t.Context(), workqueue.AuditFilter{Target: "invoices", TargetKind: "queue"})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		all = append(all, fmt.Sprintf("%s %s %s", e.Action, e.Actor, e.Reason))
	}
	if got := strings.Join(all, ", "); !strings.HasPrefix(got, "queues.delete editor gone, ") || !strings.HasSuffix(got, "queues.set editor night, queues.set editor night, queues.create editor new customer") {
		t.Errorf("the audit log has %s", got)
	}
}

func TestStrandingItemsNeedsConfirm(t *testing.T) {
	s := apitest.Start(t, nil)
	editor := as(t, s, access.Editor)
	set := object{"settings": object{"consumer": "robots"}}
	enqueue(t, s, "default", 2)
	p := editor.do("PATCH", "/queues/default", set).WantProblem(t, 422, "not-confirmed")
	wantFault(t, p, "body.confirm", "want true")
	if !strings.Contains(p.Detail, "2 waiting items") {
		t.Errorf("the problem is %q, want it to have the number of items", p.Detail)
	}
	set["confirm"] = true
	editor.do("PATCH", "/queues/default", set).Want(t, 200)
}

func TestQueueStats(t *testing.T) {
	s := apitest.Start(t, nil)
	if err := s.Store.CreateQueue(t.Context(), workqueue.Queue{Name: "mail"}, "test"); err != nil {
		t.Fatal(err)
	}
	enqueue(t, s, "mail", 2)
	enqueue(t, s, "default", 1)
	viewer, bound := as(t, s, access.Viewer), as(t, s, access.Robot, "mail")
	type all struct {
		All    *workqueue.QueueStatistics
		Queues []workqueue.QueueStatistics
	}
	if got := apitest.Decode[all](t, viewer.get("/stats/queues").Want(t, 200)); len(got.Queues) != 2 || got.All.Items["pending"] != 3 {
		t.Errorf("got %+v", got)
	}
	if got := apitest.Decode[all](t, bound.get("/stats/queues").Want(t, 200)); len(got.Queues) != 1 || got.All.Items["pending"] != 2 {
		t.Errorf("bound: got %+v", got)
	}
	if got := apitest.Decode[workqueue.QueueStatistics](t, bound.get("/queues/mail/stats").Want(t, 200)); got.Items["pending"] != 2 || len(got.Windows) != 4 {
		t.Errorf("got %+v", got)
	}
	bound.get("/queues/default/stats").WantProblem(t, 403, "queue-not-allowed")
	viewer.get("/queues/nothing/stats").WantProblem(t, 404, "not-found")
}

func TestDeletedQueues(t *testing.T) {
	s := apitest.Start(t, nil)
	if _, err := s.Store.DefineQueues(t.Context(), []workqueue.Queue{{Name: "mail"}}, "worker-1"); err != nil {
		t.Fatal(err)
	}
	as(t, s, access.Editor).do("DELETE", "/queues/mail", nil).Want(t, 204)
	if got := string(as(t, s, access.Viewer).get("/deleted-queues").Want(t, 200).Body); !strings.Contains(got, `"name":"mail"`) {
		t.Errorf("got %s", got)
	}
}
