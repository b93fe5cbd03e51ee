package dashboard_test

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/storetest"
)

// oneOfEach makes an item in each status, in a new queue that hides what is deleted, and returns their ids.
func oneOfEach(t *testing.T, s *site, queue string) map[workqueue.Status]int64 {
	t.Helper()
	if err := s.Store.CreateQueue(t.Context(), workqueue.Queue{Name: queue, QueueLife: workqueue.QueueLife{Deletion: workqueue.DeletionLogical}}, "test"); err != nil {
		t.Fatal(err)
	}
	f := storetest.NewFactory(t, s.Store)
	w := f.Worker(storetest.WorkerOpts{Name: queue, Capacity: 20})
	ids := map[workqueue.Status]int64{}
	for status, end := range map[workqueue.Status]workqueue.Finish{
		workqueue.StatusRetry:         {State: workqueue.Ready, RetryCount: 1, Delay: time.Hour, Error: "no", ErrorKind: workqueue.KindError},
		workqueue.StatusSucceeded:     {State: workqueue.Processed},
		workqueue.StatusFailed:        {State: workqueue.Cancelled, RetryCount: 1, Error: "no", ErrorKind: workqueue.KindError},
		workqueue.StatusBusinessError: {State: workqueue.Cancelled, RetryCount: 1, Error: "no", ErrorKind: workqueue.KindBusiness},
		workqueue.StatusExpired:       {State: workqueue.Cancelled, RetryCount: 1, Error: "no", ErrorKind: workqueue.KindExpired},
	} {
		it := f.Item(storetest.ItemOpts{Queue: queue, State: workqueue.Blocked, Worker: w})
		end.ItemID, end.Fence = it.ID, it.Fence
		if lost, err := s.Store.Finish(t.Context(), w.ID, w.InstanceID, []workqueue.Finish{end}); err != nil || len(lost) > 0 {
			t.Fatalf("end as %s: lost %v, error %v", status, lost, err)
		}
		ids[status] = it.ID
	}
	ids[workqueue.StatusRunning] = f.Item(storetest.ItemOpts{Queue: queue, State: workqueue.Blocked, Worker: w}).ID
	ids[workqueue.StatusAssigned] = f.Item(storetest.ItemOpts{Queue: queue, State: workqueue.Assigned, Worker: w}).ID
	ids[workqueue.StatusScheduled] = f.Item(storetest.ItemOpts{Queue: queue, In: time.Hour}).ID
	ids[workqueue.StatusPending] = f.Item(storetest.ItemOpts{Queue: queue}).ID
	for status, action := range map[workqueue.Status]workqueue.Action{workqueue.StatusCancelled: workqueue.Cancel, workqueue.StatusDeleted: workqueue.Delete} {
		ids[status] = f.Item(storetest.ItemOpts{Queue: queue}).ID
		if _, err := s.Store.ChangeItem(t.Context(), ids[status], workqueue.Change{Action: action}); err != nil {
			t.Fatal(err)
		}
	}
	for status, id := range ids {
		if it, err := s.Store.Item(t.Context(), id); err != nil || it.Status() != status {
			t.Fatalf("the item of the status %s is %s; error %v", status, it.Status(), err)
		}
	}
	return ids
}

// versions returns the version of each item; 0: it is gone.
func versions(ctx context.Context, t *testing.T, s *site, ids map[workqueue.Status]int64) map[workqueue.Status]int64 {
	t.Helper()
	all := map[workqueue.Status]int64{}
	for status, id := range ids {
		it, err := s.Store.Item(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		all[status] = it.Version
	}
	return all
}

// form returns the fields of the form that is sent to a place.
func (s seen) form(action string) url.Values {
	fields := url.Values{}
	for _, n := range s.elements() {
		if n.Data != "form" || attr(n, "action") != action {
			continue
		}
		for field := range n.Descendants() {
			if field.Type == html.ElementNode && field.Data == "input" {
				fields.Add(attr(field, "name"), attr(field, "value"))
			}
		}
	}
	return fields
}

// What a preview shows as changed is changed, and nothing else is, also if items change after it.
func TestPreviewIsTheChange(t *testing.T) {
	usual := slices.DeleteFunc(workqueue.Statuses(), func(s workqueue.Status) bool { return s == workqueue.StatusDeleted })
	only := func(some ...workqueue.Status) []workqueue.Status { return some }
	s := newSite(t)
	b := s.as(t, access.Admin)
	made := 0
	for filter, selected := range map[string][]workqueue.Status{
		"":                                      usual,
		"&deleted=1":                            workqueue.Statuses(),
		"&status=retry,succeeded&status=Failed": only(workqueue.StatusRetry, workqueue.StatusSucceeded, workqueue.StatusFailed),
		"&status=pending&deleted=true":          only(workqueue.StatusPending, workqueue.StatusDeleted),
		"&lifecycle=completed&deleted=true":     only(workqueue.StatusSucceeded, workqueue.StatusDeleted),
		"&lifecycle=completed,deleted":          only(workqueue.StatusSucceeded, workqueue.StatusDeleted),
		"&lifecycle=deleted":                    only(workqueue.StatusDeleted),
		"&state=Processed":                      only(workqueue.StatusSucceeded),
	} {
		for _, action := range []string{"repeat", "run", "cancel", "archive", "delete"} {
			t.Run(action+filter, func(t *testing.T) {
				made++
				queue := fmt.Sprintf("kept-%d", made)
				ids := oneOfEach(t, s, queue)
				preview := wantShown(t, b, "/items/actions/"+action+"?queue="+queue+filter)
				shown, changes := map[string]bool{}, 0
				for _, n := range preview.elements() {
					if n.Data != "tr" {
						continue
					}
					text := textOf(n)
					for _, status := range workqueue.Statuses() {
						if rest, ok := strings.CutPrefix(text, string(status)+" 1 "); ok {
							shown[string(status)] = rest == "changed"
							if rest == "changed" {
								changes++
							}
						}
					}
				}
				for _, status := range workqueue.Statuses() {
					if _, ok := shown[string(status)]; ok != slices.Contains(selected, status) {
						t.Errorf("the preview shows %v, and the filter selects %v", slices.Sorted(maps.Keys(shown)), selected)
						break
					}
				}
				form := preview.form("/items/actions/" + action)
				if changes == 0 {
					if len(form) > 0 {
						t.Errorf("a change of nothing is offered: %v", form)
					}
					return
				}
				before := versions(t.Context(), t, s, ids)
				got := b.post("/items/actions/"+action, form, nil)
				if want := strconv.Itoa(changes) + " item"; !strings.Contains(got.visible(), want) {
					t.Errorf("the result lacks %q: %d %s", want, got.status, got.visible())
				}
				for status, version := range versions(t.Context(), t, s, ids) {
					if changed := version != before[status]; changed != shown[string(status)] {
						t.Errorf("the item that was %s: changed %t, and the preview says %t", status, changed, shown[string(status)])
					}
				}
			})
		}
	}
}

// An item that has another status after the preview stays as it is.
func TestPreviewOutdated(t *testing.T) {
	s := newSite(t)
	ids := oneOfEach(t, s, "kept")
	b := s.as(t, access.Operator)
	filter := fmt.Sprintf("?queue=kept&status=scheduled&status=running&status=%s", workqueue.StatusPending)
	form := b.get("/items/actions/cancel" + filter).form("/items/actions/cancel")
	form.Set("concerned", "scheduled")
	if got := b.post("/items/actions/cancel", form, nil); !strings.Contains(got.visible(), "1 item ") {
		t.Errorf("change: %s", got.visible())
	}
	for _, status := range []workqueue.Status{workqueue.StatusRunning, workqueue.StatusPending} {
		if it, err := s.Store.Item(t.Context(), ids[status]); err != nil || it.Status() != status {
			t.Errorf("the item that was %s is %s; error %v", status, it.Status(), err)
		}
	}
	for _, wrong := range []string{"succeeded", "nonsense"} {
		form.Set("concerned", wrong)
		if got := b.post("/items/actions/cancel", form, nil); got.status != 422 {
			t.Errorf("a change of items that are %s: status %d", wrong, got.status)
		}
	}
	if got := b.get("/items/actions/cancel?status=nonsense"); got.status != 422 {
		t.Errorf("a status that does not exist: %d %s", got.status, got.visible())
	}
}

// Without a filter, too, finished items do not run again because others are run now.
func TestRunAllItemsNow(t *testing.T) {
	s := newSite(t)
	ids := oneOfEach(t, s, "kept")
	b := s.as(t, access.Operator)
	form := wantShown(t, b, "/items/actions/run", "Run now 2 items").form("/items/actions/run")
	if got := b.post("/items/actions/run", form, nil); !strings.Contains(got.visible(), "2 items") {
		t.Errorf("change: %d %s", got.status, got.visible())
	}
	if it, err := s.Store.Item(t.Context(), ids[workqueue.StatusSucceeded]); err != nil || it.Status() != workqueue.StatusSucceeded {
		t.Errorf("the item that has succeeded is %s; error %v", it.Status(), err)
	}
}

// A selected item that has ended since the preview does not run again.
func TestSelectedItemHasEnded(t *testing.T) {
	s := newSite(t)
	ids := oneOfEach(t, s, "kept")
	b := s.as(t, access.Operator)
	scheduled, ended := ids[workqueue.StatusScheduled], ids[workqueue.StatusSucceeded]
	for _, action := range []string{"run", "archive"} {
		got := b.post("/items/selected/"+action, url.Values{"id": {strconv.FormatInt(scheduled, 10), strconv.FormatInt(ended, 10)}}, nil)
		if text := got.visible(); !strings.Contains(text, "1 item ") || !strings.Contains(text, "not for an item that is succeeded") {
			t.Errorf("%s: %d %s", action, got.status, text)
		}
		if it, err := s.Store.Item(t.Context(), ended); err != nil || it.Status() != workqueue.StatusSucceeded {
			t.Errorf("%s: the item that has succeeded is %s; error %v", action, it.Status(), err)
		}
	}
}
