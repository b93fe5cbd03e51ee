package dashboard_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"botwork/workqueue"
	"botwork/workqueue/access"
)

// An operator cancels what a filter selects: the preview says how many items of which status are
// concerned, the change takes these, and repeating it changes nothing.
func TestChangeAllItemsOfAFilter(t *testing.T) {
	s := newSite(t)
	var items []workqueue.NewItem
	for range 60 {
		items = append(items, workqueue.NewItem{IntegrationConfig: "a", Priority: 700}, workqueue.NewItem{IntegrationConfig: "b", Priority: 800})
	}
	if _, err := s.Store.Enqueue(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	b := s.as(t, access.Operator)
	filter := "?maxPriority=750&pipeline=a&status=pending"
	if got := b.get("/items" + filter); !slices.Contains(got.links(), "/items/actions/cancel"+filter) {
		t.Fatalf("the list does not offer to cancel all: %v", got.links())
	}
	preview := b.get("/items/actions/cancel" + filter)
	judge(t, "preview", preview)
	if !strings.Contains(preview.visible(), "Cancel 60 items") {
		t.Fatalf("preview: %s", preview.visible())
	}
	form := url.Values{"pipeline": {"a"}, "maxPriority": {"750"}, "status": {"pending"}, "reason": {"wrong month"}}
	got := b.post("/items/actions/cancel", form, nil)
	if got.status != http.StatusOK || !strings.Contains(got.visible(), "60 items were cancelled") {
		t.Fatalf("change: %d %s", got.status, got.visible())
	}
	if got := b.post("/items/actions/cancel", form, nil); !strings.Contains(got.visible(), "0 items were cancelled") {
		t.Errorf("again: %s", got.visible())
	}
	n, err := s.Store.CountItems(t.Context(), workqueue.ItemFilter{States: []workqueue.State{workqueue.Cancelled}})
	if err != nil || n != 60 {
		t.Errorf("%d items are cancelled, want 60; error %v", n, err)
	}
	if got := b.get("/items/actions/run" + filter); !strings.Contains(got.visible(), "No item of the filter can be changed in this way") {
		t.Errorf("a change that no item allows: %s", got.visible())
	}
	if got := b.get("/items/actions/explode"); got.status != http.StatusNotFound {
		t.Errorf("an unknown change: %d", got.status)
	}
	if got := s.as(t, access.Viewer).post("/items/actions/cancel", form, nil); got.status != http.StatusForbidden {
		t.Errorf("a viewer's change: %d", got.status)
	}
	if got := b.get("/audit").visible(); !strings.Contains(got, "wrong month") {
		t.Errorf("the audit log has no reason: %s", got)
	}
}
