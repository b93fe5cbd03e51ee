package simulation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"botwork/handlers"
	"botwork/handlers/queue"
	"botwork/internal/author/strictyaml"
	"botwork/internal/database"
	workerprocess "botwork/internal/process"
	"botwork/internal/testdb"
	"botwork/pipelines"
	"botwork/pipelines/shipped"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// noticeBound is how long an item may wait beside a free slot after a process was notified of it.
const noticeBound = 50 * time.Millisecond

// noticeItems is the number of items of a history.
const noticeItems = 70

// noticeWorld is a cluster of whole processes with the shipped pipelines, in virtual time, that
// nothing troubles. Each statement takes some time, and each notice arrives some time after the
// change. SQLite's own signs of changes by other processes are kept from them.
type noticeWorld struct {
	t    *testing.T
	seed uint64
	dsn  string
	all  []*noticeProcess

	tidies bool // the pipeline that runs items has a step after them

	mu    sync.Mutex
	c     chronicle
	runs  []noticeRun
	items map[int64]*noticeItem
	left  int
	done  chan struct{} // closed when all items have ended
}

// noticeItem records what happened to an item.
type noticeItem struct {
	started  time.Time                    // zero: it has not started
	notified map[*noticeProcess]time.Time // when a process was first notified of it
}

// noticeRun is the run of an item in a process.
type noticeRun struct {
	in   *noticeProcess
	from time.Time
	to   time.Time // zero: it is running
}

// noticeProcess is one process. It is the store of its worker.
type noticeProcess struct {
	*sqlstore.Store
	w        *noticeWorld
	name     string
	id       int64 // of the worker
	capacity int
	process  *workerprocess.Process

	mu     sync.Mutex
	calls  int
	report func(workqueue.Notice)
}

// TestNotices: with a free slot, a due item starts within noticeBound of its notice.
func TestNotices(t *testing.T) {
	eachChronicle(t, func(seed uint64) *chronicle {
		dsn := filepath.Join(t.TempDir(), "botwork.db")
		testdb.Prepare(t, database.SQLite, dsn)
		w := &noticeWorld{t: t, seed: seed, dsn: dsn, items: map[int64]*noticeItem{}, left: noticeItems}
		synctest.Test(t, func(*testing.T) { w.live() })
		return &w.c
	})
}

func (w *noticeWorld) log(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.c.now = time.Now()
	w.c.log(format, args...)
}

func (w *noticeWorld) open() *sqlstore.Store {
	store, err := sqlstore.Open(context.Background(), sqlstore.Options{Driver: string(database.SQLite), DSN: testdb.Unsynced(database.SQLite, w.dsn), Now: time.Now})
	if err != nil {
		w.t.Fatal(err)
	}
	return store
}

// live starts the processes, enqueues the items and judges when they have ended.
func (w *noticeWorld) live() {
	w.done = make(chan struct{}) // of the bubble
	d := roll(w.seed, "notices", 0)
	// Not the same distance from a full minute, at which the pipeline is due, in each history.
	time.Sleep(d.between(0, time.Minute))
	w.tidies = d.chance(50)
	for i := range 1 + d.IntN(3) {
		w.all = append(w.all, w.start(fmt.Sprint("w", i+1), 1+d.IntN(4)))
	}
	crowd := d.IntN(30) // so many items come almost at once
	other := &noticeProcess{Store: w.open(), w: w, name: "other"}
	for i := range noticeItems {
		d := roll(w.seed, "item", i)
		gaps := []time.Duration{2 * time.Millisecond, 20 * time.Millisecond, 300 * time.Millisecond, 4 * time.Second}
		if i%35 < crowd {
			gaps = gaps[:1]
		}
		if wait := d.between(0, gaps[d.IntN(len(gaps))]); i > 0 && d.chance(8) {
			// At a full minute, the run that waits ends, and another one starts.
			now := time.Now()
			time.Sleep(now.Truncate(time.Minute).Add(time.Minute).Sub(now) + d.between(-time.Millisecond, 15*time.Millisecond))
		} else {
			time.Sleep(wait)
		}
		from := other
		if d.chance(30) {
			from = w.all[d.IntN(len(w.all))]
		}
		lasts := []int{0, 5, 50, 1500}[d.IntN(4)]
		it := workqueue.NewItem{
			State: workqueue.Pending, Priority: 500 + 300*d.IntN(3), IntegrationConfig: "work",
			Payload: workqueue.JSONText(fmt.Sprintf(`{"ms":%d}`, lasts)), Estimate: time.Duration(max(lasts, 1)) * time.Millisecond,
		}
		if d.chance(20) {
			it.Estimate = 2 * time.Millisecond // so that others are claimed to run after it, and given back
		}
		if d.chance(10) {
			it.Payload = workqueue.JSONText(fmt.Sprintf(`{"ms":%d,"fails":true}`, lasts))
			it.ResilienceConfig = workqueue.JSONText(fmt.Sprintf(`{"limit":2,"jitter":0,"delay":"%s"}`, d.between(10*time.Millisecond, 900*time.Millisecond)))
		}
		if d.chance(20) {
			it.In = d.between(time.Millisecond, []time.Duration{50 * time.Millisecond, 3 * time.Second}[d.IntN(2)])
		}
		from.enqueue(it)
	}
	select {
	case <-w.done:
	case <-time.After(5 * time.Minute):
		w.violation("%d items have not ended", w.left)
	}
	w.judge()
	for _, p := range w.all {
		if err := errors.Join(p.process.Stop(context.Background()), p.Close()); err != nil {
			w.violation("stop %s: %v", p.name, err)
		}
	}
	if err := other.Close(); err != nil {
		w.violation("close the store: %v", err)
	}
}

func (w *noticeWorld) violation(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.c.violation(format, args...)
}

// start starts a process.
func (w *noticeWorld) start(name string, capacity int) *noticeProcess {
	p := &noticeProcess{Store: w.open(), w: w, name: name, capacity: capacity}
	link := &workerprocess.Link{}
	registry := handlers.NewRegistry()
	registry.MustRegister(queue.Kinds(link.Services())...)
	registry.MustRegister(handlers.Kind{Name: "Work", New: func() handlers.Handler { return p }}, handlers.Kind{Name: "Tidy", New: func() handlers.Handler { return tidy{} }})
	catalogue := pipelines.NewCatalogue(pipelines.NewCompiler(registry, pipelines.Options{}))
	findings := catalogue.Add("work.yaml", []byte("steps:\n  - handler: Work\n"))
	for _, f := range shipped.Files() {
		if w.tidies && f.Name == "ExecuteWorkQueue.yaml" {
			f.Data = append(slices.Clone(f.Data), "  - handler: Tidy\n"...)
		}
		findings = append(findings, catalogue.Add(f.Name, f.Data)...)
	}
	if err := strictyaml.Findings(findings).Err(); err != nil {
		w.t.Fatal(err)
	}
	var err error
	p.process, err = workerprocess.New(context.Background(), workerprocess.Options{
		Store: p, Link: link, Catalogue: catalogue, Log: zerolog.Nop(),
		Engine:    pipelines.NewEngine(pipelines.EngineOptions{WorkerName: name, Log: zerolog.Nop()}),
		Spec:      workqueue.WorkerSpec{Name: name, Version: "simulated", Capacity: capacity, Lease: time.Minute},
		Heartbeat: 20 * time.Second, ShutdownGrace: 10 * time.Second,
		Finished: func(*workqueue.Item, workqueue.Outcome, time.Duration) {},
	})
	if err == nil {
		err = p.process.Start(context.Background())
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// tidy is a step of the pipeline after those that run items.
type tidy struct{}

func (tidy) Handle(context.Context, *handlers.Call) (any, error) {
	time.Sleep(10 * time.Millisecond)
	return nil, nil
}

// Handle implements handlers.Handler: a run takes the time in its payload.
func (p *noticeProcess) Handle(_ context.Context, call *handlers.Call) (any, error) {
	w := p.w
	w.mu.Lock()
	at := len(w.runs)
	w.runs = append(w.runs, noticeRun{in: p, from: time.Now()})
	w.item(call.ItemID).started = time.Now()
	w.mu.Unlock()
	w.log("%s: item %d starts", p.name, call.ItemID)
	payload := call.Payload.(map[string]any)
	time.Sleep(time.Duration(payload["ms"].(int)) * time.Millisecond)
	w.mu.Lock()
	w.runs[at].to = time.Now()
	w.mu.Unlock()
	w.log("%s: item %d ends", p.name, call.ItemID)
	if payload["fails"] == true && call.Attempt == 1 {
		return nil, errLost
	}
	return nil, nil
}

// item returns what is known of an item. w.mu is held.
func (w *noticeWorld) item(id int64) *noticeItem {
	if w.items[id] == nil {
		w.items[id] = &noticeItem{notified: map[*noticeProcess]time.Time{}}
	}
	return w.items[id]
}

// judge compares when items started with when processes were notified of them.
func (w *noticeWorld) judge() {
	for id, it := range w.items {
		for p, at := range it.notified {
			until := at.Add(noticeBound)
			if !it.started.IsZero() && !it.started.After(until) {
				continue
			}
			if running := w.most(p, at, until); running < p.capacity {
				w.violation("item %d started %s after %s was notified of it at %s, with at most %d of %d slots in use",
					id, it.started.Sub(at), p.name, at.Format("15:04:05.000"), running, p.capacity)
			}
		}
	}
}

// most returns how many items ran at the same time in a process, at most, during a time.
func (w *noticeWorld) most(p *noticeProcess, from, until time.Time) (most int) {
	for _, at := range w.runs {
		running := 0
		moment := at.from
		if moment.Before(from) {
			moment = from
		}
		for _, r := range w.runs {
			if r.in == p && !r.from.After(moment) && (r.to.IsZero() || r.to.After(moment)) {
				running++
			}
		}
		if !moment.After(until) {
			most = max(most, running)
		}
	}
	return most
}

// delay waits as long as a part of a statement takes.
func (p *noticeProcess) delay(op string) {
	p.mu.Lock()
	p.calls++
	d := roll(p.w.seed, p.name+" "+op, p.calls)
	p.mu.Unlock()
	time.Sleep(d.between(50*time.Microsecond, 800*time.Microsecond))
}

func (p *noticeProcess) enqueue(it workqueue.NewItem) {
	p.delay("Enqueue")
	before := time.Now()
	added, err := p.Enqueue(context.Background(), []workqueue.NewItem{it})
	if err != nil {
		p.w.t.Error(err)
		return
	}
	p.w.log("item %d is enqueued by %s", added[0].ID, p.name)
	if it.In > 0 {
		due := before.Add(it.In)
		for _, p := range p.w.all {
			p.w.notify(p, added[0].ID, due)
		}
	} else if p.report != nil {
		p.w.notify(p, added[0].ID, time.Now())
	}
	if it.In <= workqueue.SoonDue {
		n, of := workqueue.Notice{Band: workqueue.Band{Min: it.Priority, Max: it.Priority}, Soon: it.In > 0}, map[int64][]int64{}
		if !n.Soon {
			of[0] = []int64{added[0].ID}
		}
		p.w.announce(p, n, of)
	}
	p.delay("Enqueue")
}

func (w *noticeWorld) notify(p *noticeProcess, item int64, at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	it := w.item(item)
	if it.notified[p].IsZero() {
		it.notified[p] = at
	}
}

// announce sends a notice to the other processes, as PostgreSQL does. items are those that it is
// about, by the worker that they are assigned to, or by 0. Some notices of new items get lost.
func (w *noticeWorld) announce(from *noticeProcess, n workqueue.Notice, items map[int64][]int64) {
	n.Others = true
	for _, p := range w.all {
		p.mu.Lock()
		p.calls++
		d, report := roll(w.seed, p.name+" notice", p.calls), p.report
		p.mu.Unlock()
		if p == from || report == nil || len(items[0]) > 0 && !n.Soon && d.chance(10) {
			continue
		}
		time.AfterFunc(d.between(20*time.Microsecond, 3*time.Millisecond), func() {
			for _, item := range slices.Concat(items[0], items[p.id]) {
				w.log("%s is notified of item %d", p.name, item)
				w.notify(p, item, time.Now())
			}
			report(n)
		})
	}
}

// Listen implements workqueue.WaitingStore.
func (p *noticeProcess) Listen(ctx context.Context, report func(workqueue.Notice), trouble func(error)) error {
	p.mu.Lock()
	p.report = report
	p.mu.Unlock()
	return p.Store.Listen(ctx, func(n workqueue.Notice) {
		if n.Others {
			return
		}
		report(n)
		if n.Band == workqueue.EveryPriority && len(n.Ended) == 0 { // the others are those of enqueue
			p.w.announce(p, n, nil)
		}
	}, trouble)
}

// statement is a statement with its time before and after it.
func statement[T any](p *noticeProcess, op string, do func() (T, error)) (T, error) {
	p.delay(op)
	defer p.delay(op)
	return do()
}

func (p *noticeProcess) RegisterWorker(ctx context.Context, spec workqueue.WorkerSpec) (workqueue.Worker, error) {
	worker, err := p.Store.RegisterWorker(ctx, spec)
	p.id = worker.ID
	return worker, err
}

func (p *noticeProcess) Ready(ctx context.Context, worker int64, band workqueue.Band) (workqueue.Readiness, time.Duration, error) {
	p.delay("Ready")
	defer p.delay("Ready")
	return p.Store.Ready(ctx, worker, band)
}

func (p *noticeProcess) ReadUnlocked(ctx context.Context, read func(context.Context, workqueue.AssignView) error) error {
	_, err := statement(p, "ReadUnlocked", func() (struct{}, error) { return struct{}{}, p.Store.ReadUnlocked(ctx, read) })
	return err
}

// Assign sends a notice to the workers that the pass has assigned items to.
func (p *noticeProcess) Assign(ctx context.Context, pass func(context.Context, workqueue.AssignTx) error) error {
	var to map[int64][]int64
	_, err := statement(p, "Assign", func() (struct{}, error) {
		return struct{}{}, p.Store.Assign(ctx, func(ctx context.Context, tx workqueue.AssignTx) error {
			to = map[int64][]int64{}
			return pass(ctx, noticeTx{tx, to})
		})
	})
	if err == nil && len(to) > 0 {
		p.w.announce(p, workqueue.Notice{Band: workqueue.EveryPriority, Workers: slices.Sorted(maps.Keys(to))}, to)
	}
	return err
}

type noticeTx struct {
	workqueue.AssignTx
	to map[int64][]int64 // items by their worker
}

func (tx noticeTx) Write(ctx context.Context, assignments []workqueue.Assignment) (int, error) {
	for i := range assignments {
		a := &assignments[i]
		tx.to[a.WorkerID] = append(tx.to[a.WorkerID], a.ItemID)
	}
	return tx.AssignTx.Write(ctx, assignments)
}

func (p *noticeProcess) ClaimPass(ctx context.Context, passes int64, assignments []workqueue.Assignment, c workqueue.PassClaim) (claimed workqueue.Claimed, done bool, err error) {
	p.delay("ClaimPass")
	defer p.delay("ClaimPass")
	return p.Store.ClaimPass(ctx, passes, assignments, c)
}

func (p *noticeProcess) Claim(ctx context.Context, r workqueue.ClaimParams) ([]workqueue.Item, error) {
	return statement(p, "Claim", func() ([]workqueue.Item, error) { return p.Store.Claim(ctx, r) })
}

func (p *noticeProcess) Begin(ctx context.Context, b workqueue.BeginParams) ([]int64, error) {
	return statement(p, "Begin", func() ([]int64, error) { return p.Store.Begin(ctx, b) })
}

func (p *noticeProcess) Finish(ctx context.Context, worker int64, instance string, ends []workqueue.Finish) ([]int64, error) {
	lost, err := statement(p, "Finish", func() ([]int64, error) { return p.Store.Finish(ctx, worker, instance, ends) })
	for i := range ends {
		f := &ends[i]
		if err != nil {
			continue
		}
		p.w.log("%s has written the end of item %d: %s", p.name, f.ItemID, f.State)
		p.w.mu.Lock()
		if f.State != workqueue.Ready {
			if p.w.left--; p.w.left == 0 {
				close(p.w.done)
			}
			p.w.mu.Unlock()
			continue
		}
		it := p.w.item(f.ItemID)
		clear(it.notified)
		for _, q := range p.w.all {
			if f.Delay > 0 {
				it.notified[q] = time.Now().Add(f.Delay)
			}
		}
		p.w.mu.Unlock()
		if f.Returned() { // its own process looks for other items
			p.w.announce(p, workqueue.Notice{Band: workqueue.EveryPriority, Soon: true}, map[int64][]int64{0: {f.ItemID}})
		}
	}
	return lost, err
}

func (p *noticeProcess) ClaimFiring(ctx context.Context, f workqueue.Firing) (workqueue.FiringClaim, error) {
	return statement(p, "ClaimFiring", func() (workqueue.FiringClaim, error) { return p.Store.ClaimFiring(ctx, f) })
}

func (p *noticeProcess) RecordFirings(ctx context.Context, fs []workqueue.Firing) error {
	_, err := statement(p, "RecordFirings", func() (struct{}, error) { return struct{}{}, p.Store.RecordFirings(ctx, fs) })
	return err
}
