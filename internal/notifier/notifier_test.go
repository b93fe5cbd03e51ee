package notifier_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"botwork/handlers/builtin"
	"botwork/internal/hostrules"
	"botwork/internal/notifier"
	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/notify"
	"botwork/workqueue/sqlstore"
)

// sink is an HTTP server that collects what it gets.
type sink struct {
	*httptest.Server

	mu      sync.Mutex
	bodies  []string            // guarded by mu, like the others
	headers []http.Header       //
	fail    func(n int) int     // the status of the nth request; nil: 200
	seen    map[string][]string // bodies by Idempotency-Key
	got     chan struct{}
}

func newSink(t *testing.T) *sink {
	s := &sink{seen: map[string][]string{}, got: make(chan struct{}, 1000)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.bodies, s.headers = append(s.bodies, string(body)), append(s.headers, r.Header)
		status := http.StatusOK
		if s.fail != nil {
			status = s.fail(len(s.bodies))
		}
		if status < 300 {
			key := r.Header.Get("Idempotency-Key")
			s.seen[key] = append(s.seen[key], string(body))
		}
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(status)
		fmt.Fprint(w, "thank you")
		s.got <- struct{}{}
	}))
	t.Cleanup(s.Close)
	return s
}

// taken returns what the sink accepted, each delivery once, and how many were sent twice.
func (s *sink) taken() (bodies []string, twice int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, of := range s.seen {
		bodies = append(bodies, of[0])
		twice += len(of) - 1
	}
	slices.Sort(bodies)
	return bodies, twice
}

// sender returns a sender that may reach the loopback.
func sender(t *testing.T) *notifier.Sender {
	t.Helper()
	rules, err := hostrules.New([]string{"127.0.0.1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &notifier.Sender{Registry: builtin.Registry(builtin.Resources{Hosts: rules}), Log: zerolog.Nop()}
}

func firing() notify.Message {
	at := time.Date(2026, 1, 15, 3, 0, 0, 0, time.UTC)
	m := notify.Message{ID: "0123", Target: "ops", Status: notify.StatusFiring, Title: "500 items of a failed", At: at}
	m.Rule, m.Event, m.Group, m.State, m.StartedAt = "failures", notify.ItemCancelled, "queue=a", "firing", at
	m.Text, m.Count, m.Total = "500 items ended without success", 500, 500
	m.Samples = []notify.Sample{{At: at, ItemID: 7, Queue: "a", Error: "error", Text: "<!channel> *boom* & [x](http://y)"}}
	return m
}

func TestFormats(t *testing.T) {
	s, send := newSink(t), sender(t)
	for _, c := range []struct {
		kind     notify.TargetKind
		template string
		want     []string // in the body
		never    []string
	}{
		{notify.Webhook, "", []string{`"status":"firing"`, `"count":500`, `"id":"0123"`, `"group":"queue=a"`, `"itemId":7`}, nil},
		{notify.Webhook, `{"summary": {{ json .title }}, "n": {{ .count }}}`, []string{`{"summary": "500 items of a failed", "n": 500}`}, nil},
		{notify.Slack, "", []string{`"type":"header"`, `"type":"mrkdwn"`, `500 items ended`, `&lt;!channel&gt;`}, []string{"<!channel>", `\u003c!channel\u003e`}},
		{notify.Teams, "", []string{`"application/vnd.microsoft.card.adaptive"`, `"type":"AdaptiveCard"`, `"type":"TextBlock"`, `\\[x\\]`}, []string{`[x](http`}},
	} {
		t.Run(string(c.kind)+c.template, func(t *testing.T) {
			answer, err := send.Send(t.Context(), notify.Target{Name: "ops", Kind: c.kind, URL: s.URL + "/T0/B0/x", Token: "s3cret", Template: c.template}, firing())
			if err != nil || !strings.Contains(answer, "200") || !strings.Contains(answer, "thank you") {
				t.Fatalf("Send = %q, %v; want the answer", answer, err)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			body, header := s.bodies[len(s.bodies)-1], s.headers[len(s.headers)-1]
			var any any
			if err := json.Unmarshal([]byte(body), &any); err != nil {
				t.Errorf("%v: %s", err, body)
			}
			for _, want := range c.want {
				if !strings.Contains(body, want) {
					t.Errorf("the body has no %s:\n%s", want, body)
				}
			}
			for _, never := range c.never {
				if strings.Contains(body, never) {
					t.Errorf("the body has %s:\n%s", never, body)
				}
			}
			if header.Get("Idempotency-Key") == "" || header.Get("X-Botwork-Delivery") != "0123" || header.Get("Authorization") != "Bearer s3cret" || header.Get("Content-Type") != "application/json" {
				t.Errorf("headers = %v, want the id of the message and the token", header)
			}
		})
	}
}

// The address of a webhook is a secret: who knows it can send.
func TestErrorsHideTheAddress(t *testing.T) {
	s := newSink(t)
	s.fail = func(int) int { return http.StatusForbidden }
	for _, url := range []string{s.URL + "/services/T000/B000/hunter2?sig=hunter3", "http://127.0.0.1:1/services/hunter2?sig=hunter3", "https://example.com:99999/hunter2"} {
		_, err := sender(t).Send(t.Context(), notify.Target{Name: "ops", Kind: notify.Slack, URL: url, Token: "hunter2"}, firing())
		if err == nil || strings.Contains(err.Error(), "hunter") {
			t.Errorf("%s: error %v, want one without the path and the query", url, err)
		}
	}
}

// cluster is a database with failing items, and processes that notify.
type cluster struct {
	*testing.T
	store *sqlstore.Store
	plan  notifier.Plan
}

func newCluster(t *testing.T, e testdb.Engine, targets ...notify.Target) *cluster {
	t.Helper()
	plan := notifier.Plan{Plan: notify.Plan{Targets: targets}, Sender: sender(t)}
	var names []string
	for _, target := range targets {
		names = append(names, target.Name)
	}
	plan.Rules = []notify.Rule{notify.Rule{Name: "failures", Event: notify.Escalation, GroupBy: []string{notify.LabelQueue}, Targets: names}.Complete()}
	c := &cluster{T: t, store: e.Open(t, e.DSN(t)), plan: plan}
	// The first evaluation begins to watch.
	if _, err := c.store.DefineQueues(t.Context(), []workqueue.Queue{workqueue.NotificationDefinition()}, "test"); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *cluster) start(store notifier.Store) *notifier.Notifier {
	return notifier.Start(c.Context(), notifier.Options{
		Plan: c.plan, Store: store, By: "test", Log: zerolog.Nop(), Every: 10 * time.Millisecond, Look: 5 * time.Millisecond,
	})
}

func (c *cluster) raise(queue string) {
	c.Helper()
	if err := c.store.RaiseEvents(c.Context(), []workqueue.Event{{Kind: "escalation", Queue: queue, Detail: "too old"}}); err != nil {
		c.Fatal(err)
	}
}

// await waits until the sinks have what is wanted.
func (c *cluster) await(what string, done func() bool) {
	c.Helper()
	for end := time.Now().Add(testdb.Slow(30 * time.Second)); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			c.Fatalf("waited in vain for %s", what)
		}
	}
}

// Each event is delivered to each target, however often a target refuses.
func TestDeliveriesAreRetried(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		good, bad := newSink(t), newSink(t)
		bad.fail = func(n int) int {
			if n <= 2 {
				return http.StatusServiceUnavailable // and Retry-After: 1
			}
			return http.StatusOK
		}
		mail := startSMTP(t)
		c := newCluster(t, e, notify.Target{Name: "good", Kind: notify.Webhook, URL: good.URL}, notify.Target{Name: "bad", Kind: notify.Webhook, URL: bad.URL},
			notify.Target{Name: "mail", Kind: notify.Mail, Host: "127.0.0.1", Port: mail.port, TLS: "none", From: "botwork@example.com", To: []string{"night@example.com"}})
		n := c.start(c.store)
		defer n.Stop()
		c.raise("orders")
		c.await("three deliveries", func() bool {
			g, _ := good.taken()
			b, _ := bad.taken()
			return len(g) == 1 && len(b) == 1 && len(mail.taken()) == 1
		})
		if text := mail.taken()[0]; !strings.Contains(text, "Subject: An item of orders was escalated: too old") || !strings.Contains(text, "too old") || !strings.Contains(text, "<botwork-") {
			t.Errorf("the mail is\n%s", text)
		}
		c.await("the end of the items", func() bool {
			n, err := c.store.CountItems(t.Context(), workqueue.ItemFilter{QueueName: workqueue.NotificationQueue, States: []workqueue.State{workqueue.Processed}})
			return err == nil && n == 3
		})
	})
}

// Processes die while they evaluate and send. Each event arrives at each target, under one id.
func TestProcessesDie(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		const events = 12
		hook, mail := newSink(t), startSMTP(t)
		c := newCluster(t, e, notify.Target{Name: "hook", Kind: notify.Webhook, URL: hook.URL},
			notify.Target{Name: "mail", Kind: notify.Mail, Host: "127.0.0.1", Port: mail.port, TLS: "none", From: "botwork@example.com", To: []string{"night@example.com"}})
		for i := range events {
			c.raise(fmt.Sprint("queue", i))
			dying := &mortal{Store: c.store, left: i % 9}
			n := c.start(dying)
			c.await("the process to die", dying.isDead)
			n.Stop()
		}
		// What the dead have held is released when its lease ends: here at once.
		n := c.start(c.store)
		defer n.Stop()
		c.await("all deliveries", func() bool {
			endLeases(t, c.store)
			hooks, _ := hook.taken()
			return len(hooks) == events && len(mail.ids()) == events
		})
		_, twice := hook.taken()
		t.Logf("%d of %d requests were repeated with the same Idempotency-Key, %d of %d mails with the same Message-ID", twice, events, len(mail.taken())-len(mail.ids()), len(mail.taken()))
	})
}

// A target that does not answer holds up no other one.
func TestTargetsDoNotWaitForEachOther(t *testing.T) {
	release := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(slow.Close)
	good := newSink(t)
	c := newCluster(t, testdb.Engines[0], notify.Target{Name: "a-slow", Kind: notify.Webhook, URL: slow.URL}, notify.Target{Name: "good", Kind: notify.Webhook, URL: good.URL})
	n := c.start(c.store)
	for i := range 3 {
		c.raise(fmt.Sprint("queue", i))
		c.await("the delivery to the other target", func() bool {
			g, _ := good.taken()
			return len(g) == i+1
		})
	}
	close(release)
	n.Stop()
}
