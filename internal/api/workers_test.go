package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"botwork/internal/api/apitest"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

func registerWorker(t *testing.T, s *apitest.Server, name string) workqueue.Worker {
	t.Helper()
	w, err := s.Store.RegisterWorker(t.Context(), workqueue.WorkerSpec{
		Name: name, InstanceID: name + "-1", Host: "h", PID: 1, Version: "1", Capacity: 2, Lease: time.Hour, Labels: `{"os": "linux"}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestWorkers(t *testing.T) {
	s := apitest.Start(t, nil)
	viewer, operator, editor := as(t, s, access.Viewer), as(t, s, access.Operator), as(t, s, access.Editor)
	if got := string(viewer.get("/workers").Want(t, 200).Body); !strings.Contains(got, `"items":[]`) {
		t.Errorf("got %s", got)
	}
	registered := registerWorker(t, s, "ann")
	type worker struct {
		Capacity, ReservedSlots             int
		State                               workqueue.WorkerState
		DrainRequestedAt                    *time.Time
		Labels, Queues, Overrides, Reported any
		Gone                                bool
	}
	get := func() worker {
		t.Helper()
		return apitest.Decode[worker](t, viewer.get("/workers/ann").Want(t, 200))
	}
	if w := get(); w.Capacity != 2 || w.Gone || w.State != workqueue.WorkerActive {
		t.Errorf("got %+v", w)
	}
	if p := viewer.get("/workers/anne").WantProblem(t, 404, "not-found"); p.Hint != `did you mean "ann"?` {
		t.Errorf("got %+v", p)
	}

	set := object{"capacity": 8, "reservedSlots": 1, "labels": object{"gpu": true, "os": nil}, "channels": object{"voice": object{"cost": 3}}, "queues": []string{"default"}, "reason": "night"}
	if w := apitest.Decode[worker](t, editor.do("PATCH", "/workers/ann", set).Want(t, 200)); w.Capacity != 8 || w.ReservedSlots != 1 || fmt.Sprint(w.Queues) != "[default]" ||
		fmt.Sprint(w.Labels) != "map[gpu:true]" || !strings.Contains(fmt.Sprint(w.Reported), "capacity:2") {
		t.Errorf("set %+v", w)
	}
	editor.do("PATCH", "/workers/ann", object{"reset": true}).Want(t, 200)
	if w := get(); w.Capacity != 2 || w.Overrides != nil {
		t.Errorf("reset %+v", w)
	}
	editor.do("PATCH", "/workers/ann", object{}).WantProblem(t, 422, "invalid-request")
	editor.do("PATCH", "/workers/ann", object{"capacity": 0}).WantProblem(t, 422, "invalid-request")
	editor.do("PATCH", "/workers/ann", object{"capacity": 2, "reservedSlots": 3}).WantProblem(t, 422, "invalid-settings")
	editor.do("PATCH", "/workers/bob", object{"capacity": 2}).WantProblem(t, 404, "not-found")
	operator.do("PATCH", "/workers/ann", object{"capacity": 2}).WantProblem(t, 403, "role-not-allowed")

	operator.do("POST", "/workers/ann/drain", object{"reason": "update"}).Want(t, 204)
	if w := get(); w.State != workqueue.WorkerDraining || w.DrainRequestedAt == nil {
		t.Errorf("drained %+v", w)
	}
	for _, want := range []bool{true, false} {
		if got := apitest.Decode[struct{ Changed bool }](t, operator.do("POST", "/workers/ann/resume", nil).Want(t, 200)); got.Changed != want {
			t.Errorf("resume: got %v, want %v", got.Changed, want)
		}
	}
	operator.do("POST", "/workers/ann/drain", object{"untilRestart": true}).Want(t, 204)
	if w := get(); w.State != workqueue.WorkerDraining || w.DrainRequestedAt != nil {
		t.Errorf("drained until restart %+v", w)
	}
	operator.do("POST", "/workers/bob/drain", nil).WantProblem(t, 404, "not-found")
	operator.do("POST", "/workers/bob/resume", nil).WantProblem(t, 404, "not-found")
	if err := s.Store.StopWorker(t.Context(), registered.ID, registered.InstanceID); err != nil {
		t.Fatal(err)
	}
	operator.do("POST", "/workers/ann/drain", object{"untilRestart": true}).WantProblem(t, 409, "worker-stopped")
	entries, err := s.Store.AuditEntries(t.Context(), auditOf("worker"))
	if err != nil || len(entries) < 4 || entries[len(entries)-1].Reason != "night" || entries[0].Actor != "operator" {
		t.Errorf("got the audit entries %+v, %v", entries, err)
	}
}
