package sqlstore_test

import (
	"errors"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/workqueue"
)

func TestLabelWorker(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		store := e.Open(t, e.DSN(t))
		spec := workqueue.WorkerSpec{Name: "ann", InstanceID: "a", Capacity: 1, Lease: time.Hour, Labels: `{"gpu":true}`}
		w, err := store.RegisterWorker(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		want := func(labels workqueue.JSONText) {
			t.Helper()
			if workers, err := store.Workers(t.Context()); err != nil || len(workers) != 1 || workers[0].Labels != labels {
				t.Errorf("workers = %+v, %v, want the labels %q", workers, err, labels)
			}
		}
		for _, labels := range []workqueue.JSONText{`{"BrokenPipelines":"import"}`, "", `{"gpu":true}`} {
			if err := store.LabelWorker(t.Context(), w.ID, "a", labels); err != nil {
				t.Fatal(err)
			}
			want(labels)
		}
		if err := store.LabelWorker(t.Context(), w.ID, "b", ""); !errors.Is(err, workqueue.ErrWorkerReplaced) {
			t.Errorf("LabelWorker of another instance = %v, want ErrWorkerReplaced", err)
		}
		want(`{"gpu":true}`)
	})
}
