package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

func TestItemLists(t *testing.T) {
	s := apitest.Start(t, nil)
	for i := range 7 {
		create(t, s, fmt.Sprintf(`{"pipeline": "p%d", "priority": %d, "key": "K-%d", "tags": ["t%d", "all"], "metadata": {"n": "%d"}, "labels": {"size": %d}, "payload": {"n": %d, "big": 12345678901234567890}}`, i%2, 1000+i*100, i, i, i, i, i))
	}
	do(t, s, "POST", "/items/3/cancel", nil).Want(t, 200)
	viewer := s.Token(t, access.Viewer)
	for _, c := range []struct {
		query string
		want  []int64
	}{
		{"", []int64{7, 6, 5, 4, 3, 2, 1}},
		{"?status=cancelled", []int64{3}},
		{"?status=pending,cancelled&limit=2", []int64{7, 6}},
		{"?status=cancelled&status=running", []int64{3}},
		{"?lifecycle=archived", []int64{3}},
		{"?state=Cancelled", []int64{3}},
		{"?queue=default&pipeline=p1", []int64{6, 4, 2}},
		{"?key=K-2", []int64{3}},
		{"?keyPart=k-", []int64{7, 6, 5, 4, 3, 2, 1}},
		{"?tag=t1&tag=t2", []int64{3, 2}},
		{"?tag=t1&tag=all&allTags=true", []int64{2}},
		{"?meta=n%3D4", []int64{5}},
		{"?label=size%3D4", []int64{5}},
		{"?label=size&label=size%3D2", []int64{3}},
		{"?label=Size", nil},
		{"?metaLike=n%3D*&band=medium", []int64{1}},
		{"?minPriority=1500", []int64{7, 6}},
		{"?maxPriority=1100&minPriority=0", []int64{2, 1}},
		{"?createdSince=1h&createdUntil=2099-01-01", []int64{7, 6, 5, 4, 3, 2, 1}},
		{"?createdUntil=1h", nil},
		{"?payload=" + "n%20%3E%204", []int64{7, 6}},
		{"?sort=priority&limit=2", []int64{1, 2}},
		{"?sort=-priority&limit=2", []int64{7, 6}},
		{"?task=nightly", nil},
		{"?worker=w", nil},
		{"?errorKind=timeout&error=x", nil},
		{"?before=3", []int64{2, 1}},
	} {
		if got, _ := list(t, s, viewer, c.query); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %d, want %d", c.query, got, c.want)
		}
		path, more, _ := strings.Cut(c.query, "limit=")
		if strings.Contains(path, "sort") || strings.Contains(path, "before") || more != "" {
			continue
		}
		n := apitest.Decode[struct{ Count int }](t, s.Do(t, apitest.Request{Method: "GET", Path: "/items/count" + c.query, Token: viewer}).Want(t, 200))
		if n.Count != len(c.want) {
			t.Errorf("count %s: got %d, want %d", c.query, n.Count, len(c.want))
		}
		exported := s.Do(t, apitest.Request{Method: "GET", Path: "/items.ndjson" + c.query, Token: viewer}).Want(t, 200)
		if lines := strings.Count(string(exported.Body), "\n"); lines != len(c.want) {
			t.Errorf("export %s: got %d lines, want %d", c.query, lines, len(c.want))
		}
	}
	for query, want := range map[string]struct {
		Count int
		More  bool
	}{
		"?upTo=6": {6, true}, "?upTo=7": {7, false}, "?upTo=100": {7, false}, "?tag=all&upTo=1": {1, true}, "?tag=t1&upTo=1": {1, false},
	} {
		got := want
		got.Count, got.More = 0, false
		answer := s.Do(t, apitest.Request{Method: "GET", Path: "/items/count" + query, Token: viewer}).Want(t, 200)
		if err := json.Unmarshal(answer.Body, &got); err != nil || got != want {
			t.Errorf("count %s: got %+v, %v, want %+v", query, got, err, want)
		}
	}
	// All pages in turn.
	var ids []int64
	for query := "?limit=3&tag=all"; ; {
		got, page := list(t, s, viewer, query)
		if ids = append(ids, got...); page.Next == nil {
			break
		}
		query = strings.TrimPrefix(*page.Next, api.Prefix+"/items")
	}
	if !slices.Equal(ids, []int64{7, 6, 5, 4, 3, 2, 1}) {
		t.Errorf("the pages have %d", ids)
	}
	a := s.Do(t, apitest.Request{Method: "GET", Path: "/items?limit=2", Token: viewer})
	if link := a.Header.Get("Link"); link != `</api/v1/items?before=6&limit=2>; rel="next"` {
		t.Errorf("got the Link %s", link)
	}
	if !bytes.Contains(a.Body, []byte(`"big":12345678901234567890`)) {
		t.Errorf("the payload is not as stored: %s", a.Body)
	}
	a = s.Do(t, apitest.Request{Method: "GET", Path: "/items?limit=1&fields=id,status,payload", Token: viewer})
	if !bytes.Contains(a.Body, []byte(`"items":[{"id":7,"payload":{"n": 6, "big": 12345678901234567890},"status":"Pending"}]`)) && !bytes.Contains(a.Body, []byte(`"items":[{"id":7,"payload":{"n":6,"big":12345678901234567890},"status":"Pending"}]`)) {
		t.Errorf("some fields: got %s", a.Body)
	}
}

func TestItemListProblems(t *testing.T) {
	s := apitest.Start(t, nil)
	for query, want := range map[string][]string{
		"?status=pendign":              {"query.status"},
		"?queue=":                      {"query.queue"},
		"?queue=a&queue=b":             {"query.queue"},
		"?lifecycle=x&band=y":          {"query.lifecycle", "query.band"},
		"?minPriority=x":               {"query.minPriority"},
		"?minPriority=9&maxPriority=":  {"query.maxPriority"},
		"?minPriority=9&maxPriority=5": {"query.minPriority"},
		"?createdSince=soon":           {"query.createdSince"},
		"?payload=a%20%3E":             {"query.payload"},
		"?allTags=true":                {"query.allTags"},
		"?meta=a":                      {"query.meta"},
		"?limit=501":                   {"query.limit"},
		"?limit=0":                     {"query.limit"},
		"?before=x":                    {"query.before"},
		"?sort=size":                   {"query.sort"},
		"?sort=due&before=4":           {"query.sort"},
		"?sort=due&payload=a%3D%3D1":   {"query.sort"},
		"?fields=id,paylod":            {"query.fields"},
		"?unknown=1":                   {"query.unknown"},
		"?queue=defualt":               nil,
	} {
		p := apitest.Decode[api.Problem](t, do(t, s, "GET", "/items"+query, nil).Want(t, 422))
		if got := locations(p); !slices.Equal(got, want) {
			t.Errorf("%s: got the faults %+v, want %v", query, p, want)
		}
	}
	p := do(t, s, "GET", "/items?queue=defualt", nil).WantProblem(t, 422, "unknown-queue")
	if !strings.Contains(p.Hint, "default") {
		t.Errorf("got %+v, want a suggestion", p)
	}
}

// A page of large items ends early, and next continues.
func TestPagesOfLargeItems(t *testing.T) {
	t.Parallel()
	s := apitest.Start(t, nil)
	items := make([]workqueue.NewItem, 60)
	for i := range items {
		items[i] = workqueue.NewItem{State: workqueue.Pending, IntegrationConfig: "p", Payload: workqueue.JSONText(`"` + strings.Repeat("x", 500_000) + `"`)}
	}
	if _, err := s.Store.Enqueue(t.Context(), items); err != nil {
		t.Fatal(err)
	}
	seen, pages := 0, 0
	for query := "?limit=500&fields=id"; ; pages++ {
		ids, page := list(t, s, s.Token(t, access.Viewer), query)
		if seen += len(ids); page.Next == nil {
			break
		}
		query = strings.TrimPrefix(*page.Next, api.Prefix+"/items")
	}
	if seen != 60 || pages < 1 {
		t.Errorf("got %d items in %d pages, want 60 in at least 2", seen, pages+1)
	}
	exported := s.Do(t, apitest.Request{Method: "GET", Path: "/items.ndjson?fields=id", Token: s.Token(t, access.Viewer)}).Want(t, 200)
	if n := bytes.Count(exported.Body, []byte("\n")); n != 60 {
		t.Errorf("exported %d items, want 60", n)
	}
}
