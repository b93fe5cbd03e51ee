package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"botwork/internal/api"
	"botwork/internal/api/apitest"
	"botwork/pipelines"
	"botwork/workqueue"
	"botwork/workqueue/access"
	"botwork/workqueue/assign"
	"botwork/workqueue/forecast"
)

// waking is a project whose pipeline runs everything as soon as a slot is free.
type waking struct{ project }

func (waking) WhyParams() (assign.WhyParams, error) {
	every := workqueue.EveryPriority
	return assign.WhyParams{Pipelines: []assign.SystemPipeline{{
		Name: "Wakes", Wake: true, Bands: []workqueue.Band{every}, Passes: []assign.AssignParams{{Band: every, FreeSlots: true}},
	}}}, nil
}

func TestForecast(t *testing.T) {
	s := apitest.Start(t, func(o *api.Options) { o.Project = waking{project{catalogue: &pipelines.Catalogue{}}} })
	if _, err := s.Store.RegisterWorker(t.Context(), workqueue.WorkerSpec{Name: "bot-1", InstanceID: "1", Host: "h", Capacity: 1, Lease: time.Hour}); err != nil {
		t.Fatal(err)
	}
	one := workqueue.NewItem{IntegrationConfig: "p", Priority: 700, Estimate: 10 * time.Minute, State: workqueue.Pending}
	added, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{one, one, one})
	if err != nil {
		t.Fatal(err)
	}
	get := fmt.Sprintf("/forecast?item=%d", added[2].ID)
	answer := apitest.Decode[forecast.Answer](t, do(t, s, "GET", get, nil).Want(t, 200))
	f := answer.Present
	if f.Histories != 200 || f.All.Items != 3 || len(f.Items) != 1 || f.Items[0].Start.P50 == nil || answer.WhatIf != nil || answer.Enough != nil {
		t.Fatalf("got %+v, want 3 items", f)
	}
	if in := f.Items[0].Start.P50.Sub(f.At); in < 14*time.Minute || in > 28*time.Minute {
		t.Errorf("the third item starts in %s, want about 20m", in)
	}
	if again := apitest.Decode[forecast.Answer](t, do(t, s, "GET", get, nil).Want(t, 200)); !again.Present.At.Equal(f.At) {
		t.Errorf("a second request got a forecast of %s, want the kept one of %s", again.Present.At, f.At)
	}
	answer = apitest.Decode[forecast.Answer](t, do(t, s, "POST", "/forecast", `{"histories": 50, "change": {"addWorkers": [{"capacity": 2}]}, "meetDeadlines": true}`).Want(t, 200))
	if answer.WhatIf == nil || answer.WhatIf.Change != "a new worker with 2 slots" || !answer.WhatIf.All.Empty.P50.Before(*answer.Present.All.Empty.P50) || answer.Enough == nil {
		t.Errorf("got %+v and %+v, want the change to be sooner", answer.Present.All, answer.WhatIf)
	}
	do(t, s, "POST", "/forecast", nil).Want(t, 200)
	p := do(t, s, "POST", "/forecast", `{"change": {"withoutWorkers": ["bot-2"], "pauseQueues": ["none"]}}`).WantProblem(t, 422, "invalid-forecast")
	if len(p.Errors) != 2 || !strings.Contains(p.Errors[0].Message, "bot-1") {
		t.Errorf("got %+v, want both faults", p.Errors)
	}
	do(t, s, "GET", "/forecast?until=2020-01-01T00:00:00Z", nil).WantProblem(t, 422, "invalid-forecast")
	do(t, s, "GET", "/forecast?item=99", nil).WantProblem(t, 404, "not-found")
	if item, err := s.Store.Item(t.Context(), added[0].ID); err != nil || item.Version != 1 {
		t.Errorf("the forecast has changed an item: %+v, %v", item, err)
	}
}

func TestForecastAccuracy(t *testing.T) {
	s := apitest.Start(t, nil)
	if _, err := s.Store.DefineQueues(t.Context(), []workqueue.Queue{{Name: "mail"}, {Name: "shop"}}, "a test"); err != nil {
		t.Fatal(err)
	}
	made, err := s.Store.Enqueue(t.Context(), []workqueue.NewItem{{IntegrationConfig: "p", QueueName: "mail"}, {IntegrationConfig: "q", QueueName: "shop"}})
	if err != nil {
		t.Fatal(err)
	}
	at := func(ago time.Duration) *time.Time { return new(time.Now().Add(-ago)) }
	for i, pipeline := range []string{"p", "q"} {
		f := workqueue.ItemForecast{ItemID: made[i].ID, Pipeline: pipeline, EndP50: at(2 * time.Hour), EndP95: at(time.Hour)}
		if _, err := s.Store.RecordForecasts(t.Context(), *at(3 * time.Hour), []workqueue.ItemForecast{f}); err != nil {
			t.Fatal(err)
		}
	}
	compared := func(token, query string) forecast.Accuracy {
		t.Helper()
		return apitest.Decode[forecast.Accuracy](t, s.Do(t, apitest.Request{Method: "GET", Path: "/forecast/accuracy" + query, Token: token}).Want(t, 200))
	}
	viewer := s.Token(t, access.Viewer)
	if a := compared(viewer, ""); a.All.Compared != 2 || a.All.Overdue != 2 || *a.All.Coverage != 0 || len(a.Queues) != 2 || len(a.Pipelines) != 2 {
		t.Errorf("got %+v, want two forecasts whose items have not ended", a)
	}
	if a := compared(viewer, "?pipeline=q"); a.All.Compared != 1 || a.Queues[0].Name != "shop" {
		t.Errorf("of a pipeline: %+v", a)
	}
	if a := compared(viewer, "?since="+at(time.Hour).UTC().Format(time.RFC3339)); a.All.Forecasts != 0 {
		t.Errorf("of the last hour: %+v, want none", a)
	}
	mail, both := s.Token(t, access.Viewer, "mail"), s.Token(t, access.Viewer, "mail", "shop")
	if a := compared(mail, ""); a.All.Compared != 1 || len(a.Queues) != 1 || a.Queues[0].Name != "mail" {
		t.Errorf("a caller that is bound to a queue got %+v", a)
	}
	if a := compared(both, "?queue=shop"); a.All.Compared != 1 || a.Queues[0].Name != "shop" {
		t.Errorf("a caller that is bound to two queues got %+v", a)
	}
	for _, refused := range []struct {
		token, query string
		status       int
		code         string
	}{{mail, "?queue=shop", 403, "queue-not-allowed"}, {both, "", 422, "queue-needed"}, {viewer, "?queue=nowhere", 404, "not-found"}} {
		s.Do(t, apitest.Request{Method: "GET", Path: "/forecast/accuracy" + refused.query, Token: refused.token}).WantProblem(t, refused.status, refused.code)
	}
}
