package dashboard_test

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"botwork/workqueue"
	"botwork/workqueue/access"
)

// lookFew is an API that looks at few items where pages ask it to look at many.
type lookFew struct{ http.Handler }

func (l lookFew) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if few, ok := map[string]string{"100000": "3", "1000000": "6"}[q.Get("lookAt")]; ok {
		q.Set("lookAt", few)
		r.URL.RawQuery = q.Encode()
	}
	l.Handler.ServeHTTP(w, r)
}

// A list looks at no more items than it may, says where it ended, and leads to the others.
func TestListsLookAtFewItems(t *testing.T) {
	s := newSiteBehind(t, nil, func(api http.Handler) http.Handler { return lookFew{api} })
	items := slices.Repeat([]workqueue.NewItem{{IntegrationConfig: "hello", Payload: `{"n": 1}`}}, 8)
	items[0].IntegrationConfig = "rare"
	if _, err := s.Store.Enqueue(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	b := s.as(t, access.Operator)
	for _, c := range []struct {
		query  string
		wanted []string
		links  []string
		ids    []string
	}{
		{"pipeline=rare", []string{"None found so far", "0 of the newest 3 items", "newest items, down to the id 6; there may be older", "Cancel items…", "All items of the filter"}, []string{"/items?before=6&amp;pipeline=rare", "/items?pipeline=rare&amp;search=all"}, nil},
		{"before=6&pipeline=rare", []string{"down to the id 3"}, []string{"/items?before=3&amp;pipeline=rare", "/items?pipeline=rare&amp;search=all"}, nil},
		{"before=3&pipeline=rare", []string{"rare"}, nil, []string{"1"}},
		{"pipeline=rare&search=all", []string{"All items were searched", "Cancel items…", "All items of the filter"}, nil, []string{"1"}},
		{"queue=default", []string{"6 of the newest 6 items", "down to the id 3"}, []string{"/items?before=3&amp;queue=default", "/items?queue=default&amp;search=all"}, []string{"8", "7", "6", "5", "4", "3"}},
		{"payload=n%3D%3D1", []string{"down to the id 3; there may be more. Search older items"}, []string{"/items?before=3&amp;payload=n%3D%3D1"}, []string{"8", "7", "6", "5", "4", "3"}},
		{"pipeline=hello&sort=-created", []string{"3 of the newest 3 items", "down to the id 6; there may be older"}, []string{"/items?pipeline=hello&amp;search=all&amp;sort=-created"}, []string{"8", "7", "6"}},
		{"key=none", []string{"Nothing matches the filter", "0 items"}, nil, nil}, // an index has them
	} {
		got := b.get("/items?" + c.query)
		judge(t, c.query, got)
		for _, want := range c.wanted {
			if !strings.Contains(got.visible(), want) {
				t.Errorf("/items?%s: want %q in %s", c.query, want, got.visible())
			}
		}
		for _, link := range regexp.MustCompile(`href="(/items\?[^"]*(before=|search=all)[^"]*)"`).FindAllStringSubmatch(got.text, -1) {
			if !slices.Contains(c.links, link[1]) {
				t.Errorf("/items?%s: a link to %s, want %q", c.query, link[1], c.links)
			}
		}
		for _, link := range c.links {
			if !strings.Contains(got.text, `href="`+link+`"`) {
				t.Errorf("/items?%s: want a link to %s", c.query, link)
			}
		}
		var ids []string
		for _, n := range got.elements() {
			for _, a := range n.Attr {
				if n.Data == "tr" && a.Key == "data-id" {
					ids = append(ids, a.Val)
				}
			}
		}
		if !slices.Equal(ids, c.ids) {
			t.Errorf("/items?%s: items %v, want %v", c.query, ids, c.ids)
		}
		if live, all := !strings.Contains(got.text, `data-live=""`), strings.Contains(c.query, "search=all"); live == all {
			t.Errorf("/items?%s: live %t; it searches all items: %t", c.query, live, all)
		}
	}
}

// The preview of a change counts no further than a list looks, and says that there may be more.
func TestPreviewsLookAtFewItems(t *testing.T) {
	s := newSiteBehind(t, nil, func(api http.Handler) http.Handler { return lookFew{api} })
	items := slices.Repeat([]workqueue.NewItem{{IntegrationConfig: "hello"}}, 8)
	items[0].IntegrationConfig = "rare"
	if _, err := s.Store.Enqueue(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	b := s.as(t, access.Operator)
	for query, wanted := range map[string][]string{
		"cancel?pipeline=rare":  {"Pending 0+ changed", "Retry 0+ changed", "Cancel items"},
		"cancel?pipeline=hello": {"Pending 3+ changed", "Cancel 3+ items"},
		"cancel?status=retry":   {"Retry 0+ changed"},
	} {
		got := b.get("/items/actions/" + query)
		judge(t, query, got)
		for _, want := range wanted {
			if !strings.Contains(got.visible(), want) {
				t.Errorf("%s: want %q in %s", query, want, got.visible())
			}
		}
	}
	got := b.post("/items/actions/cancel", url.Values{"pipeline": {"rare"}, "reason": {"x"}}, nil)
	if it, err := s.Store.Item(t.Context(), 1); err != nil || it.State != workqueue.Cancelled || !strings.Contains(got.visible(), "1 item were cancelled") && !strings.Contains(got.visible(), "1 item was cancelled") {
		t.Errorf("changed: %v, %v: %s", it.State, err, got.visible())
	}
}
