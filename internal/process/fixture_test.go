package process_test

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"botwork/handlers"
	"botwork/handlers/builtin"
	"botwork/handlers/queue"
	"botwork/internal/author/strictyaml"
	"botwork/internal/process"
	"botwork/internal/testdb"
	"botwork/pipelines"
	"botwork/pipelines/shipped"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

const (
	medium = "ExecuteWorkQueue"
	low    = "ExecuteLowPriorityWorkQueue"
)

// fixture is one empty database and what the processes over it have in common:
// the shipped pipelines, the pipeline note for items, the files and kinds that
// a test adds, and a record of what ran.
type fixture struct {
	*testing.T
	engine testdb.Engine
	dsn    string
	store  *sqlstore.Store  // the test's own eyes and hands
	clock  *clock           // nil: the database's own, or now
	now    func() time.Time // nil: the database's own

	files  map[string]string // name → YAML
	broken map[string]string // name → YAML with errors
	kinds  map[string]handle

	mu  sync.Mutex
	ran []ran
}

// handle is the function of a handler that a test defines.
type handle func(ctx context.Context, call *handlers.Call) (any, error)

// ran is one run of the handler Note.
type ran struct {
	Item   int64
	Worker string
}

func newFixture(t *testing.T, e testdb.Engine) *fixture {
	x := &fixture{T: t, engine: e, dsn: e.DSN(t), files: map[string]string{"note": "steps:\n  - handler: Note\n"}, kinds: map[string]handle{}}
	x.store = e.Open(t, x.dsn)
	return x
}

// testProcess is the options of a process, with its log and the compiler of its pipelines.
type testProcess struct {
	process.Options
	log      *logSink
	compiler *pipelines.Compiler
}

// newOptions returns the options of a process. Each process has its own store.
func (x *fixture) newOptions(name string) *testProcess {
	x.Helper()
	link := &process.Link{}
	registry := builtin.Registry(builtin.Resources{})
	registry.MustRegister(queue.Kinds(link.Services())...)
	kind := func(name string, do handle) {
		registry.MustRegister(handlers.Kind{Name: name, New: func() handlers.Handler { return &step{do: do} }})
	}
	kind("Note", func(_ context.Context, call *handlers.Call) (any, error) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.ran = append(x.ran, ran{call.ItemID, name})
		return nil, nil
	})
	for name, do := range x.kinds {
		kind(name, do)
	}
	compiler := pipelines.NewCompiler(registry, pipelines.Options{})
	catalogue := x.catalogue(compiler)
	log := newLogSink()
	return &testProcess{process.Options{
		Store: x.open(), Link: link, Catalogue: catalogue, Log: log.logger(),
		Engine:    pipelines.NewEngine(pipelines.EngineOptions{WorkerName: name, Log: log.logger()}),
		Spec:      workqueue.WorkerSpec{Name: name, Version: "test", Capacity: 4, Lease: time.Minute},
		Heartbeat: 20 * time.Second, ShutdownGrace: patience,
	}, log, compiler}
}

// catalogue compiles the shipped pipelines and the files of the test.
func (x *fixture) catalogue(c *pipelines.Compiler) *pipelines.Catalogue {
	x.Helper()
	catalogue := pipelines.NewCatalogue(c)
	var findings strictyaml.Findings
	for _, f := range shipped.Files() {
		if _, changed := x.files[strings.TrimSuffix(f.Name, ".yaml")]; changed {
			continue
		}
		findings = append(findings, catalogue.Add(f.Name, f.Data)...)
	}
	for name, text := range x.files {
		findings = append(findings, catalogue.Add(name+".yaml", []byte(text))...)
	}
	if err := findings.Err(); err != nil {
		x.Fatal(err)
	}
	for name, text := range x.broken {
		if findings := catalogue.Add(name+".yaml", []byte(text)); findings == nil {
			x.Fatalf("%s.yaml has no errors", name)
		}
	}
	return catalogue
}

// awaitStart waits until the two shipped pipelines that run at the start have ended. In between,
// others may end at a full minute.
func (b *testProcess) awaitStart(t *testing.T) {
	t.Helper()
	ended := map[any]bool{}
	for i := 1; !ended[medium] || !ended[low]; i++ {
		ended[b.log.awaitNth(t, "run succeeded", i)["pipeline"]] = true
	}
}

// startedBy returns the pipelines of which the trigger started a run that succeeded.
func (b *testProcess) startedBy(trigger string) map[any]bool {
	schedules := map[any]bool{}
	for _, line := range b.log.with("run succeeded") {
		if line["trigger"] == trigger {
			schedules[line["pipeline"]] = true
		}
	}
	return schedules
}

func (x *fixture) open() *sqlstore.Store {
	x.Helper()
	o := sqlstore.Options{Driver: string(x.engine.Driver), DSN: testdb.Unsynced(x.engine.Driver, x.dsn), Now: x.now}
	if x.clock != nil {
		o.Now = x.clock.read
	}
	store, err := sqlstore.Open(x.Context(), o)
	if err != nil {
		x.Fatal(err)
	}
	x.Cleanup(func() {
		if err := store.Close(); err != nil {
			x.Errorf("close store: %v", err)
		}
	})
	return store
}

// step is a handler that a test defines.
type step struct{ do handle }

func (s *step) Handle(ctx context.Context, call *handlers.Call) (any, error) { return s.do(ctx, call) }

// new creates a process, which is stopped when the test ends, if not before.
func (x *fixture) new(b *testProcess) *process.Process {
	x.Helper()
	p, err := process.New(x.Context(), b.Options)
	if err != nil {
		x.Fatal(err)
	}
	x.Cleanup(func() {
		if err := p.Stop(context.WithoutCancel(x.Context())); err != nil {
			x.Errorf("stop %s: %v", b.Spec.Name, err)
		}
	})
	return p
}

// runOnce starts a process, runs the pipelines once and stops the process.
func (x *fixture) runOnce(b *testProcess, names ...string) {
	x.Helper()
	p, err := process.New(x.Context(), b.Options)
	if err != nil {
		x.Fatal(err)
	}
	if err := p.RunOnce(x.Context(), names...); err != nil {
		x.Errorf("RunOnce(%q) = %v, want nil", names, err)
	}
	if err := p.Stop(x.Context()); err != nil {
		x.Errorf("Stop = %v, want nil", err)
	}
}

// enqueue adds an item. The default pipeline is note, and the default state is Pending.
func (x *fixture) enqueue(it workqueue.NewItem) int64 {
	x.Helper()
	it.IntegrationConfig = cmp.Or(it.IntegrationConfig, "note")
	it.State = cmp.Or(it.State, workqueue.Pending)
	enqueued, err := x.store.Enqueue(x.Context(), []workqueue.NewItem{it})
	if err != nil {
		x.Fatal(err)
	}
	return enqueued[0].ID
}

func (x *fixture) item(id int64) workqueue.Item {
	x.Helper()
	it, err := x.store.Item(x.Context(), id)
	if err != nil {
		x.Fatal(err)
	}
	return it
}

func (x *fixture) attempts(id int64) []workqueue.Attempt {
	x.Helper()
	list, err := x.store.Attempts(x.Context(), id)
	if err != nil {
		x.Fatal(err)
	}
	return list
}

// wantState fails unless the items are in a state.
func (x *fixture) wantState(want workqueue.State, ids ...int64) {
	x.Helper()
	for _, id := range ids {
		if it := x.item(id); it.State != want {
			x.Errorf("item %d of priority %d is %s (%s), want %s", id, it.Priority, it.State, text(it.Error), want)
		}
	}
}

// drainRuns returns the runs since the last call, in order.
func (x *fixture) drainRuns() []ran {
	x.mu.Lock()
	defer x.mu.Unlock()
	list := slices.Clone(x.ran)
	x.ran = nil
	return list
}

func text[T ~string](p *T) string {
	if p == nil {
		return ""
	}
	return string(*p)
}

// clock is a database's clock that a test advances.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}
