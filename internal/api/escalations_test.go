package api_test

import (
	"testing"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

func TestEscalations(t *testing.T) {
	s := apitest.Start(t, nil)
	if err := s.Store.CreateQueue(t.Context(), workqueue.Queue{Name: "orders", Escalation: `[{"name":"now","after":"0s","raise":{"by":100}},{"name":"full","when":"length > 9","notify":true}]`}, "test"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{QueueName: "orders", IntegrationConfig: "a", State: workqueue.Pending}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Store.PauseQueue(t.Context(), "default"); err != nil {
		t.Fatal(err)
	}
	type list struct {
		Rules    []api.EscalationRule
		Mistakes []string
	}
	got := apitest.Decode[list](t, as(t, s, access.Viewer).get("/escalations").Want(t, 200))
	if len(got.Rules) != 2 || len(got.Mistakes) != 0 {
		t.Fatalf("got %+v, want 2 rules", got)
	}
	if r := got.Rules[0]; r.Owner != "orders" || r.Scope != workqueue.EscalateQueue || r.Name != "now" || r.Does != "priority + 100" || !r.Holds || r.Paused || r.Now != 1 {
		t.Errorf("got %+v", r)
	}
	if r := got.Rules[1]; r.When != "length > 9" || r.Holds || !r.Announces {
		t.Errorf("got %+v", r)
	}
}

func TestSettings(t *testing.T) {
	s := apitest.Start(t, func(o *api.Options) { o.About = api.About{File: "botwork.yaml", Database: "sqlite"} })
	got := apitest.Decode[api.ServerSettings](t, as(t, s, access.Admin).get("/settings").Want(t, 200))
	if got.File != "botwork.yaml" || got.Database != "sqlite" || got.Version != "1.2.3-test" || got.Limits.PerSecond != apitest.Limits.PerSecond || got.Project {
		t.Errorf("got %+v", got)
	}
	as(t, s, access.Editor).get("/settings").WantProblem(t, 403, "role-not-allowed")
}
