package botwork_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"botwork"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// program is a program with a store.
type program struct {
	*testing.T
	store *botwork.Store
}

func eachEngine(t *testing.T, test func(p *program)) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		e.Open(t, dsn) // migrates as the tests do: from a template
		store, err := botwork.Open(t.Context(), string(e.Driver), dsn)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		test(&program{t, store})
	})
}

// worker returns a worker that is quiet.
func (p *program) worker(name string) *botwork.Worker {
	log := zerolog.New(zerolog.NewTestWriter(p.T)).Level(zerolog.WarnLevel)
	return botwork.NewWorker(p.store, botwork.WorkerOptions{Name: name, Log: &log})
}

// enqueue enqueues urgent items, one with each payload.
func (p *program) enqueue(pipeline string, payloads ...string) []int64 {
	p.Helper()
	items := make([]botwork.NewItem, len(payloads))
	for i, text := range payloads {
		items[i] = botwork.NewItem{IntegrationConfig: pipeline, Priority: 2000, Payload: workqueue.JSONText(text), Attempts: 1}
	}
	made, err := p.store.Enqueue(p.Context(), items...)
	if err != nil {
		p.Fatal(err)
	}
	ids := make([]int64, len(made))
	for i := range made {
		ids[i] = made[i].ID
	}
	return ids
}

// runUntil runs the worker until the items have ended, and returns them.
func (p *program) runUntil(w *botwork.Worker, ids []int64) []botwork.Item {
	p.Helper()
	ctx, cancel := context.WithCancel(p.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- w.Run(ctx) }()
	var items []botwork.Item
	for late := time.After(time.Minute); ; {
		items = nil
		for _, id := range ids {
			items = append(items, p.item(id))
		}
		if !slices.ContainsFunc(items, func(it botwork.Item) bool {
			return it.State != workqueue.Processed && it.State != workqueue.Cancelled
		}) {
			break
		}
		select {
		case err := <-ended:
			p.Fatalf("Run = %v before the items had ended", err)
		case <-late:
			p.Fatalf("the items have not ended: %+v", items)
		case <-time.After(20 * time.Millisecond):
		}
	}
	cancel()
	if err := <-ended; err != nil {
		p.Errorf("Run = %v after a drain, want nil", err)
	}
	return items
}

type order struct {
	Number int64   `json:"number"`
	Total  float64 `json:"total"`
}

func TestFunctionsRunItems(t *testing.T) {
	eachEngine(t, func(p *program) {
		w := p.worker("orders")
		botwork.Handle(w, "double", func(_ context.Context, job *botwork.Job, in order) (order, error) {
			if job.ItemID == 0 || job.IdempotencyKey == "" || job.Attempt != 1 {
				return order{}, errors.New("the job does not describe the item")
			}
			return order{in.Number, 2 * in.Total}, nil
		})
		botwork.Handle(w, "nothing", func(context.Context, *botwork.Job, any) (any, error) { return nil, nil })
		double := p.enqueue("double", `{"number":9007199254740993,"total":1.5}`)
		nothing := p.enqueue("nothing", "")
		items := p.runUntil(w, append(double, nothing...))
		if want := workqueue.JSONText(`{"number":9007199254740993,"total":3}`); items[0].State != workqueue.Processed || items[0].Output != want {
			p.Errorf("the item is %s with the output %s, want Processed with %s", items[0].State, items[0].Output, want)
		}
		if items[1].State != workqueue.Processed {
			p.Errorf("the item without a payload is %s (%v), want Processed", items[1].State, items[1].Error)
		}
	})
}

func TestFunctionsFail(t *testing.T) {
	eachEngine(t, func(p *program) {
		w := p.worker("fails")
		botwork.Handle(w, "fail", func(_ context.Context, _ *botwork.Job, how string) (any, error) {
			switch how {
			case "business":
				return nil, botwork.Business(errors.New("no such customer"))
			case "permanent":
				return nil, botwork.Permanent(errors.New("no such currency"))
			case "panic":
				panic("out of paper")
			case "output":
				return make(chan int), nil
			}
			return nil, errors.New("disk full")
		})
		ids := p.enqueue("fail", `"business"`, `"permanent"`, `"panic"`, `"output"`, `"error"`, `{"not":"a text"}`)
		unknown := p.enqueue("unknown", `{}`)
		for i, it := range p.runUntil(w, append(ids, unknown...)) {
			want := []string{"no such customer", "no such currency", "out of paper", "output: json: unsupported type", "disk full", "payload: json: cannot unmarshal", `no pipeline "unknown"`}[i]
			if it.State != workqueue.Cancelled || it.Error == nil || !strings.Contains(*it.Error, want) {
				p.Errorf("item %d is %s (%v), want Cancelled with %q", i, it.State, it.Error, want)
			}
			if business := it.Status() == workqueue.StatusBusinessError; business != (i == 0) {
				p.Errorf("item %d has the status %s", i, it.Status())
			}
		}
	})
}

func TestSnoozedFunctionRunsAgain(t *testing.T) {
	eachEngine(t, func(p *program) {
		w := p.worker("waits")
		var once sync.Once
		botwork.Handle(w, "wait", func(context.Context, *botwork.Job, any) (string, error) {
			var err error
			once.Do(func() { err = botwork.Snooze(10*time.Millisecond, "not yet") })
			return "now", err
		})
		if it := p.runUntil(w, p.enqueue("wait", `{}`))[0]; it.State != workqueue.Processed || it.Output != `"now"` || it.RetryCount != 0 {
			p.Errorf("the item is %s, output %s, retries %d, want Processed at the second run without a retry", it.State, it.Output, it.RetryCount)
		}
	})
}

func TestRunRefusesWrongWorkers(t *testing.T) {
	store, err := botwork.Open(t.Context(), "sqlite", t.TempDir()+"/botwork.db")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	nothing := func(context.Context, *botwork.Job, any) (any, error) { return nil, nil }
	for _, test := range []struct {
		options  botwork.WorkerOptions
		function string
		want     string
	}{
		{botwork.WorkerOptions{}, "", "no functions"},
		{botwork.WorkerOptions{Capacity: -1}, "f", "capacity: got -1"},
		{botwork.WorkerOptions{Lease: time.Second}, "f", "at least two heartbeats"},
		{botwork.WorkerOptions{ShutdownGrace: -1}, "f", "shutdown grace"},
		{botwork.WorkerOptions{}, "a/b", `function "a/b"`},
		{botwork.WorkerOptions{}, "ExecuteWorkQueue", "duplicate pipeline name"},
	} {
		w := botwork.NewWorker(store, test.options)
		if test.function != "" {
			botwork.Handle(w, test.function, nothing)
		}
		if err := w.Run(t.Context()); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Run with %+v and the function %q = %v, want an error with %q", test.options, test.function, err, test.want)
		}
	}
	if _, err := botwork.Open(t.Context(), "oracle", "x"); err == nil || !strings.Contains(err.Error(), "want sqlite, sqlserver or postgres") {
		t.Errorf("Open with an unknown driver = %v", err)
	}
}

func TestHandleRefusesTheSameNameTwice(t *testing.T) {
	w := botwork.NewWorker(nil, botwork.WorkerOptions{})
	nothing := func(context.Context, *botwork.Job, any) (any, error) { return nil, nil }
	botwork.Handle(w, "f", nothing)
	defer func() {
		if recover() == nil {
			t.Error("Handle accepted a second function of the same name")
		}
	}()
	botwork.Handle(w, "f", nothing)
}

// A second process under the same name is refused while the first one is alive.
func TestRunRefusesATakenName(t *testing.T) {
	eachEngine(t, func(p *program) {
		first, second := p.worker("twin"), p.worker("twin")
		botwork.Handle(second, "f", func(context.Context, *botwork.Job, any) (any, error) { return nil, nil })
		botwork.Handle(first, "f", func(ctx context.Context, _ *botwork.Job, _ any) (string, error) {
			taken := (*workqueue.NameTakenError)(nil)
			if err := second.Run(ctx); !errors.As(err, &taken) {
				p.Errorf("Run of a second worker of the name = %v, want a NameTakenError", err)
			}
			return "tried", nil
		})
		if it := p.runUntil(first, p.enqueue("f", `{}`))[0]; it.Output != `"tried"` {
			p.Errorf("the first worker's item has the output %s (%v), want it run", it.Output, it.Error)
		}
	})
}

// An item without a priority has the one that it gets from all other ways to enqueue.
func TestEnqueueWithoutAPriority(t *testing.T) {
	eachEngine(t, func(p *program) {
		made, err := p.store.Enqueue(p.Context(),
			botwork.NewItem{IntegrationConfig: "f"}, botwork.NewItem{IntegrationConfig: "f", Priority: botwork.ZeroPriority}, botwork.NewItem{IntegrationConfig: "f", Priority: -3})
		if err != nil {
			p.Fatal(err)
		}
		for i, want := range []int{1000, 0, -3} {
			if it := p.item(made[i].ID); it.Priority != want {
				p.Errorf("item %d has the priority %d, want %d", i, it.Priority, want)
			}
		}
	})
}

func (p *program) item(id int64) botwork.Item {
	p.Helper()
	it, err := p.store.Item(p.Context(), id)
	if err != nil {
		p.Fatal(err)
	}
	return it
}

func TestStoreChangesItems(t *testing.T) {
	eachEngine(t, func(p *program) {
		id := p.enqueue("f", `{}`)[0]
		transition := (*workqueue.TransitionError)(nil)
		if err := p.store.Repeat(p.Context(), id); !errors.As(err, &transition) {
			p.Errorf("Repeat of a waiting item = %v, want a TransitionError", err)
		}
		if err := p.store.Cancel(p.Context(), id, "withdrawn"); err != nil {
			p.Error(err)
		}
		if it := p.item(id); it.Status() != workqueue.StatusCancelled || it.Error == nil || *it.Error != "withdrawn" {
			p.Errorf("the item is %s (%v), want Cancelled with the reason", it.Status(), it.Error)
		}
		if err := p.store.Repeat(p.Context(), id); err != nil {
			p.Error(err)
		}
		if err := p.store.Update(p.Context(), id, botwork.ItemUpdate{AddTags: []string{"late"}}); err != nil {
			p.Error(err)
		}
		if it := p.item(id); it.Status() != workqueue.StatusPending || it.Tags != `["late"]` {
			p.Errorf("the item is %s with the tags %s, want Pending with the new one", it.Status(), it.Tags)
		}
		if err := p.store.Cancel(p.Context(), id+1, ""); !errors.Is(err, workqueue.ErrNotFound) {
			p.Errorf("Cancel of an unknown item = %v, want ErrNotFound", err)
		}
	})
}

func TestStorePausesQueues(t *testing.T) {
	eachEngine(t, func(p *program) {
		if err := p.store.Pause(p.Context(), "nowhere"); !errors.Is(err, workqueue.ErrNotFound) {
			p.Errorf("Pause of an unknown queue = %v, want ErrNotFound", err)
		}
		if err := p.store.Pause(p.Context(), workqueue.DefaultQueue); err != nil {
			p.Error(err)
		}
		w := p.worker("paused")
		botwork.Handle(w, "other", func(context.Context, *botwork.Job, any) (any, error) { return nil, nil })
		held := p.enqueue("other", `{}`)[0]
		if err := p.store.DefineQueues(p.Context(), "test", botwork.Queue{Name: "open", TTL: workqueue.Duration(time.Hour)}); err != nil {
			p.Fatal(err)
		}
		made, err := p.store.Enqueue(p.Context(), botwork.NewItem{QueueName: "open", IntegrationConfig: "other"})
		if err != nil {
			p.Fatal(err)
		}
		p.runUntil(w, []int64{made[0].ID})
		if it := p.item(held); it.Status() != workqueue.StatusPending {
			p.Errorf("an item of the paused queue is %s, want it Pending", it.Status())
		}
		if err := p.store.Resume(p.Context(), workqueue.DefaultQueue); err != nil {
			p.Error(err)
		}
		p.runUntil(w, []int64{held})
	})
}
