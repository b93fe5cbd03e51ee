package dashboard_test

import (
	"net/http"
	"slices"
	"testing"

	"botwork/workqueue"
	"botwork/workqueue/access"
)

// A deletion is offered to those who may do it: an operator only in a queue that hides what is deleted.
func TestDeletionIsOffered(t *testing.T) {
	s := newSite(t)
	oneOfEach(t, s, "kept")
	if err := s.Store.CreateQueue(t.Context(), workqueue.Queue{Name: "gone"}, "test"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{IntegrationConfig: "a", QueueName: "gone"}}); err != nil {
		t.Fatal(err)
	}
	operator, admin := s.as(t, access.Operator), s.as(t, access.Admin)
	kept, gone := s.as(t, access.Operator, "kept"), s.as(t, access.Operator, "gone")
	for _, c := range []struct {
		who        string
		b          *browser
		filter     string
		many, some bool
	}{
		{"an admin", admin, "", true, true},
		{"an operator", operator, "", false, true},
		{"an operator", operator, "?queue=gone", false, true},
		{"an operator", operator, "?queue=kept", true, true},
		{"an operator of the queue kept", kept, "", true, true},
		{"an operator of the queue gone", gone, "", false, false},
	} {
		got := c.b.get("/items" + c.filter)
		preview := "/items/actions/delete" + c.filter
		if many := slices.Contains(got.links(), preview); many != c.many {
			t.Errorf("%s, /items%s: the deletion of all is offered: %t", c.who, c.filter, many)
		}
		if some := slices.Contains(got.buttons(), "Delete…"); some != c.some {
			t.Errorf("%s, /items%s: the deletion of some is offered: %t", c.who, c.filter, some)
		}
		want := map[bool]int{true: http.StatusOK, false: http.StatusForbidden}[c.many]
		if got := c.b.get(preview); got.status != want {
			t.Errorf("%s, %s: status %d, want %d", c.who, preview, got.status, want)
		}
	}
}
