package dashboard_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/storetest"
)

// fails makes an item of a pipeline whose attempt ends with an error: in a state for good, or Ready for another attempt.
func fails(t *testing.T, s *site, f *storetest.Factory, w workqueue.Worker, pipeline string, state workqueue.State, kind workqueue.ErrorKind, text string) int64 {
	t.Helper()
	id := f.Items(1, storetest.ItemOpts{Pipeline: pipeline, Priority: 700})[0]
	f.Assign(w, id)
	claimed, err := s.Store.Claim(t.Context(), workqueue.ClaimParams{WorkerID: w.ID, InstanceID: w.InstanceID, Max: 1, Lease: time.Hour, Band: workqueue.EveryPriority})
	if err != nil || len(claimed) != 1 {
		t.Fatalf("claimed %d items, error %v", len(claimed), err)
	}
	end := workqueue.Finish{
		ItemID: id, Fence: claimed[0].Fence, State: state, RetryCount: 1, Error: text, ErrorKind: kind, Delay: time.Hour,
		Attempt: &workqueue.AttemptNote{Number: 1, Outcome: "failed", Step: "load"},
	}
	if lost, err := s.Store.Finish(t.Context(), w.ID, w.InstanceID, []workqueue.Finish{end}); err != nil || len(lost) > 0 {
		t.Fatalf("finish item %d: lost %v, error %v", id, lost, err)
	}
	return id
}

// groupOf returns the row of the groups of failures that names an item, and its links by their texts.
func (s seen) groupOf(id string) (text string, links map[string]string) {
	for _, n := range s.elements() {
		if n.Data != "tr" {
			continue
		}
		links = map[string]string{}
		for child := range n.Descendants() {
			if child.Type == html.ElementNode && child.Data == "a" {
				links[textOf(child)] = attr(child, "href")
			}
		}
		if links[id] == "/items/"+id {
			return textOf(n), links
		}
	}
	return "", nil
}

// listed returns the ids of the items of a list, the first ones first.
func (b *browser) listed(path string) (ids []string) {
	b.t.Helper()
	if path == "" {
		return nil
	}
	for _, n := range b.get(path).elements() {
		if n.Data == "tr" && attr(n, "data-id") != "" {
			ids = append(ids, attr(n, "data-id"))
		}
	}
	slices.Reverse(ids)
	return ids
}

// The lists and the changes of a group select the items that it counts, and no others. A group whose filter may
// select others offers no change.
func TestFailureGroupsAreThoseOfTheLists(t *testing.T) {
	s := newSite(t)
	f := storetest.NewFactory(t, s.Store)
	w := f.Worker(storetest.WorkerOpts{Name: "bot-1"})
	const again, failed = workqueue.Ready, workqueue.Cancelled
	type one struct {
		pipeline string
		state    workqueue.State
		kind     workqueue.ErrorKind
		text     string
	}
	inline := func(i int) string { return fmt.Sprintf("name: p%d\nsteps: []", i) }
	groups := []struct {
		says, offers string
		all          []one
	}{
		{"Items of this pipeline whose error has “from ledger for account”:", "Retry… Cancel…", []one{
			{"book", failed, workqueue.KindError, `step "load" (HTTP): got 503 from ledger for account 11112222`},
			{"book", again, workqueue.KindError, `step "load" (HTTP): got 503 from ledger for account 33334444`},
			{"book", failed, workqueue.KindError, `step "load" (HTTP): got 503 from ledger for account 55556666`},
		}},
		{"", "Retry…", []one{{"send", failed, workqueue.KindError, `step "load" (HTTP): got 503 from ledger for account 77778888`}}},
		{"Items of this pipeline whose error has “the amount of INV”:", "Retry…", []one{{"book", failed, workqueue.KindBusiness, `the amount of INV2026001 is wrong`}}},
		{"Items of this pipeline with this error:", "Retry…", []one{{"book", failed, workqueue.KindExpired, `too late to start`}}},
		{"Items of this pipeline with this error:", "Cancel…", []one{{"book", again, workqueue.KindTimeout, `the patience ended`}}},
		{"whose error has “long and says more”:", "Retry… Cancel…", []one{
			{"book", failed, workqueue.KindPermanent, "got two lines:\n\tit is 9999 long and says more\r\nnow"},
			{"book", again, workqueue.KindPermanent, "got two lines:\n\tit is 9998 long and says more\r\nnow"},
		}},
		{"Items of any pipeline whose error has “this one is in its item”:", "", []one{
			{inline(1), failed, workqueue.KindPanic, `this one is in its item`},
			{inline(2), again, workqueue.KindPanic, `this one is in its item`},
		}},
		{"Items of this pipeline with any error of this kind:", "", []one{{"bare", failed, workqueue.KindPoison, `123e4567-e89b-12d3-a456-426614174000`}}},
		{"with this error:", "Retry…", []one{{"twice", failed, workqueue.KindError, `step "load" (HTTP): timed out`}}},
		{"with this error:", "Retry…", []one{{"twice", failed, workqueue.KindError, `step "send" (HTTP): it has timed out`}}},
	}
	ended, waiting := make([][]string, len(groups)), make([][]string, len(groups))
	for i, g := range groups {
		for _, one := range g.all {
			id := fmt.Sprint(fails(t, s, f, w, one.pipeline, one.state, one.kind, one.text))
			if one.state == again {
				waiting[i] = append(waiting[i], id)
			} else {
				ended[i] = append(ended[i], id)
			}
		}
	}
	b := s.as(t, access.Operator)
	page := b.get("/failures")
	judge(t, "/failures", page)
	for i, g := range groups {
		all := slices.Concat(ended[i], waiting[i])
		text, links := page.groupOf(all[0])
		if !strings.Contains(text, g.says) {
			t.Errorf("group %d does not say %q: %s", i, g.says, text)
		}
		if got := b.listed(links["ended"]); !slices.Equal(got, ended[i]) {
			t.Errorf("group %d lists %v as ended, want %v: %s, %s", i, got, ended[i], text, links["ended"])
		}
		if got := b.listed(links["waiting for another attempt"]); !slices.Equal(got, waiting[i]) {
			t.Errorf("group %d lists %v as waiting, want %v: %s, %s", i, got, waiting[i], text, links["waiting for another attempt"])
		}
		var offers []string
		for change, list := range map[string]string{"Retry…": "ended", "Cancel…": "waiting for another attempt"} {
			if links[change] == "" {
				continue
			}
			offers = append(offers, change)
			if _, filter, _ := strings.Cut(links[list], "?"); !strings.HasSuffix(links[change], "?"+filter) {
				t.Errorf("group %d: %s changes %s, want the items of %s", i, change, links[change], links[list])
			}
		}
		slices.Sort(offers)
		slices.Reverse(offers)
		if got := strings.Join(offers, " "); got != g.offers {
			t.Errorf("group %d offers %q, want %q: %s", i, got, g.offers, text)
		}
	}
}

// A filter that finds the errors of another group, too, is not offered for a change.
func TestFailureGroupsThatShareAText(t *testing.T) {
	s := newSite(t)
	f := storetest.NewFactory(t, s.Store)
	w := f.Worker(storetest.WorkerOpts{Name: "bot-1"})
	short := fmt.Sprint(fails(t, s, f, w, "book", workqueue.Cancelled, workqueue.KindError, "timed out"))
	long := fmt.Sprint(fails(t, s, f, w, "book", workqueue.Cancelled, workqueue.KindError, "it has Timed out again"))
	// A list ends with the last failure of its group, so that one is after the other's.
	fails(t, s, f, w, "book", workqueue.Cancelled, workqueue.KindError, "timed out")
	b := s.as(t, access.Operator)
	page := b.get("/failures")
	if text, links := page.groupOf(short); links["Retry…"] != "" || !strings.Contains(text, "other groups have it too") || len(b.listed(links["ended"])) != 3 {
		t.Errorf("the text that both have: %s, %v", text, links)
	}
	if text, links := page.groupOf(long); links["Retry…"] == "" || len(b.listed(links["ended"])) != 1 {
		t.Errorf("the text that one has: %s, %v", text, links)
	}
	// The other pages offer the same.
	if text, links := b.get("/").groupOf(short); links["Retry…"] != "" || links["ended"] == "" {
		t.Errorf("the overview: %s, %v", text, links)
	}
	if _, links := s.as(t, access.Viewer).get("/failures").groupOf(long); links["Retry…"] != "" {
		t.Error("a viewer is offered a change")
	}
}

// Another stretch of time keeps what else a page was asked for.
func TestRangesKeepTheirPage(t *testing.T) {
	s := newSite(t)
	b := s.as(t, access.Viewer)
	for path, want := range map[string]string{
		"/failures?pipeline=a+%26+b&range=7d": "/failures?pipeline=a+%26+b&range=24h",
		"/failures?pipeline=book":             "/failures?pipeline=book&range=24h",
		"/queues/default":                     "/queues/default?range=24h",
		"/":                                   "/?range=24h",
	} {
		if links := b.get(path).links(); !slices.Contains(links, want) {
			t.Errorf("GET %s leads to %q, want %s", path, links, want)
		}
	}
	if links := b.get("/failures?pipeline=book&range=7d").links(); !slices.Contains(links, "/failures?range=7d") {
		t.Errorf("the failures of all pipelines in seven days are not among %q", links)
	}
}
