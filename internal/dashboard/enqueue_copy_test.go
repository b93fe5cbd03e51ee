package dashboard_test

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"botwork/internal/api"
	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/matching"
)

// entered returns what a browser sends of the form of a page that no one has changed.
func (s seen) entered(action string) url.Values {
	form := url.Values{}
	for _, n := range s.elements() {
		name := attr(n, "name")
		if name == "" || !inForm(n, action) {
			continue
		}
		switch n.Data {
		case "input":
			if kind := attr(n, "type"); kind != "checkbox" || hasAttr(n, "checked") {
				form.Add(name, attr(n, "value"))
			}
		case "textarea":
			text := ""
			if n.FirstChild != nil {
				text = n.FirstChild.Data
			}
			form.Add(name, strings.ReplaceAll(text, "\n", "\r\n"))
		case "select":
			form.Add(name, selected(n))
		}
	}
	return form
}

func hasAttr(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

func inForm(n *html.Node, action string) bool {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.Data == "form" {
			return attr(p, "action") == action
		}
	}
	return false
}

// selected returns the value of a list of choices: the first one if none is marked.
func selected(list *html.Node) string {
	value, first := "", true
	for n := range list.Descendants() {
		if n.Data != "option" || !first && !hasAttr(n, "selected") {
			continue
		}
		first = false
		if value = attr(n, "value"); !hasAttr(n, "value") && n.FirstChild != nil {
			value = n.FirstChild.Data
		}
	}
	return value
}

// made returns the item that the answer to a form leads to.
func (s *site) made(t *testing.T, got seen) workqueue.Item {
	t.Helper()
	to, err := url.Parse(got.header.Get("Location"))
	if err != nil || got.status != http.StatusSeeOther {
		t.Fatalf("status %d, location %v, error %v: %s", got.status, to, err, got.text)
	}
	id, err := strconv.ParseInt(strings.TrimPrefix(to.Path, "/items/"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	it, err := s.Store.Item(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return it
}

// The form selects the queue default, and not the one of Botwork itself that is before it in the alphabet.
func TestEnqueueFormChoosesAQueue(t *testing.T) {
	s := newSite(t)
	ctx := t.Context()
	for _, name := range []string{workqueue.NotificationQueue, "apples"} {
		if err := s.Store.CreateQueue(ctx, workqueue.Queue{Name: name}, "test"); err != nil {
			t.Fatal(err)
		}
	}
	queueOf := func(b *browser, path string) string { return b.get(path).entered("/enqueue").Get("queue") }
	operator := s.as(t, access.Operator)
	if got := queueOf(operator, "/enqueue"); got != "default" {
		t.Errorf("the queue %q is selected, want default", got)
	}
	if got := queueOf(operator, "/enqueue?queue=apples"); got != "apples" {
		t.Errorf("the queue %q is selected, want apples", got)
	}
	if got := queueOf(s.as(t, access.Operator, "apples", workqueue.NotificationQueue), "/enqueue"); got != "apples" {
		t.Errorf("the queue %q is selected, want the only one that is not internal", got)
	}
	if err := s.Store.CreateQueue(ctx, workqueue.Queue{Name: "pears"}, "test"); err != nil {
		t.Fatal(err)
	}
	if got := queueOf(s.as(t, access.Operator, "apples", "pears"), "/enqueue"); got != "" {
		t.Errorf("the queue %q is selected, want none of two", got)
	}
	text := operator.get("/enqueue").text
	if strings.Index(text, "<option>"+workqueue.NotificationQueue) < strings.Index(text, "<option>pears") {
		t.Error("the internal queue is not the last one")
	}
}

// The page of an item offers a copy exactly if the API creates it: one with a whole pipeline needs
// http.inline and an editor who is not bound to queues.
func TestCopiesThatArePossibleAreOffered(t *testing.T) {
	for _, on := range []bool{false, true} {
		s := newSiteWith(t, func(o *api.Options) { o.Inline = on })
		if _, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{
			{IntegrationConfig: "hello"}, {IntegrationConfig: "steps:\n  - {handler: Log, with: {message: hi}}\n"},
		}); err != nil {
			t.Fatal(err)
		}
		count := func() int64 {
			n, err := s.Store.CountItems(t.Context(), workqueue.ItemFilter{})
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		for _, c := range []struct {
			role         access.Role
			queues       []string
			named, whole bool
		}{
			{access.Viewer, nil, false, false}, {access.Operator, nil, true, false}, {access.Editor, []string{"default"}, true, false},
			{access.Editor, nil, true, on}, {access.Admin, nil, true, on},
		} {
			b := s.as(t, c.role, c.queues...)
			for id, want := range map[string]bool{"1": c.named, "2": c.whole} {
				page := b.get("/items/" + id)
				for _, link := range []string{"/items/" + id + "/clone", "/enqueue?from=" + id} {
					if offered := strings.Contains(page.text, `"`+link+`"`); offered != want {
						t.Errorf("http.inline %v, %s of %q: item %s offers %s: %v, want %v", on, c.role, c.queues, id, link, offered, want)
					}
				}
			}
			before := count()
			b.post("/items/2/clone", nil, nil)
			if made := count() > before; made != c.whole {
				t.Errorf("http.inline %v, %s of %q: the copy of the whole pipeline was created: %v, want %v", on, c.role, c.queues, made, c.whole)
			}
		}
	}
}

// A copy that is edited has all values of the item.
func TestCloneAndEditKeepsValues(t *testing.T) {
	s := newSiteWith(t, func(o *api.Options) { o.Inline = true }) // the item has a whole pipeline
	ctx := t.Context()
	if err := s.Store.CreateQueue(ctx, workqueue.Queue{Name: "urgent", PriorityOffset: 500}, "test"); err != nil {
		t.Fatal(err)
	}
	gpu, err := matching.ParseSelector("gpu = true")
	if err != nil {
		t.Fatal(err)
	}
	finish := time.Now().Add(2 * time.Hour).UTC().Truncate(time.Millisecond).Add(123 * time.Millisecond)
	if _, err := s.Store.Enqueue(ctx, []workqueue.NewItem{{
		QueueName: "urgent", IntegrationConfig: "name: x\nsteps:\n  - {name: a, handler: Log, with: {message: hi}}\n", Priority: 1000, Payload: "{\"a\":[1,2]}", NaturalKey: "K-1",
		Tags: []string{"a b", "c,d"}, Metadata: map[string]string{"customer": "Ada=1\n2"}, Labels: matching.Labels{"ram": matching.Number(3)}, Selectors: []matching.Selector{gpu},
		Deadline: finish.Add(-time.Hour), FinishBy: finish, Attempts: 3, LimitKey: "ada", Estimate: 90 * time.Second, Retain: new(time.Hour),
	}}); err != nil {
		t.Fatal(err)
	}
	b := s.as(t, access.Editor)
	page := wantShown(t, b, "/enqueue?from=1", "A new item is enqueued with these values", "also gets the limit key, estimated duration, retention of item 1")
	form := page.entered("/enqueue")
	copied := s.made(t, b.post("/enqueue", form, nil))
	was, err := s.Store.Item(ctx, 1)
	if err != nil {
		t.Fatal(err)
	}
	if copied.ID == was.ID {
		t.Fatal("nothing was enqueued")
	}
	for _, one := range []struct {
		what     string
		got, was any
	}{
		{"pipeline", copied.IntegrationConfig, was.IntegrationConfig}, {"queue", copied.QueueName, was.QueueName}, {"priority", copied.Priority, was.Priority},
		{"tags", copied.Tags, was.Tags}, {"metadata", copied.Metadata, was.Metadata}, {"labels", copied.Labels, was.Labels}, {"selectors", copied.Selectors, was.Selectors},
		{"resilience", copied.ResilienceConfig, was.ResilienceConfig}, {"key", *copied.NaturalKey, *was.NaturalKey}, {"limit key", *copied.LimitKey, *was.LimitKey},
		{"estimate", *copied.EstimatedDurationMs, *was.EstimatedDurationMs}, {"retention", *copied.RetainMs, *was.RetainMs},
		{"deadline", copied.DeadlineAt.UTC(), was.DeadlineAt.UTC()}, {"time to finish by", copied.FinishBy.UTC(), was.FinishBy.UTC()},
	} {
		if one.got != one.was {
			t.Errorf("%s: the copy has %v, the item %v", one.what, one.got, one.was)
		}
	}
	form.Set("tags", "new")
	form.Set("labels", "")
	form.Set("finishBy", "")
	form.Set("deadline", "")
	if it := s.made(t, b.post("/enqueue", form, nil)); it.Labels != "" || it.Tags != `["new"]` || it.FinishBy != nil || it.DeadlineAt != nil {
		t.Errorf("what was changed: tags %s, finish by %v, deadline %v", it.Tags, it.FinishBy, it.DeadlineAt)
	}
}

// Who does not see a payload copies it without losing it.
func TestCloneOfAHiddenPayload(t *testing.T) {
	s := newSite(t)
	ctx := t.Context()
	if err := s.Store.CreateQueue(ctx, workqueue.Queue{Name: "secret", QueueAccess: workqueue.QueueAccess{Payloads: workqueue.PayloadsHidden}}, "test"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.Enqueue(ctx, []workqueue.NewItem{{QueueName: "secret", IntegrationConfig: "hello", Payload: `{"pin": "hunter2"}`, NaturalKey: "K-1", Metadata: map[string]string{"a": "b"}}}); err != nil {
		t.Fatal(err)
	}
	b := s.as(t, access.Operator)
	page := wantShown(t, b, "/enqueue?from=1", "You do not see the payload, so the new item gets all values of item 1 as they are")
	if strings.Contains(page.text, "hunter2") || page.entered("/enqueue").Has("payload") {
		t.Errorf("the form: %s", page.text)
	}
	form := page.entered("/enqueue")
	form.Set("key", "K-2")
	form.Set("payload", "{}") // an older page
	it := s.made(t, b.post("/enqueue", form, nil))
	if it.ID == 1 || it.Payload != `{"pin": "hunter2"}` || *it.NaturalKey != "K-2" || it.Metadata != `{"a":"b"}` {
		t.Errorf("the copy: %d with payload %s, key %s, metadata %s", it.ID, it.Payload, *it.NaturalKey, it.Metadata)
	}
	change := wantShown(t, b, "/change/1", "Hidden by its queue", "It stays as it is if this is empty").entered("/change/1")
	change.Set("priority", "2000")
	if it := s.made(t, b.post("/change/1", change, nil)); it.Payload != `{"pin": "hunter2"}` || it.Metadata != `{"a":"b"}` || it.Priority != 2000 {
		t.Errorf("the changed item: payload %s, metadata %s, priority %d", it.Payload, it.Metadata, it.Priority)
	}
}

// A change sends only what was changed, whatever the browser does to the ends of lines, and a queue's offset is not
// added to what has it already.
func TestChangeFormSendsChanges(t *testing.T) {
	s := newSite(t)
	ctx := t.Context()
	if err := s.Store.CreateQueue(ctx, workqueue.Queue{Name: "urgent", PriorityOffset: 500}, "test"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.Enqueue(ctx, []workqueue.NewItem{{
		QueueName: "urgent", IntegrationConfig: "hello", Priority: 1000, Payload: `{"a":[1,2]}`, Tags: []string{"old", "both"}, Metadata: map[string]string{"a": "1", "b": "2"}, FinishBy: time.Now().Add(time.Hour),
	}}); err != nil {
		t.Fatal(err)
	}
	b := s.as(t, access.Operator)
	form := wantShown(t, b, "/change/1", "What you do not change stays as it is").entered("/change/1")
	if to, said := b.said(b.post("/change/1", form, nil)); said != "Nothing was changed" {
		t.Errorf("a form that no one has changed: %q at %q", said, to)
	}
	form.Set("tags", "both\r\nnew\r\n")
	form.Set("metadata", `{"a": "1", "c": "3"}`)
	form.Set("finishBy", "")
	form.Set("deadline", "2999-01-31 13:45")
	form.Set("priority", "1100")
	it := s.made(t, b.post("/change/1", form, nil))
	if it.Tags != `["both","new"]` || it.Metadata != `{"a":"1","c":"3"}` || it.FinishBy != nil || it.DeadlineAt == nil || it.DeadlineAt.UTC().Format(time.DateTime) != "2999-01-31 13:45:00" || it.Priority != 1600 {
		t.Errorf("tags %s, metadata %s, finish by %v, deadline %v, priority %d", it.Tags, it.Metadata, it.FinishBy, it.DeadlineAt, it.Priority)
	}
	form.Set("metadata", `{"a": 1}`)
	if got := b.post("/change/1", form, nil); got.status != http.StatusUnprocessableEntity || !strings.Contains(got.visible(), "the metadata is no object of texts") {
		t.Errorf("metadata that are no texts: %d %s", got.status, got.visible())
	}
}

// The rules of where an item runs and how it is retried are changed in the form, each by itself.
func TestChangeFormSendsRules(t *testing.T) {
	s := newSite(t)
	gpu, err := matching.ParseSelector("gpu = true")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{
		IntegrationConfig: "hello", Labels: matching.Labels{"ram": matching.Number(3), "region": matching.Text("eu")}, Selectors: []matching.Selector{gpu}, Attempts: 3,
	}}); err != nil {
		t.Fatal(err)
	}
	b := s.as(t, access.Operator)
	form := b.get("/change/1").entered("/change/1")
	form.Set("labels", `{"region": "us", "ssd": true}`)
	form.Set("selectors", "")
	form.Set("resilience", `{"limit": 5}`)
	it := s.made(t, b.post("/change/1", form, nil))
	if it.Labels != `{"region":"us","ssd":true}` || it.Selectors != "" || it.ResilienceConfig != `{"limit":5}` {
		t.Errorf("labels %s, selectors %s, resilience %s", it.Labels, it.Selectors, it.ResilienceConfig)
	}
	older := b.get("/change/1").entered("/change/1")
	for _, name := range []string{"labels", "selectors", "resilience"} {
		older.Del(name)
	}
	older.Set("priority", "1100")
	if now := s.made(t, b.post("/change/1", older, nil)); now.Priority != 1100 || now.Labels != it.Labels || now.ResilienceConfig != it.ResilienceConfig {
		t.Errorf("a form of an older page: priority %d, labels %s, resilience %s", now.Priority, now.Labels, now.ResilienceConfig)
	}
	for name, wrong := range map[string][2]string{
		"labels": {`["a"]`, "the labels are no object"}, "selectors": {`["gpu = `, "the value of selectors is not JSON"}, "resilience": {`{"limit": "x"}`, "resilience"},
	} {
		form := b.get("/change/1").entered("/change/1")
		form.Set(name, wrong[0])
		if got := b.post("/change/1", form, nil); got.status != http.StatusUnprocessableEntity || !strings.Contains(got.visible(), wrong[1]) || !strings.Contains(got.visible(), wrong[0]) {
			t.Errorf("%s %s: %d %s", name, wrong[0], got.status, got.visible())
		}
	}
}
