package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"botwork/handlers/builtin"
	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/internal/hostrules"
	"botwork/internal/notifier"
	"botwork/internal/operations"
	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/notify"
)

func TestNotifications(t *testing.T) {
	status := http.StatusOK
	sink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = w.Write([]byte("thank you"))
	}))
	defer sink.Close()
	rules, err := hostrules.New([]string{"127.0.0.1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := apitest.Start(t, func(o *api.Options) {
		o.Notifications = notify.Plan{
			Rules:   []notify.Rule{notify.Rule{Name: "failures", Event: notify.ItemCancelled, GroupBy: []string{"queue"}, Targets: []string{"ops"}}.Complete()},
			Targets: []notify.Target{{Name: "ops", Kind: notify.Slack, URL: sink.URL + "/services/hunter2"}},
		}
		o.SendNotification = (&notifier.Sender{Registry: builtin.Registry(builtin.Resources{Hosts: rules})}).Send
	})
	viewer, operator := as(t, s, access.Viewer), as(t, s, access.Operator)
	now, err := s.Store.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	alert := workqueue.Alert{Rule: "failures", Group: "queue=a", Phase: workqueue.AlertFiring, StartedAt: now, LastAt: now, SentAt: &now, Events: 3, Occurrence: 1}
	if err := s.Store.CommitAlerts(t.Context(), workqueue.Evaluation{By: "w1", Alerts: []workqueue.Alert{alert}}); err != nil {
		t.Fatal(err)
	}
	list := func() operations.Notifications {
		t.Helper()
		answer := viewer.get("/notifications").Want(t, 200)
		if strings.Contains(string(answer.Body), "hunter2") {
			t.Errorf("the list has the address of a target: %s", answer.Body)
		}
		return apitest.Decode[operations.Notifications](t, answer)
	}
	if n := list(); len(n.Rules) != 1 || n.Rules[0].State != "firing" || len(n.Rules[0].Alerts) != 1 || n.Rules[0].Alerts[0].Group != "queue=a" ||
		n.Rules[0].Alerts[0].NextAt == nil || !n.Rules[0].Alerts[0].NextAt.Equal(now.Add(4*time.Hour)) || n.EvaluatedBy != "w1" || len(n.Targets) != 1 {
		t.Errorf("got %+v", n)
	}

	viewer.do("POST", "/notifications/rules/failures/mute", object{"for": "2h"}).WantProblem(t, 403, "role-not-allowed")
	operator.do("POST", "/notifications/rules/failure/mute", object{"for": "2h"}).WantProblem(t, 404, "not-found")
	operator.do("POST", "/notifications/rules/failures/mute", object{"for": "1s"}).WantProblem(t, 422, "invalid-request")
	operator.do("POST", "/notifications/rules/failures/mute", object{"for": "2h", "reason": "works"}).Want(t, 204)
	if n := list(); n.Rules[0].State != "muted" || n.Rules[0].Mute == nil || n.Rules[0].Mute.Reason != "works" || n.Rules[0].Mute.By != "operator" || n.Rules[0].Alerts[0].NextAt != nil {
		t.Errorf("muted: %+v", n.Rules[0])
	}
	if got := string(operator.do("POST", "/notifications/rules/failures/unmute", nil).Want(t, 200).Body); !strings.Contains(got, "true") {
		t.Errorf("unmute: %s", got)
	}
	if got := string(operator.do("POST", "/notifications/rules/failures/unmute", nil).Want(t, 200).Body); !strings.Contains(got, "false") {
		t.Errorf("unmute again: %s", got)
	}

	viewer.do("POST", "/notifications/targets/ops/test", nil).WantProblem(t, 403, "role-not-allowed")
	if p := operator.do("POST", "/notifications/targets/opps/test", nil).WantProblem(t, 404, "not-found"); p.Hint != `did you mean "ops"?` {
		t.Errorf("got %+v", p)
	}
	if got := string(operator.do("POST", "/notifications/targets/ops/test", nil).Want(t, 200).Body); !strings.Contains(got, "status 200 thank you") {
		t.Errorf("test: %s", got)
	}
	status = http.StatusForbidden
	if p := operator.do("POST", "/notifications/targets/ops/test", nil).WantProblem(t, 502, "target-refused"); strings.Contains(p.Detail, "hunter2") || !strings.Contains(p.Detail, "403") {
		t.Errorf("got %+v", p)
	}
	entries, err := s.Store.AuditEntries(t.Context(), workqueue.AuditFilter{Action: "notifications"})
	if err != nil || len(entries) != 4 || entries[0].Action != "notifications.test" || entries[0].Actor != "operator" || entries[3].Reason != "works" {
		t.Errorf("audit log: %+v, %v; want a mute, an unmute and two tests", entries, err)
	}
}
