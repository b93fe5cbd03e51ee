package dashboard_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/handlers/builtin"
	"botwork/internal/api"
	"botwork/internal/operations"
	"botwork/pipelines"
	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/assign"
)

// letters is a project with one pipeline.
type letters struct {
	api.Project

	catalogue *pipelines.Catalogue
}

func (p letters) Load() (*operations.Project, error) {
	return &operations.Project{Folder: true, Catalogue: p.catalogue}, nil
}

func (letters) WhyParams() (assign.WhyParams, error) { return assign.WhyParams{}, nil }

// The page of an item shows the pipeline, the payload, attempts, workers, the audit log and other items.
func TestItemPage(t *testing.T) {
	k := pipelines.NewCatalogue(pipelines.NewCompiler(builtin.Registry(builtin.Resources{}), pipelines.Options{}))
	if findings := k.Add("send.yaml", []byte("name: send\nselectors: ['color = true']\nsteps:\n  - {name: print, handler: Log, if: payload.paper, with: {message: x}}\n  - {name: post, handler: Log, with: {message: x}}\n")); len(findings) > 0 {
		t.Fatal(findings)
	}
	if findings := k.Add("broken.yaml", []byte("name: broken\nsteps: [{handler: Nothing}]\n")); len(findings) == 0 {
		t.Fatal("a pipeline with an unknown handler is valid")
	}
	s := newSiteWith(t, func(o *api.Options) { o.Project = letters{catalogue: k} })
	ctx := t.Context()
	if err := s.Store.CreateQueue(ctx, workqueue.Queue{Name: "secret", QueueAccess: workqueue.QueueAccess{Payloads: workqueue.PayloadsHidden}}, "test"); err != nil {
		t.Fatal(err)
	}
	if err := s.Store.CreateQueue(ctx, workqueue.Queue{Name: "robots", Consumer: workqueue.ConsumerRobots}, "test"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.RegisterWorker(ctx, workqueue.WorkerSpec{Name: "bot-1", InstanceID: "a", Host: "h", Capacity: 4, Lease: time.Hour, Labels: `{"color": false}`}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.Enqueue(ctx, []workqueue.NewItem{
		{IntegrationConfig: "send", NaturalKey: "L-1", Payload: `{"to": {"name": "Ada"}, "n": 12345678901234567890}`},
		{IntegrationConfig: "send", NaturalKey: "L-1"},
		{IntegrationConfig: "broken"},
		{QueueName: "secret", IntegrationConfig: "send", Payload: `{"pin": "hunter2"}`},
		{QueueName: "robots"},
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.Checkout(ctx, workqueue.CheckoutParams{Queue: "robots", Robot: "r1", Max: 1}); err != nil {
		t.Fatal(err)
	}
	if err := s.Store.ReleaseFromRobot(ctx, 5, "its machine is gone"); err != nil {
		t.Fatal(err)
	}
	viewer, operator, editor := s.as(t, access.Viewer), s.as(t, access.Operator), s.as(t, access.Editor)
	operator.post("/items/1/cancel", map[string][]string{"reason": {"wrong address"}}, nil)
	shows := func(b *browser, id int, wanted ...string) seen {
		t.Helper()
		at := fmt.Sprintf("/items/%d", id)
		got := b.get(at)
		if got.status != 200 {
			t.Fatalf("GET %s: %d %s", at, got.status, got.text)
		}
		judge(t, at, got)
		for _, want := range wanted {
			if !strings.Contains(got.visible(), want) {
				t.Errorf("GET %s does not show %q: %s", at, want, got.visible())
			}
		}
		return got
	}
	got := shows(viewer, 1, "n 12345678901234567890", "name Ada", "print Log if payload.paper", "color = true", "No: has color = false where color = true is wanted", "Cancel by operator · wrong address", "2 Pending send,")
	for _, link := range []string{"/items?key=L-1", "/audit?item=1", "/items/2", "/pipelines/send", "/workers/bot-1"} {
		if !slices.Contains(got.links(), link) {
			t.Errorf("the page does not lead to %s: %q", link, got.links())
		}
	}
	shows(viewer, 2, "Payload None.", "Waiting", "no attempt has begun")
	shows(viewer, 3, "Item 3", "Yes") // a pipeline with errors does not break the page
	if text := shows(viewer, 4, "Hidden by its queue: your role may not see it.").text; strings.Contains(text, "hunter2") {
		t.Error("a viewer sees a hidden payload")
	}
	shows(editor, 4, "pin hunter2")
	shows(viewer, 5, "Attempt 1: released", "Released Attempt 1", "r1")
	bound := s.as(t, access.Viewer, "default", "robots")
	if links := shows(bound, 1, "Same key").links(); slices.Contains(links, "/audit?item=1") {
		t.Error("a viewer of some queues is led to the audit log")
	}
}
