package dashboard_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/handlers/builtin"
	"botwork/internal/api"
	"botwork/internal/doctor"
	"botwork/internal/hostrules"
	"botwork/internal/notifier"
	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/notify"
)

func TestNotifications(t *testing.T) {
	sink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/closed") {
			w.WriteHeader(http.StatusForbidden)
		}
		_, _ = w.Write([]byte("thank you <b>very</b> much"))
	}))
	defer sink.Close()
	hosts, err := hostrules.New([]string{"127.0.0.1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := newSiteWith(t, func(o *api.Options) {
		o.Notifications = notify.Plan{
			Rules:   []notify.Rule{notify.Rule{Name: "failures", Event: notify.ItemCancelled, GroupBy: []string{"queue"}, Targets: []string{"ops"}}.Complete()},
			Targets: []notify.Target{{Name: "ops", Kind: notify.Slack, URL: sink.URL + "/hunter2"}, {Name: "away", Kind: notify.Slack, URL: sink.URL + "/hunter2/closed"}},
		}
		o.SendNotification = (&notifier.Sender{Registry: builtin.Registry(builtin.Resources{Hosts: hosts})}).Send
		o.Redact = func(text string) string { return strings.ReplaceAll(text, "hunter2", "<secret>") }
	})
	now, err := s.Store.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	group := "queue=" + hostile
	alert := workqueue.Alert{Rule: "failures", Group: group, Phase: workqueue.AlertFiring, StartedAt: now, LastAt: now, SentAt: &now, Events: 1234, Occurrence: 1}
	if err := s.Store.CommitAlerts(t.Context(), workqueue.Evaluation{By: "w1", Alerts: []workqueue.Alert{alert}}); err != nil {
		t.Fatal(err)
	}
	show := func(b *browser, wanted ...string) seen {
		t.Helper()
		got := b.get("/notifications")
		judge(t, "/notifications", got)
		for _, want := range wanted {
			if text := got.visible(); !strings.Contains(text, want) {
				t.Errorf("the page does not show %q: %s", want, text)
			}
		}
		if strings.Contains(got.text, "hunter2") {
			t.Error("the page has the address of a target")
		}
		return got
	}
	viewer, operator := s.as(t, access.Viewer), s.as(t, access.Operator)
	if got := show(viewer, "failures", strings.Replace(group, "\u202e", "[U+202E]", 1), "Firing", "1,234", "by w1"); len(got.forms()) != 1 {
		t.Errorf("a viewer is offered %v", got.forms())
	}
	mute, unmute, test := "/notifications/rules/failures/mute", "/notifications/rules/failures/unmute", "/notifications/targets/ops/test"
	if got := show(operator).forms(); !slices.Contains(got, mute) || slices.Contains(got, unmute) || !slices.Contains(got, test) {
		t.Errorf("an operator is offered %v", got)
	}
	for _, path := range []string{mute, unmute, test} {
		if to, said := viewer.said(viewer.post(path, url.Values{"for": {"1h"}}, nil)); to != "/notifications" || !strings.HasPrefix(said, "refused: ") {
			t.Errorf("a viewer's POST %s: %q at %q", path, said, to)
		}
	}
	said := func(path string, form url.Values) string {
		t.Helper()
		_, text := operator.said(operator.post(path, form, nil))
		return strings.TrimPrefix(text, "refused: ")
	}
	if got := said(mute, url.Values{"group": {group}, "for": {"4h"}, "reason": {"known fault"}}); !strings.Contains(got, "sends nothing for 4h") {
		t.Errorf("mute: %s", got)
	}
	if got := show(operator, "by operator: known fault", "Muted 1").forms(); !slices.Contains(got, unmute) {
		t.Errorf("a muted group has the forms %v", got)
	}
	if got := said(unmute, url.Values{"group": {group}, "reason": {"repaired"}}); !strings.Contains(got, "sends messages again") {
		t.Errorf("unmute: %s", got)
	}
	if got := said(mute, url.Values{"for": {"1s"}}); !strings.Contains(got, "want 1m to") {
		t.Errorf("a mute that is too short: %s", got)
	}
	if got := said(test, nil); !strings.HasPrefix(got, "Target ops has the test message") {
		t.Errorf("test: %s", got)
	}
	if got := said("/notifications/targets/away/test", nil); !strings.Contains(got, "the message was not sent") || strings.Contains(got, "hunter2") {
		t.Errorf("a test that the target refuses: %s", got)
	}
	if got := said("/notifications/rules/nothing/mute", url.Values{"for": {"1h"}}); !strings.Contains(got, "no rule") {
		t.Errorf("an unknown rule: %s", got)
	}
	audit := s.as(t, access.Admin).get("/audit").visible()
	for _, want := range []string{"known fault", "repaired"} {
		if !strings.Contains(audit, want) {
			t.Errorf("the audit log has no reason %q", want)
		}
	}
}

func TestEscalations(t *testing.T) {
	s := newSite(t)
	b := s.as(t, access.Viewer)
	if got := b.get("/escalations").visible(); !strings.Contains(got, "No rules of escalation") {
		t.Errorf("without rules: %s", got)
	}
	t.Run("with rules", func(t *testing.T) {
		s := newSite(t)
		q := workqueue.Queue{Name: "orders", Escalation: `[{"name":"late","after":"10m","raise":{"by":100}},{"name":"idle","when":"length == 0","notify":true}]`}
		if err := s.Store.CreateQueue(t.Context(), q, "test"); err != nil {
			t.Fatal(err)
		}
		b := s.as(t, access.Viewer)
		got := b.get("/escalations")
		judge(t, "/escalations", got)
		for _, want := range []string{"late queue orders waiting 10m priority + 100 0", "idle queue orders length == 0 notify true"} {
			if !strings.Contains(got.visible(), want) {
				t.Errorf("the page does not show %q: %s", want, got.visible())
			}
		}
		if !slices.Contains(got.links(), "/queues/orders") {
			t.Errorf("links: %v", got.links())
		}
	})
}

// examined is a project whose machine has faults.
type examined struct {
	api.Project

	report doctor.Report
}

func (e examined) Doctor(context.Context, time.Duration) (doctor.Report, error) { return e.report, nil }

func TestDoctor(t *testing.T) {
	report := doctor.Report{Counts: doctor.Counts{OK: 1, Fault: 1}, Results: []doctor.Result{
		{Check: "clock", State: doctor.OK, Found: "in step"},
		{Check: "disk", State: doctor.Fault, About: "/data", Found: "full " + hostile, Advice: "remove files"},
	}}
	s := newSiteWith(t, func(o *api.Options) { o.Project = examined{report: report} })
	admin := s.as(t, access.Admin)
	if got := admin.get("/doctor"); strings.Contains(got.visible(), "in step") || !slices.Contains(got.forms(), "/doctor") {
		t.Errorf("before the examination: %s", got.visible())
	}
	got := admin.post("/doctor", nil, nil)
	judge(t, "POST /doctor", got)
	text := got.visible()
	if fault, ok := strings.Index(text, "/data : full <script>"), strings.Index(text, "in step"); got.status != http.StatusOK || fault < 0 || ok < fault || !strings.Contains(text, "remove files") {
		t.Errorf("%d: %s", got.status, text)
	}
	for _, role := range []access.Role{access.Viewer, access.Editor} {
		b := s.as(t, role)
		if got := b.get("/doctor"); got.status != http.StatusForbidden || slices.Contains(got.links(), "/doctor") {
			t.Errorf("%s: status %d, links %v", role, got.status, got.links())
		}
		if got := b.post("/doctor", nil, nil); got.status != http.StatusForbidden {
			t.Errorf("%s may examine: status %d", role, got.status)
		}
	}
}

func TestSettings(t *testing.T) {
	s := newSiteWith(t, func(o *api.Options) {
		o.About = api.About{File: "/etc/botwork.yaml", Listen: "127.0.0.1:8321", Database: "sqlite"}
	})
	got := s.as(t, access.Admin).get("/settings")
	judge(t, "/settings", got)
	for _, want := range []string{"/etc/botwork.yaml", "127.0.0.1:8321", "sqlite", "by password", "1.2.3-test"} {
		if !strings.Contains(got.visible(), want) {
			t.Errorf("the page does not show %q: %s", want, got.visible())
		}
	}
	b := s.as(t, access.Viewer)
	other := s.browser(t)
	other.post("/sign-in", url.Values{"name": {"viewer"}, "password": {password}, "to": {"/"}}, nil)
	if got := b.get("/settings"); got.status != http.StatusOK || strings.Contains(got.visible(), "/etc/botwork.yaml") {
		t.Errorf("a viewer sees %s", got.visible())
	}
	if got := b.post("/sign-out-everywhere", nil, nil); got.header.Get("Location") != "/sign-in" {
		t.Errorf("sign out everywhere: %d %q", got.status, got.header.Get("Location"))
	}
	for _, one := range []*browser{b, other} {
		if got := one.get("/settings"); got.status != http.StatusSeeOther {
			t.Errorf("a session goes on: %d", got.status)
		}
	}
}

func TestTokensAndUsers(t *testing.T) {
	s := newSite(t)
	admin := s.as(t, access.Admin)
	form := url.Values{"name": {hostile}, "role": {"robot"}, "queues": {"default, default"}, "expiresIn": {"90d"}, "reason": {"the new machine"}}
	made := admin.post("/access", form, nil)
	judge(t, "POST /access", made)
	if made.status != http.StatusOK || made.header.Get("Cache-Control") != "no-store" || !strings.Contains(made.visible(), "is not shown again") {
		t.Fatalf("create: %d %s", made.status, made.visible())
	}
	text := ""
	for _, n := range made.elements() {
		if n.Data == "pre" {
			text = n.FirstChild.Data
		}
	}
	list := admin.get("/access")
	judge(t, "/access", list)
	if len(text) < 20 || strings.Contains(list.text, text) || !strings.Contains(list.visible(), `<script>alert("x")</script>`) || !slices.Contains(list.forms(), "/access/1/revoke") {
		t.Errorf("the token is %q, the list %s", text, list.visible())
	}
	if got := admin.post("/access", form, nil); got.status != http.StatusConflict {
		t.Errorf("the same name again: %d", got.status)
	}
	if to, said := admin.said(admin.post("/access/1/revoke", url.Values{"reason": {"it was stolen"}}, nil)); to != "/access" || said != "Token 1 is revoked" {
		t.Errorf("revoke: %q at %q", said, to)
	}
	if got := admin.get("/access"); !strings.Contains(got.visible(), "Revoked") || slices.Contains(got.forms(), "/access/1/revoke") {
		t.Errorf("after it was revoked: %s", got.visible())
	}

	user := admin.post("/access/users", url.Values{"name": {"eve"}, "role": {"editor"}, "queues": {""}, "reason": {"a new colleague"}}, nil)
	if user.status != http.StatusOK || !strings.Contains(user.visible(), "/auth/link?token=") {
		t.Fatalf("create a user: %d %s", user.status, user.visible())
	}
	change := url.Values{"role": {"operator"}, "queues": {"default, mail"}, "reason": {"a smaller task"}}
	if _, said := admin.said(admin.post("/access/users/eve/set", change, nil)); !strings.HasPrefix(said, "eve has the role operator now") {
		t.Errorf("change: %q", said)
	}
	if eve, _, err := s.Store.User(t.Context(), "eve"); err != nil || eve.Role != access.Operator || !slices.Equal(eve.Queues, []string{"default", "mail"}) {
		t.Errorf("after the change: %+v, %v", eve, err)
	}
	if _, said := admin.said(admin.post("/access/users/eve/set", url.Values{"role": {"emperor"}}, nil)); !strings.HasPrefix(said, "refused: ") {
		t.Errorf("an unknown role: %q", said)
	}
	if got := admin.get("/access/users/eve/sessions"); got.status != http.StatusOK || !strings.Contains(got.visible(), "No sessions") {
		t.Errorf("sessions of eve: %d %s", got.status, got.visible())
	}
	wantShown(t, admin, "/access/users/admin/sessions", "Signed in", "password")
	if _, said := admin.said(admin.post("/access/users/eve/disable", url.Values{"reason": {"has left"}}, nil)); !strings.HasPrefix(said, "eve is locked out") {
		t.Errorf("disable: %q", said)
	}
	users := admin.get("/access/users")
	judge(t, "/access/users", users)
	if !strings.Contains(users.visible(), "Disabled") || !slices.Contains(users.forms(), "/access/users/eve/enable") || strings.Contains(users.text, "token=") {
		t.Errorf("users: %s", users.visible())
	}
	audit := admin.get("/audit").visible()
	for _, want := range []string{"the new machine", "it was stolen", "a new colleague", "a smaller task", "has left"} {
		if !strings.Contains(audit, want) {
			t.Errorf("the audit log has no reason %q: %s", want, audit)
		}
	}

	for _, role := range []access.Role{access.Viewer, access.Editor} {
		b := s.as(t, role)
		for _, path := range []string{"/access", "/access/users", "/access/users/admin/sessions"} {
			if got := b.get(path); got.status != http.StatusForbidden || slices.Contains(got.links(), "/access") {
				t.Errorf("%s: GET %s: %d, links %v", role, path, got.status, got.links())
			}
		}
		for _, path := range []string{"/access", "/access/users", "/access/users/admin/link"} {
			if got := b.post(path, form, nil); got.status != http.StatusForbidden {
				t.Errorf("%s: POST %s: %d", role, path, got.status)
			}
		}
		for _, path := range []string{"/access/1/revoke", "/access/users/admin/disable", "/access/users/admin/set", "/access/users/admin/sign-out"} {
			if _, said := b.said(b.post(path, nil, nil)); !strings.HasPrefix(said, "refused: ") {
				t.Errorf("%s: POST %s: %q", role, path, said)
			}
		}
	}
	tokens, err := s.Store.Tokens(t.Context())
	if err != nil || len(tokens) != 1 {
		t.Errorf("%d tokens, want the one of the admin; %v", len(tokens), err)
	}
	for _, header := range []map[string]string{{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}} {
		if got := admin.post("/access", form, header); got.status != http.StatusForbidden {
			t.Errorf("a form of another site: %d", got.status)
		}
	}
}

// The overview shows what is beyond the bounds of notification rules. It knows the other events without rules.
func TestOverviewShowsBounds(t *testing.T) {
	s := newSiteWith(t, func(o *api.Options) {
		o.Notifications = notify.Plan{Rules: []notify.Rule{
			notify.Rule{Name: "crowd", Event: notify.Backlog, GroupBy: []string{"queue"}}.Complete(),
			notify.Rule{Name: "old", Event: notify.Oldest}.Complete(),
			notify.Rule{Name: "failures", Event: notify.ItemCancelled}.Complete(),
		}}
	})
	now, err := s.Store.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	alert := func(rule, group string, phase workqueue.AlertPhase) workqueue.Alert {
		return workqueue.Alert{Rule: rule, Group: group, Phase: phase, StartedAt: now, LastAt: now, Occurrence: 1}
	}
	alerts := []workqueue.Alert{
		alert("crowd", "queue=default", workqueue.AlertFiring), alert("crowd", "queue="+hostile, workqueue.AlertFiring), alert("crowd", "queue=calm", workqueue.AlertOK),
		alert("old", "", workqueue.AlertPending), alert("failures", "", workqueue.AlertFiring),
	}
	if err := s.Store.CommitAlerts(t.Context(), workqueue.Evaluation{By: "w1", Alerts: alerts}); err != nil {
		t.Fatal(err)
	}
	if err := s.Store.MuteAlerts(t.Context(), workqueue.Mute{Rule: "crowd", Group: "queue=default"}, time.Hour); err != nil {
		t.Fatal(err)
	}
	got := s.as(t, access.Viewer).get("/")
	judge(t, "/", got)
	text := got.visible()
	for _, want := range []string{
		"Queue default: too many items wait beyond the bound of the rule crowd, which is muted", "Queue " + strings.Replace(hostile, "\u202e", "[U+202E]", 1) + ": too many items wait", "An item waits for too long beyond the bound of the rule old",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the overview does not show %q: %s", want, text)
		}
	}
	for _, not := range []string{"calm", "rule failures"} {
		if strings.Contains(text, not) {
			t.Errorf("the overview shows %q: %s", not, text)
		}
	}
	if !slices.Contains(got.links(), "/queues/default") {
		t.Errorf("the queue is not linked: %v", got.links())
	}
	if bound := s.as(t, access.Viewer, "default").get("/").visible(); strings.Contains(bound, "too many items") {
		t.Errorf("a person who is bound to a queue sees the rules: %s", bound)
	}
}
