package api_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/learned"
)

type runPage struct {
	Items []struct {
		ID       *int64
		Pipeline string
		Outcome  string
		Worker   *string
	}
	Next *string
}

func outcomes(p runPage) string {
	var words []string
	for _, r := range p.Items {
		words = append(words, r.Outcome)
	}
	return strings.Join(words, " ")
}

// storeNow is the time by the clock of the database.
func storeNow(t *testing.T, s *apitest.Server) time.Time {
	t.Helper()
	now, err := s.Store.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return now
}

func TestRuns(t *testing.T) {
	s := apitest.Start(t, nil)
	ctx := t.Context()
	w := registerWorker(t, s, "ann")
	now := time.Now().UTC()
	var first int64
	for i, outcome := range []workqueue.RunOutcome{workqueue.RunFailed, workqueue.RunSucceeded} {
		planned := now.Add(-time.Hour)
		id, err := s.Store.StartRun(ctx, workqueue.PipelineRun{Pipeline: "nightly", Trigger: "cron", WorkerID: &w.ID, PlannedAt: &planned})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = id
		}
		if err := s.Store.FinishRun(ctx, id, workqueue.RunEnd{Outcome: outcome, Summary: `{"enqueued":2}`}); err != nil {
			t.Fatal(err)
		}
	}
	for i, outcome := range []workqueue.FiringOutcome{workqueue.Missed, workqueue.Skipped, workqueue.Missed} {
		err := s.Store.RecordFirings(ctx, []workqueue.Firing{{Schedule: "nightly", PlannedAt: now.Add(-time.Duration(i+2) * time.Hour), Outcome: outcome, Reason: "no worker", RecordedBy: "ann"}})
		if err != nil {
			t.Fatal(err)
		}
	}
	// Times have milliseconds, and the request is the latest.
	for started := storeNow(t, s); !storeNow(t, s).After(started); {
	}
	ids, err := s.Store.RequestRuns(ctx, workqueue.NewRunRequests{Pipeline: "asked", By: "bob", Within: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	viewer := as(t, s, access.Viewer)
	for query, want := range map[string]string{
		"":                            "pending succeeded failed missed skipped missed",
		"?pipeline=nightly":           "succeeded failed missed skipped missed",
		"?outcome=late":               "succeeded failed",
		"?failed=true":                "failed missed missed",
		"?outcome=skipped,late":       "succeeded failed skipped",
		"?since=150m":                 "pending succeeded failed missed",
		"?since=150m&until=90m":       "missed",
		"?pipeline=nothing":           "",
		"?endsAfter=1h":               "succeeded failed",
		"?endsAfter=9000-01-01":       "",
		"?until=2026-01-01T00:00:00Z": "",
	} {
		if got := outcomes(apitest.Decode[runPage](t, viewer.get("/runs"+query).Want(t, 200))); got != want {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
	for query, location := range map[string]string{
		"outcome=fialed": "query.outcome", "since=tomorrow": "query.since", "until=0001-01-01T00:00:00Z": "query.until", "limit=0": "query.limit",
		"since=1h&until=2h": "query.since", "nothing=1": "query.nothing",
	} {
		wantFault(t, viewer.get("/runs?"+query).WantProblem(t, 422, "invalid-request"), location, "")
	}
	// Page by page.
	var all []string
	for next := "/runs?limit=2&pipeline=nightly"; next != ""; {
		a := viewer.get(next).Want(t, 200)
		page := apitest.Decode[runPage](t, a)
		all = append(all, outcomes(page))
		if next = ""; page.Next != nil {
			next = strings.TrimPrefix(*page.Next, api.Prefix)
			if a.Header.Get("Link") != "<"+*page.Next+`>; rel="next"` {
				t.Errorf("got the link %s", a.Header.Get("Link"))
			}
		}
	}
	if got := strings.Join(all, " | "); got != "succeeded failed | missed skipped | missed" {
		t.Errorf("got the pages %s", got)
	}
	if got := string(viewer.get(fmt.Sprintf("/runs/%d", first)).Want(t, 200).Body); !strings.Contains(got, `"numbers":{"enqueued":2}`) || !strings.Contains(got, `"worker":"ann"`) {
		t.Errorf("got %s", got)
	}
	viewer.get("/runs/4711").WantProblem(t, 404, "not-found")
	viewer.get("/runs/x").WantProblem(t, 422, "invalid-request")
	if got := string(viewer.get(fmt.Sprintf("/run-requests/%d", ids[0])).Want(t, 200).Body); !strings.Contains(got, `"state":"pending"`) {
		t.Errorf("got %s", got)
	}
	viewer.get("/run-requests/4711").WantProblem(t, 404, "not-found")
}

func TestTasks(t *testing.T) {
	s := apitest.Start(t, nil)
	rows := []workqueue.TaskRow{
		{Name: "books", Active: true, Pipeline: "hello", Importance: 2, ScheduleConfig: `{"execute": "Monthly", "startAt": 31, "startTolerance": "2d"}`, Scope: `["lisbon", "porto"]`, Definition: "1"},
		{Name: "broken", Active: true, Pipeline: "hello", ScheduleConfig: `{"execute": "sometimes"}`, Definition: "1"},
		{Name: "plain", Pipeline: "hello", Payload: `{"a": 1}`, NotificationConfig: `{"pipeline": "mail"}`, Definition: "1"},
	}
	if _, err := s.Store.DefineTasks(t.Context(), rows, "ann"); err != nil {
		t.Fatal(err)
	}
	viewer, operator := as(t, s, access.Viewer), as(t, s, access.Operator)
	if got := string(viewer.get("/tasks").Want(t, 200).Body); strings.Count(got, `"revision"`) != 3 || !strings.Contains(got, `"importance":"high"`) || !strings.Contains(got, `"startAt":31`) {
		t.Errorf("got %s", got)
	}
	d := apitest.Decode[struct {
		Windows []struct{ At string }
		Notes   []string
	}](t, viewer.get("/tasks/books?count=3").Want(t, 200))
	if len(d.Windows) != 3 || len(d.Notes) == 0 {
		t.Errorf("got %+v", d)
	}
	if p := viewer.get("/tasks/boks").WantProblem(t, 404, "not-found"); !strings.Contains(p.Hint, "books") {
		t.Errorf("got %+v", p)
	}
	type made struct{ Items []struct{ ID int64 } }
	if got := apitest.Decode[made](t, operator.do("POST", "/tasks/books/run", nil).Want(t, 201)); len(got.Items) != 2 {
		t.Errorf("got %+v", got)
	}
	got := apitest.Decode[made](t, operator.do("POST", "/tasks/books/run", object{"scopes": []string{"porto"}, "reason": "again"}).Want(t, 201))
	it, err := s.Store.Item(t.Context(), got.Items[0].ID)
	if err != nil || it.Priority != workqueue.RequestPriority {
		t.Errorf("got %+v, %v", it, err)
	}
	wantFault(t, operator.do("POST", "/tasks/books/run", object{"scopes": []string{"faro"}}).WantProblem(t, 422, "invalid-request"), "body.scopes", "faro")
	operator.do("POST", "/tasks/plain/run", object{}).Want(t, 201)
	operator.do("POST", "/tasks/broken/run", nil).WantProblem(t, 409, "task-broken")
	operator.do("POST", "/tasks/nothing/run", nil).WantProblem(t, 404, "not-found")
}

func TestDurations(t *testing.T) {
	s := apitest.Start(t, nil)
	learn(t, s)
	viewer, operator := as(t, s, access.Viewer), as(t, s, access.Operator)
	list := func(query string) int {
		t.Helper()
		return len(apitest.Decode[struct{ Items []any }](t, viewer.get("/durations"+query).Want(t, 200)).Items)
	}
	for query, want := range map[string]int{"": 3, "?kind=pipeline": 2, "?task=nightly": 1, "?pipeline=a": 1, "?limit=1": 1, "?key=x:": 0} {
		if got := list(query); got != want {
			t.Errorf("%s: got %d durations, want %d", query, got, want)
		}
	}
	viewer.get("/durations?task=a&key=b").WantProblem(t, 422, "invalid-request")
	wantFault(t, viewer.get("/durations?task=a&kind=key").WantProblem(t, 422, "invalid-request"), "query.kind", "task")
	viewer.get("/durations?kind=x").WantProblem(t, 422, "invalid-request")
	operator.do("POST", "/durations/forget", object{}).WantProblem(t, 422, "invalid-request")
	wantFault(t, operator.do("POST", "/durations/forget", object{"pipeline": "a", "all": true}).WantProblem(t, 422, "invalid-request"), "body.all", "")
	for _, c := range []struct {
		body object
		want string
	}{{object{"pipeline": "a", "reason": "faster now"}, "1"}, {object{"pipeline": "a"}, "0"}, {object{"all": true}, "2"}} {
		if got := string(operator.do("POST", "/durations/forget", c.body).Want(t, 200).Body); !strings.Contains(got, `"forgotten":`+c.want) {
			t.Errorf("%v: got %s", c.body, got)
		}
	}
	entries, err := s.Store.AuditEntries(t.Context(), workqueue.AuditFilter{Action: workqueue.AuditForget})
	if err != nil || len(entries) != 2 || entries[1].Reason != "faster now" {
		t.Errorf("got %+v, %v", entries, err)
	}
}

func learn(t *testing.T, s *apitest.Server) {
	t.Helper()
	var of []learned.Runs
	for _, key := range []learned.Key{{Kind: learned.OfPipeline, Pipeline: "a"}, {Kind: learned.OfPipeline, Pipeline: "b"}, {Kind: learned.OfTask, Pipeline: "b", Name: "nightly"}} {
		of = append(of, learned.Runs{Key: key, Runs: []learned.Run{{Took: time.Second}, {Took: time.Second, Estimate: 2 * time.Second}}})
	}
	if err := s.Store.Learn(t.Context(), of); err != nil {
		t.Fatal(err)
	}
}

func TestStatsAndReport(t *testing.T) {
	s := apitest.Start(t, nil)
	registerWorker(t, s, "ann")
	enqueue(t, s, "default", 3)
	viewer := as(t, s, access.Viewer)
	type series struct {
		By     string
		Points []workqueue.SeriesPoint
		Totals []struct {
			Enqueued int64
			Group    string
		}
	}
	for query, by := range map[string]string{"": "hour", "?since=1h": "minute", "?since=30d": "day", "?by=minute": "minute", "?group=queue&queue=default&worker=": "hour"} {
		got := apitest.Decode[series](t, viewer.get("/stats"+query).Want(t, 200))
		if got.By != by || len(got.Totals) != 1 || got.Totals[0].Enqueued != 3 {
			t.Errorf("%s: got %s %+v", query, got.By, got.Totals)
		}
	}
	viewer.get("/stats?queue=defualt").WantProblem(t, 404, "not-found")
	viewer.get("/stats?worker=anne").WantProblem(t, 404, "not-found")
	viewer.get("/stats?worker=ann").Want(t, 200)
	wantFault(t, viewer.get("/stats?by=minute&since=300d").WantProblem(t, 422, "invalid-request"), "query", "periods")
	viewer.get("/stats?by=week").WantProblem(t, 422, "invalid-request")
	bound := as(t, s, access.Viewer, "default")
	bound.get("/stats").WantProblem(t, 422, "invalid-request")
	bound.get("/stats?queue=default").Want(t, 200)
	bound.get("/stats?queue=mail").WantProblem(t, 403, "queue-not-allowed")

	if got := string(viewer.get("/report?since=1h&timezone=Europe/Lisbon").Want(t, 200).Body); !strings.Contains(got, `"failures":[]`) {
		t.Errorf("got %s", got)
	}
	viewer.get("/report?timezone=Nowhere").WantProblem(t, 422, "invalid-request")
	viewer.get("/report?queue=nothing").WantProblem(t, 404, "not-found")
	viewer.get("/report?since="+url.QueryEscape(time.Now().Add(time.Hour).Format(time.RFC3339))).WantProblem(t, 422, "invalid-request")
	bound.get("/report?queue=default").WantProblem(t, 403, "bound-to-queues")
}

func TestAudit(t *testing.T) {
	s := apitest.Start(t, func(o *api.Options) {
		o.Redact = func(text string) string { return strings.ReplaceAll(text, "hunter2", "<secret>") }
	})
	operator, viewer := as(t, s, access.Operator), as(t, s, access.Viewer)
	for _, verb := range []string{"pause", "resume", "pause"} {
		operator.do("POST", "/queues/default/"+verb, object{"reason": "the password is hunter2"}).Want(t, 200)
	}
	ids := enqueue(t, s, "default", 3)
	ctx := workqueue.WithActor(t.Context(), workqueue.Actor{Name: "eve", Via: workqueue.ViaAPI})
	if _, err := s.Store.ChangeItems(ctx, workqueue.ItemFilter{QueueName: "default", Statuses: workqueue.Statuses()}, workqueue.Change{Action: workqueue.Cancel}); err != nil {
		t.Fatal(err)
	}
	type page struct {
		Items []struct {
			ID             int64
			Action, Reason string
		}
		Next *string
	}
	list := func(query string) page {
		t.Helper()
		return apitest.Decode[page](t, viewer.get("/audit"+query).Want(t, 200))
	}
	if got := list("?target=queue:default"); len(got.Items) != 3 || strings.Contains(got.Items[0].Reason, "hunter2") || !strings.Contains(got.Items[0].Reason, "<secret>") || got.Next != nil {
		t.Errorf("got %+v", got)
	}
	var seen []string
	for next := "?limit=2&action=queues"; next != ""; {
		got := list(next)
		for _, e := range got.Items {
			seen = append(seen, e.Action)
		}
		if next = ""; got.Next != nil {
			next = strings.TrimPrefix(*got.Next, api.Prefix+"/audit")
		}
	}
	if got := strings.Join(seen, " "); got != "queues.pause queues.resume queues.pause" {
		t.Errorf("got %s", got)
	}
	cancels := list("?actor=eve")
	if len(cancels.Items) == 0 || len(list(fmt.Sprintf("?item=%d", ids[1])).Items) != 1 || len(list(fmt.Sprintf("?target=item:%d", ids[1])).Items) != 1 {
		t.Errorf("got %+v", cancels)
	}
	for query, location := range map[string]string{
		"action=queue.pause": "query.action", "target=thing:1": "query.target", "target=queue:": "query.target", "target=item:x": "query.target",
		"limit=501": "query.limit", "before=0": "query.before", "since=never": "query.since",
	} {
		wantFault(t, viewer.get("/audit?"+query).WantProblem(t, 422, "invalid-request"), location, "")
	}
	entry := fmt.Sprintf("/audit/%d", cancels.Items[0].ID)
	rows := 0
	for next := entry + "?limit=1"; next != ""; rows++ {
		got := apitest.Decode[struct {
			Items []any
			Next  *string
		}](t, viewer.get(next).Want(t, 200))
		if len(got.Items) != 1 {
			t.Fatalf("got %+v", got)
		}
		if next = ""; got.Next != nil {
			next = strings.TrimPrefix(*got.Next, api.Prefix)
		}
	}
	if rows != 3 && rows != 1 {
		t.Errorf("got %d items", rows)
	}
	viewer.get("/audit/999999").WantProblem(t, 404, "not-found")
}
