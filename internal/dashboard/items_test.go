package dashboard_test

import (
	"encoding/csv"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/matching"
	"botwork/workqueue/storetest"
)

// An export has all items of the filter; a spreadsheet runs no text of them as a formula.
func TestExport(t *testing.T) {
	s := newSite(t)
	if _, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{
		{IntegrationConfig: "a", NaturalKey: "=1+1", Payload: workqueue.JSONText(`{"n": 12345678901234567890}`)}, {IntegrationConfig: "a", NaturalKey: "k,\"2\"\nx"}, {IntegrationConfig: "b"},
	}); err != nil {
		t.Fatal(err)
	}
	b := s.as(t, access.Viewer)
	got := b.get("/items/export/csv?pipeline=a")
	rows, err := csv.NewReader(strings.NewReader(got.text)).ReadAll()
	if err != nil || len(rows) != 3 || got.header.Get("Content-Disposition") != `attachment; filename="items.csv"` {
		t.Fatalf("%d rows, error %v, header %v: %s", len(rows), err, got.header, got.text)
	}
	key, payload := slices.Index(rows[0], "naturalKey"), slices.Index(rows[0], "payload")
	if rows[1][key] != "k,\"2\"\nx" || rows[2][key] != "'=1+1" || !strings.Contains(rows[2][payload], "12345678901234567890") {
		t.Errorf("rows %q", rows)
	}
	var items []struct{ ID int64 }
	if err := json.Unmarshal([]byte(b.get("/items/export/json?pipeline=a").text), &items); err != nil || len(items) != 2 || items[0].ID != 2 {
		t.Errorf("JSON: %+v, %v", items, err)
	}
	if got := b.get("/items/export/json?pipeline=none").text; got != "[]\n" {
		t.Errorf("no items: %q", got)
	}
	for path, want := range map[string]int{"/items/export/xlsx": http.StatusNotFound, "/items/export/csv?payload=((": http.StatusUnprocessableEntity} {
		if got := b.get(path); got.status != want {
			t.Errorf("GET %s: status %d, want %d", path, got.status, want)
		}
	}
	if got := s.browser(t).get("/items/export/csv"); got.status != http.StatusSeeOther {
		t.Errorf("without a session: status %d", got.status)
	}
}

// The columns that a person chooses stay chosen in the browser.
func TestColumns(t *testing.T) {
	s := newSite(t)
	fill(t, s)
	b := s.as(t, access.Viewer)
	headings := func(page string) []string {
		var all []string
		for _, n := range b.get(page).elements() {
			if n.Data == "th" {
				text := n.FirstChild
				if text != nil && text.FirstChild != nil {
					text = text.FirstChild
				}
				all = append(all, text.Data)
			}
		}
		return all
	}
	if got := headings("/items"); !slices.Contains(got, "Worker") || slices.Contains(got, "Tags") {
		t.Errorf("usual columns: %q", got)
	}
	want := []string{"Id", "State", "Tags", "Took"}
	for _, page := range []string{"/items?columns=took&columns=tags&columns=nonsense", "/items", "/items?queue=default"} {
		if got := headings(page); !slices.Equal(got, want) {
			t.Errorf("GET %s: columns %q, want %q", page, got, want)
		}
	}
	if got := b.get("/items?sort=-priority&columns=priority").text; !strings.Contains(got, `aria-sort="descending"`) || !strings.Contains(got, `href="/items?sort=priority"`) {
		t.Errorf("no order: %s", got)
	}
}

// The list shows for what a snoozed item waits.
func TestItemsShowTheReasonOfASnooze(t *testing.T) {
	s := newSite(t)
	f := storetest.NewFactory(t, s.Store)
	w := f.Worker(storetest.WorkerOpts{Name: "bot-1"})
	for _, reason := range []string{"", "waiting for the bank"} {
		it := f.Item(storetest.ItemOpts{State: workqueue.Blocked, Worker: w})
		end := workqueue.Finish{
			ItemID: it.ID, Fence: it.Fence, State: workqueue.Ready, Delay: 2 * time.Hour,
			Attempt: &workqueue.AttemptNote{Number: 1, Outcome: workqueue.OutcomeSnoozed, Reason: reason},
		}
		if lost, err := s.Store.Finish(t.Context(), w.ID, w.InstanceID, []workqueue.Finish{end}); err != nil || len(lost) > 0 {
			t.Fatalf("lost %v, error %v", lost, err)
		}
	}
	var cells []string
	for _, n := range s.as(t, access.Viewer).get("/items?columns=now").elements() {
		if _, note, ok := strings.Cut(strings.Join(strings.Fields(textOf(n)), " "), " UTC , "); ok && n.Data == "td" {
			cells = append(cells, note)
		}
	}
	if want := []string{"snoozed: waiting for the bank", "snoozed"}; !slices.Equal(cells, want) {
		t.Errorf("after the time: %q, want %q", cells, want)
	}
}

// The page of an item leads from a label to the items that have it. The list keeps the filter in its form and in its
// other links.
func TestItemsByLabel(t *testing.T) {
	s := newSite(t)
	for _, text := range []string{"north", "North", "a=b & c"} {
		if _, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{IntegrationConfig: "hello", Labels: matching.Labels{"site": matching.Text(text)}}}); err != nil {
			t.Fatal(err)
		}
	}
	b := s.as(t, access.Operator)
	const link = "/items?label=site%3Da%3Db+%26+c"
	if got := html.UnescapeString(b.get("/items/3").text); !strings.Contains(got, `href="`+link+`"`) {
		t.Errorf("the page of an item has no link to %s", link)
	}
	got := b.get(link)
	judge(t, link, got)
	for _, want := range []string{`name="label" placeholder="gpu=true" value="site=a=b & c"`, `<span>label</span><b>site=a=b & c</b><a href="/items"`, `data-id="3"`, `href="/items/actions/cancel?label=site%3Da%3Db+%26+c"`} {
		if !strings.Contains(html.UnescapeString(got.text), want) {
			t.Errorf("GET %s lacks %s", link, want)
		}
	}
	if strings.Count(got.text, "data-id=") != 1 || strings.Count(b.get("/items?label=site").text, "data-id=") != 3 {
		t.Errorf("by label: want one item with the value and three with any")
	}
	if got := b.get("/items?label=%3Dx"); !strings.Contains(got.visible(), "want NAME=VALUE, or NAME for any value") {
		t.Errorf("a filter without a name: %d %s", got.status, got.visible())
	}
	b.post("/items/actions/cancel", url.Values{"label": {"site=north", "site"}}, nil)
	for id, want := range map[int64]workqueue.State{1: workqueue.Cancelled, 2: workqueue.Ready, 3: workqueue.Ready} {
		if it, err := s.Store.Item(t.Context(), id); err != nil || it.State != want {
			t.Errorf("item %d: state %s (%v), want %s", id, it.State, err, want)
		}
	}
}

// Selected items are changed; the others are not, and those that cannot be say why.
func TestChangeSelectedItems(t *testing.T) {
	s := newSite(t)
	fill(t, s)
	b := s.as(t, access.Operator)
	b.post("/items/2/cancel", nil, nil)
	got := b.get("/items/selected?action=cancel&id=1&id=2&id=99&back=%2Fitems%3Fqueue%3Ddefault")
	judge(t, "selected", got)
	for _, want := range []string{"Cancel 1 item?", "leaves it as it is", "there is no such item any more"} {
		if !strings.Contains(got.visible(), want) {
			t.Errorf("the preview lacks %q: %s", want, got.visible())
		}
	}
	got = b.post("/items/selected/cancel", url.Values{"id": {"1", "2"}, "reason": {"twice"}, "back": {"//evil.example"}}, nil)
	if text := got.visible(); !strings.Contains(text, "1 item were cancelled") && !strings.Contains(text, "1 item was cancelled") || strings.Contains(got.text, "evil") || !strings.Contains(text, "Undo") {
		t.Errorf("change: %d %s", got.status, text)
	}
	for id, want := range map[int64]workqueue.State{1: workqueue.Cancelled, 2: workqueue.Cancelled, 3: workqueue.Ready} {
		if it, err := s.Store.Item(t.Context(), id); err != nil || it.State != want {
			t.Errorf("item %d: %v, %v; want %v", id, it.State, err, want)
		}
	}
	b.post("/items/selected/repeat", url.Values{"id": {"1"}}, nil)
	if it, err := s.Store.Item(t.Context(), 1); err != nil || it.State != workqueue.Ready {
		t.Errorf("undone: %v, %v", it.State, err)
	}
	for _, path := range []string{"/items/selected?action=cancel", "/items/selected?action=cancel&id=x", "/items/selected?action=explode&id=1"} {
		if got := b.get(path); got.status < 400 || got.status >= 500 {
			t.Errorf("GET %s: status %d", path, got.status)
		}
	}
	if got := s.as(t, access.Viewer).post("/items/selected/cancel", url.Values{"id": {"3"}}, nil); got.status != http.StatusForbidden {
		t.Errorf("a viewer's change: status %d", got.status)
	}
}
