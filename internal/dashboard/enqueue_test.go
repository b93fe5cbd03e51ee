package dashboard_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"botwork/workqueue"
	"botwork/workqueue/access"
)

func TestEnqueueForm(t *testing.T) {
	s := newSite(t)
	b := s.as(t, access.Operator)
	judge(t, "/enqueue", b.get("/enqueue"))
	form := url.Values{"pipeline": {"hello"}, "queue": {"default"}, "priority": {"1500"}, "payload": {"{\n  \"name\": \"Ada\",\n}"}, "key": {"A-1"}}
	wrong := b.post("/enqueue", form, nil)
	if wrong.status != http.StatusUnprocessableEntity || !strings.Contains(wrong.visible(), "the payload is not JSON") || !strings.Contains(wrong.visible(), "line 3") || !strings.Contains(wrong.text, "A-1") {
		t.Fatalf("a wrong payload: %d %s", wrong.status, wrong.visible())
	}
	form.Set("payload", `{"name": "Ada", "big": 12345678901234567890}`)
	got := b.post("/enqueue", form, nil)
	if to, said := b.said(got); to != "/items/1" || said != "The item was enqueued" {
		t.Fatalf("enqueue: %q at %q", said, to)
	}
	it, err := s.Store.Item(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if it.Priority != 1500 || it.NaturalKey != nil && *it.NaturalKey != "A-1" || !strings.Contains(string(it.Payload), "12345678901234567890") {
		t.Errorf("the item: %+v", it)
	}
	clone := b.get("/enqueue?from=1")
	if !strings.Contains(clone.text, "12345678901234567890") || !strings.Contains(clone.text, `value="1500"`) {
		t.Errorf("the form of a copy does not have the values: %s", clone.text)
	}
}

// Two people change the same item: the second one sees that it has changed, and loses nothing of
// what was entered.
func TestChangeForm(t *testing.T) {
	s := newSite(t)
	if _, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{IntegrationConfig: "hello", Payload: `{"amount":1}`, Priority: 700}}); err != nil {
		t.Fatal(err)
	}
	b := s.as(t, access.Operator)
	page := b.get("/change/1")
	judge(t, "/change/1", page)
	form := url.Values{}
	for _, n := range page.elements() {
		if n.Data == "input" && attr(n, "name") != "" {
			form.Set(attr(n, "name"), attr(n, "value"))
		}
	}
	form.Set("queue", "default")
	form.Set("payload", `{"amount": 2}`)
	form.Set("reason", "typing error")
	if form.Get("version") == "" || form.Get("priority") != "700" {
		t.Fatalf("the form: %v", form)
	}
	if to, said := b.said(b.post("/change/1", form, nil)); said != "Item 1 was changed" {
		t.Fatalf("change: %q at %q", said, to)
	}
	form.Set("payload", `{"amount": 3}`)
	second := b.post("/change/1", form, nil)
	if second.status != http.StatusPreconditionFailed || !strings.Contains(second.text, "amount&#34;: 3") {
		t.Errorf("a change of an old version: %d %s", second.status, second.visible())
	}
	it, err := s.Store.Item(t.Context(), 1)
	if err != nil || string(it.Payload) != `{"amount":2}` || it.Priority != 700 {
		t.Errorf("the item: %s, priority %d, error %v", it.Payload, it.Priority, err)
	}
	if text := b.get("/items/1").visible(); !strings.Contains(text, "typing error") {
		t.Errorf("the line of time has no change: %s", text)
	}
}
