package dashboard_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"botwork/workqueue"
	"botwork/workqueue/access"
)

// What the requests of a change have passed over stays on the page until the last one.
func TestResultOfAllRequests(t *testing.T) {
	requests := 0
	s := newSiteBehind(t, nil, func(api http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/items/actions/cancel") {
				api.ServeHTTP(w, r)
				return
			}
			requests++
			next, skipped := `"go-on"`, []string{}
			if requests == 3 {
				next = "null"
			}
			for i := range 60 {
				skipped = append(skipped, fmt.Sprintf(`{"itemId": %d, "message": "because <%d>"}`, 100*requests+i, requests))
			}
			fmt.Fprintf(w, `{"changed": 10, "refused": 60, "keysTaken": 1, "unreadable": %d, "skipped": [%s], "next": %s}`, requests, strings.Join(skipped, ","), next)
		})
	})
	if _, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{IntegrationConfig: "a"}}); err != nil {
		t.Fatal(err)
	}
	b := s.as(t, access.Operator)
	got := b.get("/items/actions/cancel")
	for range 3 {
		form := got.form("/items/actions/cancel")
		got = b.post("/items/actions/cancel", form, nil)
		judge(t, "result", got)
	}
	text := got.visible()
	for _, want := range []string{"30 items were cancelled", "180 were refused", "3 were passed over: another item", "6 were passed over: their payload", "100 because <1>", "239 because <2>", "and 80 more"} {
		if !strings.Contains(text, want) {
			t.Errorf("the last page lacks %q: %s", want, text)
		}
	}
	if strings.Contains(text, "because <3>") {
		t.Errorf("the list has no bound: %s", text)
	}
}
