package client_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"botwork/client"
	"botwork/internal/api/apitest"
	"botwork/workqueue/access"
)

// person returns a client of a real server with a token of this role.
func person(t *testing.T, s *apitest.Server, role access.Role) *client.Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	c, err := client.New(s.URL, s.Token(t, role), client.Options{HTTP: &http.Client{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestItemsOfPeople(t *testing.T) {
	ctx := t.Context()
	s := apitest.Start(t, nil)
	c := person(t, s, access.Editor)
	one, err := c.EnqueueItem(ctx, client.NewWorkItem{NewItem: client.NewItem{Pipeline: "hello", Key: "k1", Tags: []string{"urgent"}}, Unique: "done"}, client.EnqueueOptions{Key: "key-of-one"})
	if err != nil || one.ID == 0 || one.Existing {
		t.Fatalf("got %+v, %v", one, err)
	}
	if again, err := c.EnqueueItem(ctx, client.NewWorkItem{NewItem: client.NewItem{Pipeline: "hello", Key: "k1", Tags: []string{"urgent"}}, Unique: "done"}, client.EnqueueOptions{Key: "key-of-one"}); err != nil || again != one {
		t.Errorf("the same key again: %+v, %v", again, err)
	}
	items := make([]client.NewWorkItem, 700)
	for i := range items {
		items[i] = client.NewWorkItem{NewItem: client.NewItem{Pipeline: "hello", Payload: map[string]int{"n": i}, In: client.Span(time.Hour)}, Queue: "default"}
	}
	items[3].Queue = "nowhere"
	results, err := c.EnqueueItems(ctx, items, client.EnqueueOptions{DryRun: true})
	if err != nil || len(results) != 700 || results[3].Problem == nil || results[4].Problem != nil || results[4].ID != 0 {
		t.Fatalf("dry run: %d results, %+v, %v", len(results), results[3], err)
	}
	for range 2 {
		results, err = c.EnqueueItems(ctx, items, client.EnqueueOptions{Key: "key-of-many", Part: 2})
		if err != nil || results[3].Problem == nil || results[699].ID == 0 {
			t.Fatalf("got %+v, %v", results[3], err)
		}
	}
	seen := 0
	for it, err := range c.Items(ctx, client.ItemQuery{Selection: client.Selection{Status: []string{"scheduled"}, CreatedSince: time.Now().Add(-time.Hour)}}) {
		if err != nil || it.Pipeline != "hello" || len(it.JSON) == 0 {
			t.Fatalf("got %+v, %v", it, err)
		}
		seen++
	}
	n, _, err := c.CountItems(ctx, client.Selection{Payload: "n >= 100 and n < 200"})
	if seen != 699 || n != 100 || err != nil {
		t.Errorf("listed %d items, want 699; counted %d, want 100, %v", seen, n, err)
	}
	it, err := c.GetItem(ctx, one.ID)
	if err != nil || it.Key != "k1" || it.Tags[0] != "urgent" {
		t.Errorf("got %+v, %v", it, err)
	}
	changed, err := c.UpdateItem(ctx, one.ID, client.Update{"priority": 1500}, client.ChangeOptions{IfVersion: 1, Reason: "urgent"})
	if err != nil || changed.Version != 2 {
		t.Errorf("update: %+v, %v", changed, err)
	}
	if _, err := c.UpdateItem(ctx, one.ID, client.Update{"priority": 1}, client.ChangeOptions{IfVersion: 1}); !errors.Is(err, client.ErrVersionChanged) {
		t.Errorf("got %v, want version-changed", err)
	}
	if _, err := c.Act(ctx, one.ID, client.Cancel, client.ChangeOptions{Reason: "no"}); err != nil {
		t.Error(err)
	}
	if _, err := c.Act(ctx, one.ID, client.Cancel, client.ChangeOptions{}); !errors.Is(err, client.ErrWrongState) {
		t.Errorf("got %v, want wrong-state", err)
	}
	many := client.ManyOptions{Selection: client.Selection{Queue: "default", Status: []string{"scheduled"}}, Reason: "all of them"}
	dry := many
	dry.DryRun = true
	if r, err := c.ActMany(ctx, client.Cancel, dry); err != nil || r.Changed != 699 {
		t.Errorf("dry run: %+v, %v", r, err)
	}
	if r, err := c.UpdateMany(ctx, client.Update{"priority": 5}, many); err != nil || r.Changed != 699 {
		t.Errorf("update: %+v, %v", r, err)
	}
	many.Batch = "batch-of-the-test"
	if r, err := c.ActMany(ctx, client.Cancel, many); err != nil || r.Changed != 699 || r.Batch != many.Batch {
		t.Errorf("cancel: %+v, %v", r, err)
	}
	var batch struct{ Items int }
	if err := c.Get(ctx, "/batches/"+many.Batch, nil, &batch); err != nil || batch.Items != 699 {
		t.Errorf("the batch has %d items, %v", batch.Items, err)
	}
	if history, err := c.History(ctx, one.ID, 10); err != nil || len(history) != 2 {
		t.Errorf("history: %s, %v", history, err)
	}
	if attempts, err := c.Attempts(ctx, one.ID); err != nil || len(attempts) != 0 {
		t.Errorf("attempts: %s, %v", attempts, err)
	}
	if why, err := c.Why(ctx, one.ID); err != nil || why.Kind == "" || why.Text == "" || !json.Valid(why.JSON) {
		t.Errorf("why: %+v, %v", why, err)
	}
	if _, err := person(t, s, access.Viewer).Act(ctx, one.ID, client.Repeat, client.ChangeOptions{}); !errors.Is(err, client.ErrRoleNotAllowed) {
		t.Errorf("a viewer: got %v, want role-not-allowed", err)
	}
}

func TestQueuesAndWorkersOfPeople(t *testing.T) {
	ctx := t.Context()
	s := apitest.Start(t, nil)
	c := person(t, s, access.Operator)
	if changed, err := c.PauseQueue(ctx, "default", "maintenance"); err != nil || !changed {
		t.Errorf("pause: %v, %v", changed, err)
	}
	if q, err := c.Queue(ctx, "default"); err != nil || !q.Paused || len(q.JSON) == 0 {
		t.Errorf("got %+v, %v", q, err)
	}
	if changed, err := c.ResumeQueue(ctx, "default", ""); err != nil || !changed {
		t.Errorf("resume: %v, %v", changed, err)
	}
	if queues, err := c.Queues(ctx); err != nil || len(queues) != 1 || queues[0].Paused {
		t.Errorf("got %+v, %v", queues, err)
	}
	if workers, err := c.Workers(ctx); err != nil || len(workers) != 0 {
		t.Errorf("got %+v, %v", workers, err)
	}
	for name, err := range map[string]error{
		"drain": c.DrainWorker(ctx, "a/b", true, ""), "resume": second(c.ResumeWorker(ctx, "none", "")), "pause": second(c.PausePipeline(ctx, "none", "")),
		"continue": second(c.ResumePipeline(ctx, "none", "")), "run": second(c.RunPipeline(ctx, "none", "")), "pipelines": second(c.Pipelines(ctx)),
	} {
		if p, ok := errors.AsType[*client.Problem](err); !ok || p.Status != http.StatusNotFound {
			t.Errorf("%s: got %v, want a problem of the status 404", name, err)
		}
	}
	for run, err := range c.Runs(ctx, client.RunQuery{Outcomes: []string{"failed", "late"}, Since: time.Now().Add(-time.Hour)}) {
		t.Errorf("got %+v, %v", run, err)
	}
}

func second[T any](_ T, err error) error { return err }

// A change whose answer is lost again and again may have been made; one that was never sent was not.
func TestUnansweredChanges(t *testing.T) {
	a, c := against(t, hangUp)
	if _, err := c.PauseQueue(t.Context(), "default", ""); err == nil {
		t.Error("no error")
	} else if _, unsure := errors.AsType[*client.UnansweredError](err); !unsure || len(a.sent()) != 6 {
		t.Errorf("got %v after %d requests", err, len(a.sent()))
	}
	key := a.sent()[0].Header.Get("Idempotency-Key")
	for _, r := range a.sent() {
		if key == "" || r.Header.Get("Idempotency-Key") != key {
			t.Errorf("got the key %q, want %q", r.Header.Get("Idempotency-Key"), key)
		}
	}
	if _, err := c.Queues(t.Context()); err == nil {
		t.Error("no error")
	} else if _, unsure := errors.AsType[*client.UnansweredError](err); unsure {
		t.Errorf("a read is not a change: %v", err)
	}
	_, c = against(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://example.com/", http.StatusFound)
	})
	if _, err := c.Queues(t.Context()); err == nil {
		t.Error("a redirection: no error")
	}
	_, c = against(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") })
	if _, err := c.Queues(t.Context()); err == nil {
		t.Error("a page: no error")
	} else if _, ok := errors.AsType[*client.NotBotworkError](err); !ok {
		t.Errorf("got %v", err)
	}
}
