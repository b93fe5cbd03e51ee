package dashboard_test

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/access"
)

// The ring says how many items are new, in progress and ended, and each part leads to its list.
func TestQueueRing(t *testing.T) {
	s := newSite(t)
	q := workqueue.Queue{Name: "forms", Consumer: workqueue.ConsumerRobots, Resilience: `{"limit":1}`}
	q.Concurrency, q.PayloadSchema = 5, `{"type":"object"}`
	if _, err := s.Store.DefineQueues(t.Context(), []workqueue.Queue{q}, "test"); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if _, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{QueueName: "forms", Payload: `{}`}}); err != nil {
			t.Fatal(err)
		}
	}
	taken, err := s.Store.Checkout(t.Context(), workqueue.CheckoutParams{Queue: "forms", Robot: "r", Max: 4, Lease: time.Hour})
	if err != nil || len(taken.Items) != 4 {
		t.Fatalf("took %d items, %v", len(taken.Items), err)
	}
	for i, kind := range []workqueue.ErrorKind{"", workqueue.KindError, workqueue.KindBusiness} {
		it := &taken.Items[i]
		end := workqueue.RobotEnd{Kind: kind, Error: map[bool]string{true: "no <luck>"}[kind != ""]}
		if _, err := s.Store.FinishCheckout(t.Context(), workqueue.Hold{Robot: "r", ItemID: it.ID, Fence: it.Fence, LockKey: taken.LockKey}, end); err != nil {
			t.Fatal(err)
		}
	}
	viewer := s.as(t, access.Viewer)
	got := wantShown(t, viewer, "/queues/forms", "1 of at most 5 run at the same time", "JSON Schema of the payload", "Business error")
	if slices.Contains(got.links(), "/queues/forms/policy") {
		t.Error("a viewer is offered to change the policy")
	}
	want := map[string]string{"New": "1", "In progress": "1", "Success": "1", "Error": "1", "Business error": "1"}
	for _, n := range got.elements() {
		if n.Data != "a" || n.Parent.Data != "li" || n.FirstChild == nil || want[n.FirstChild.Data] == "" {
			continue
		}
		name := n.FirstChild.Data
		if count := n.NextSibling.FirstChild.Data; count != want[name] {
			t.Errorf("%s: the ring says %s, want %s", name, count, want[name])
		}
		list := viewer.get(attr(n, "href"))
		if text := list.visible(); list.status != http.StatusOK || !strings.Contains(text, want[name]+" item") {
			t.Errorf("%s leads to %s, whose list does not have %s items: %s", name, attr(n, "href"), want[name], text)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("the ring lacks %v", want)
	}
	wantShown(t, viewer, "/queues", "forms", "for robots", "Mean wait", "p95 ")
}

func TestQueuePolicy(t *testing.T) {
	s := newSite(t)
	q := workqueue.Queue{Name: "mail", Resilience: `{"limit":3,"delay":"5s"}`}
	q.Concurrency = 4
	if _, err := s.Store.DefineQueues(t.Context(), []workqueue.Queue{q}, "test"); err != nil {
		t.Fatal(err)
	}
	now := func() workqueue.Queue {
		q, err := s.Store.Queue(t.Context(), "mail")
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	editor, operator := s.as(t, access.Editor), s.as(t, access.Operator)
	form := func(b *browser) url.Values {
		values := url.Values{}
		for _, n := range wantShown(t, b, "/queues/mail/policy", "an empty field is the default").elements() {
			if n.Data == "input" && attr(n, "name") != "find" {
				values.Set(attr(n, "name"), attr(n, "value"))
			}
		}
		return values
	}
	send := func(b *browser, values url.Values, wanted ...string) seen {
		t.Helper()
		got := b.post("/queues/mail/policy", values, nil)
		if got.root == nil {
			return got
		}
		judge(t, "/queues/mail/policy", got)
		for _, want := range wanted {
			if text := got.visible(); !strings.Contains(text, want) {
				t.Errorf("the answer does not show %q: %s", want, text)
			}
		}
		return got
	}
	if got := operator.get("/queues/mail/policy"); got.status != http.StatusForbidden {
		t.Errorf("an operator gets the form: status %d", got.status)
	}
	before := now()
	values := form(editor)
	if values.Get("limits.concurrency") != "4" || values.Get("retry") != `{"limit":3,"delay":"5s"}` || values.Get("revision") != strconv.FormatInt(before.Revision, 10) {
		t.Fatalf("the form has %v", values)
	}
	values.Set("retry", `{"limit": 5}`)
	values.Set("limits.concurrency", "")
	values.Set("description", hostile)
	values.Set("reason", "night")
	got := send(editor, values, "Change these settings?", `{"limit":3,"delay":"5s"}`, `{"limit": 5}`, "the default", "Change mail")
	if now().Revision != before.Revision || got.status != http.StatusOK {
		t.Error("a preview has changed the queue")
	}
	values.Set("confirm", "yes")
	if got := operator.post("/queues/mail/policy", values, nil); got.status != http.StatusForbidden {
		t.Errorf("an operator changes the policy: status %d", got.status)
	}
	if to, said := editor.said(send(editor, values)); to != "/queues/mail" || !strings.HasPrefix(said, "The policy of mail was changed") {
		t.Errorf("saving: %q at %q", said, to)
	}
	after := now()
	if after.Resilience != `{"limit":5}` || after.Concurrency != 0 || *after.Description != hostile || after.Override == nil {
		t.Errorf("saved %+v", after)
	}
	// The form of before is refused, and says so.
	send(editor, values, "the queue was changed in the meantime")
	if now().Revision != after.Revision {
		t.Error("an old form has changed the queue")
	}
	// A fault is at its field, and what was entered is kept.
	values = form(editor)
	values.Set("confirm", "yes")
	values.Set("limits.rate", "often")
	values.Set("maxReleases", "7")
	send(editor, values, "the settings of the queue are not valid", `got "often"`)
	values.Set("limits.rate", "")
	values.Set("limits.concurrency", "many")
	values.Set("retry", "[1]")
	got = send(editor, values, "want a whole number", "want a JSON object")
	if !strings.Contains(got.text, `value="many"`) || !strings.Contains(got.text, `value="7"`) || now().Revision != after.Revision {
		t.Error("the form has forgotten what was entered, or the queue was changed")
	}
	// A change that strands waiting items is confirmed once more.
	if _, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{QueueName: "mail", State: workqueue.Pending, IntegrationConfig: "hello"}}); err != nil {
		t.Fatal(err)
	}
	values = form(editor)
	values.Set("confirm", "yes")
	values.Set("consumer", "robots")
	got = send(editor, values, "Change these settings?", "1 waiting item, and with this change workers no longer run them", "Change mail nevertheless")
	if !strings.Contains(got.text, `name="strands" value="yes"`) || now().Consumer == workqueue.ConsumerRobots {
		t.Error("the queue was changed without the second confirmation")
	}
	values.Set("strands", "yes")
	if got := send(editor, values); got.status != http.StatusSeeOther || now().Consumer != workqueue.ConsumerRobots {
		t.Errorf("confirmed twice: status %d, and the consumer is %s", got.status, now().Consumer)
	}
}

// The queues can be seen as cards, which say what the table says.
func TestQueuesAsCards(t *testing.T) {
	viewer := newSite(t).as(t, access.Viewer)
	if table := wantShown(t, viewer, "/queues", "Oldest", "default"); !slices.Contains(table.links(), "/queues?view=cards") {
		t.Error("the table does not lead to the cards")
	}
	cards := wantShown(t, viewer, "/queues?view=cards", "Waiting", "Failed attempts", "ended by hour", "default")
	if !slices.Contains(cards.links(), "/queues") || !slices.Contains(cards.links(), "/queues/default") || strings.Contains(cards.visible(), "Ended by hour") {
		t.Errorf("got %v", cards.links())
	}
}
