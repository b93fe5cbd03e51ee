package dashboard_test

import (
	"maps"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/matching"
)

// sent returns what a browser sends with the form of a class, without empty fields.
func (s seen) sent(class string) url.Values {
	fields := url.Values{}
	add := func(name, value string) {
		if value != "" {
			fields.Add(name, value)
		}
	}
	for _, form := range s.elements() {
		if form.Data != "form" || attr(form, "class") != class {
			continue
		}
		for n := range form.Descendants() {
			switch {
			case n.Type != html.ElementNode:
			case n.Data == "input" && attr(n, "type") != "checkbox":
				add(attr(n, "name"), attr(n, "value"))
			case n.Data == "select":
				for option := range n.ChildNodes() {
					for _, a := range option.Attr {
						if a.Key == "selected" {
							add(attr(n, "name"), attr(option, "value"))
						}
					}
				}
			}
		}
	}
	return fields
}

// A person who adds a condition keeps the others and the order, also those that the form has no field for.
func TestFormKeepsTheFilter(t *testing.T) {
	b := newSite(t).as(t, access.Viewer)
	all := url.Values{
		"status": {"pending", "retry,scheduled"}, "lifecycle": {"pending", "retry"}, "state": {"Ready", "Pending"}, "queue": {"default"}, "pipeline": {"p"}, "worker": {"w"},
		"key": {"k"}, "keyPart": {"k2"}, "task": {"t"}, "tag": {"a", "b"}, "allTags": {"true"}, "meta": {"a=1", "b=2"}, "metaLike": {"c=x*"}, "label": {"gpu=true", "site"}, "band": {"low"},
		"minPriority": {"1"}, "maxPriority": {"100"}, "deleted": {"true"}, "errorKind": {"timeout", "panic"}, "error": {"e"}, "sort": {"-priority"},
	}
	for _, name := range []string{"created", "due", "started", "finished", "failed", "deadline"} {
		all[name+"Since"], all[name+"Until"] = []string{"7d"}, []string{"1h"}
	}
	got := wantShown(t, b, "/items?"+all.Encode(), "Nothing matches")
	want := maps.Clone(all)
	want["status"], want["errorKind"] = []string{"pending,retry,scheduled"}, []string{"timeout,panic"}
	if diff := cmp.Diff(want, got.sent("filters")); diff != "" {
		t.Errorf("the form (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(all, without(got.sent("sheet"), "columns")); diff != "" {
		t.Errorf("the form of the columns (-want +got):\n%s", diff)
	}
	all.Del("error")
	for _, link := range got.links() {
		if u, err := url.Parse(link); err == nil && cmp.Equal(u.Query(), all) {
			return
		}
	}
	t.Error("no link removes the error and keeps the rest")
}

// A search by payload has one order, also if the list had another before the payload was added to its filter.
func TestOrderAndPayload(t *testing.T) {
	s := newSite(t)
	if _, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{IntegrationConfig: "a", Payload: `{"n": 1}`}}); err != nil {
		t.Fatal(err)
	}
	got := wantShown(t, s.as(t, access.Viewer), "/items?sort=-priority&payload=n%3D%3D1", "1 item")
	for _, link := range got.links() {
		if strings.Contains(link, "sort=") {
			t.Errorf("a link to an order: %s", link)
		}
	}
	if sent := got.sent("filters"); sent.Get("payload") != "n==1" || sent.Has("sort") {
		t.Errorf("the form sends %v", sent)
	}
}

func without(v url.Values, name string) url.Values {
	v.Del(name)
	return v
}

// Menus do not say how many items there are: their texts stay when items change.
func TestMenusHaveNoNumbers(t *testing.T) {
	s := newSite(t)
	if _, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{IntegrationConfig: "a"}, {IntegrationConfig: "a"}}); err != nil {
		t.Fatal(err)
	}
	got := wantShown(t, s.as(t, access.Operator), "/items", "2 items", "Cancel items…", "All items of the filter.")
	if text := got.visible(); strings.Count(text, "2 items") != 1 {
		t.Errorf("the number is in other places than the count, which alone is renewed: %s", text)
	}
}

// The fields of the filter suggest values of the items that are listed.
func TestFilterSuggestsValuesOfTheList(t *testing.T) {
	s := newSite(t)
	one := workqueue.NewItem{IntegrationConfig: "p", NaturalKey: "INV-7", Tags: []string{"vip", "north"}, Metadata: map[string]string{"customer": "Ada"}}
	one.Labels = matching.Labels{"gpu": matching.Bool(true), "ram": matching.Number(32), "site": matching.Text("lisbon")}
	if _, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{one, {IntegrationConfig: "p"}}); err != nil {
		t.Fatal(err)
	}
	got := s.as(t, access.Viewer).get("/items")
	suggests := map[string][]string{}
	for _, n := range got.elements() {
		if n.Data == "option" && n.Parent.Data == "datalist" {
			list := attr(n.Parent, "id")
			suggests[list] = append(suggests[list], attr(n, "value"))
		}
	}
	want := map[string][]string{"some-keys": {"INV-7"}, "some-tags": {"north", "vip"}, "some-pairs": {"customer=Ada"}, "some-labels": {"gpu=true", "ram=32", "site=lisbon"}}
	for list, values := range want {
		if diff := cmp.Diff(values, suggests[list]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", list, diff)
		}
	}
	if _, ok := suggests["some-tasks"]; ok {
		t.Errorf("got %v, want no list of nothing", suggests)
	}
}
