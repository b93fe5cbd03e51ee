package simulation

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"testing"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/matching"
	"botwork/workqueue/sqlstore"
)

const (
	shareEvents = 90 // in a history, beside those in the midst of others
	shareCrowd  = 700
	shareBatch  = 3 // items that run together at the most
)

// shareWorld is a cluster whose queues have shares. Its processes make passes, die between two
// statements, and are replaced; items come, end and are cancelled, and queues are paused and become
// empty. One event happens at a time, but a pass may begin between two statements of another one.
type shareWorld struct {
	chronicle
	t     *testing.T
	seed  uint64
	store *sqlstore.Store
	eyes  *sql.DB

	shares    map[string]int // of each queue; 0: it has none
	limited   string         // the queue with a limit; "": none
	stuck     string         // the queue of which some items can run nowhere; "": none
	crowded   bool           // one queue has more items than a pass reads
	together  string         // the queue whose items run together; "": none
	scheduled string         // the queue whose items become due later; "": none
	dry       map[string]int // queues that get no items, and for how many events
	processes []*shareProcess
	started   int
	calls     int
	nested    bool
	epochs    map[string]*shareEpoch // by kind
	assigned  int
	exact     int // that were compared with the shares
	passes    int
}

// shareProcess is one process of the cluster. It is the store of its own passes.
type shareProcess struct {
	*sqlstore.Store
	w        *shareWorld
	name     string
	id       int64
	capacity int
	dead     bool
	runs     []shareRun
	base     *passBase // what its pass read last
	ahead    bool      // its pass bounds what a worker gets
	alone    *assign.SelfAssign
}

// shareRun is a run of an item and, if it leads a batch, of those that have joined it.
type shareRun struct {
	items []workqueue.Item
	ends  time.Time
}

func shareHistory(t *testing.T, seed uint64, statements fs.FS) *chronicle {
	w := &shareWorld{
		chronicle: chronicle{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}, t: t, seed: seed,
		dry: map[string]int{}, epochs: map[string]*shareEpoch{},
	}
	w.store, w.eyes = openMemory(t, statements, w.clock)
	w.live()
	if err := errors.Join(w.eyes.Close(), w.store.Close()); err != nil {
		t.Error(err)
	}
	return &w.chronicle
}

func (w *shareWorld) live() {
	d := roll(w.seed, "shares", 0)
	w.shares = []map[string]int{
		{"a": 2, "b": 1}, {"a": 3, "b": 1, "c": 1}, {"a": 2, "b": 1, "free": 0}, {"a": 3, "b": 1, "c": 1, "free": 0},
		{"a": 5, "b": 3, "c": 1, "free": 0},
	}[d.IntN(5)]
	switch what := d.IntN(10); what {
	case 0:
		w.crowded = true
	case 1, 2:
		w.limited = "b"
	case 3, 4, 5:
		w.stuck = "a"
	}
	switch {
	case w.seed%4 == 3:
		w.together = "b"
	case w.seed%8 == 2:
		w.scheduled = "b"
	}
	var queues []workqueue.Queue
	for _, name := range slices.Sorted(maps.Keys(w.shares)) {
		q := workqueue.Queue{Name: name}
		if share := w.shares[name]; share > 0 {
			q.Distribution = workqueue.JSONText(fmt.Sprintf(`{"share":%d}`, share))
		}
		if name == w.limited {
			q.Concurrency = 2
		}
		queues = append(queues, q)
	}
	if _, err := w.store.DefineQueues(ctx, queues, "simulation"); err != nil {
		w.t.Fatal(err)
	}
	w.log("the shares are %v, limited %q, stuck %q, crowded %t, together %q, scheduled %q", w.shares, w.limited, w.stuck, w.crowded, w.together, w.scheduled)
	for range 2 + d.IntN(2) {
		w.start(d)
	}
	events := shareEvents
	if w.crowded {
		events /= 3
	}
	for n := 0; n < events && len(w.violations) == 0; n++ {
		d := roll(w.seed, "event", n)
		w.now = w.now.Add(d.between(200*time.Millisecond, 3*time.Second))
		w.fill(d)
		w.end()
		if d.chance(20) {
			w.trouble(d)
		}
		if p := w.processes[d.IntN(len(w.processes))]; !p.dead {
			p.pass(d)
		}
		w.processes = slices.DeleteFunc(w.processes, func(p *shareProcess) bool { return p.dead })
		for len(w.processes) < 2 {
			w.start(d)
		}
	}
	if w.assigned == 0 {
		w.violation("no items were assigned")
	}
}

// start starts a process, under a name of its own.
func (w *shareWorld) start(d dice) {
	w.started++
	p := &shareProcess{Store: w.store, w: w, name: fmt.Sprintf("w%d", w.started), capacity: 1 + d.IntN(4)}
	worker, err := w.store.RegisterWorker(ctx, workqueue.WorkerSpec{
		Name: p.name, InstanceID: p.name, Host: "host", PID: w.started, Capacity: p.capacity, Lease: time.Hour,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	p.id = worker.ID
	w.log("%s starts with %d slots", p.name, p.capacity)
	w.processes = append(w.processes, p)
}

// fill adds items to the queues that have few, except to those that are dry.
func (w *shareWorld) fill(d dice) {
	for _, queue := range slices.Sorted(maps.Keys(w.shares)) {
		if w.dry[queue]--; w.dry[queue] > 0 {
			continue
		}
		var waiting int
		if err := w.eyes.QueryRow("SELECT COUNT(*) FROM BotWorkQueueItems WHERE State IN (0, 4) AND Selectors IS NULL AND QueueName = ?", queue).Scan(&waiting); err != nil {
			w.t.Fatal(err)
		}
		few, n := 15, 30
		if w.crowded && queue == "a" {
			few, n = shareCrowd, shareCrowd
		}
		if w.shares[queue] == 0 { // they come first where their priority is the highest
			few, n = 2, d.IntN(3)
		}
		if waiting < few {
			w.enqueue(d, queue, n)
		}
	}
}

func (w *shareWorld) enqueue(d dice, queue string, n int) {
	items := make([]workqueue.NewItem, n)
	for i := range items {
		items[i] = workqueue.NewItem{QueueName: queue, State: workqueue.Pending, IntegrationConfig: "Work", Priority: []int{500, 700, 900, 1000}[d.IntN(4)]}
		switch {
		case w.crowded && queue == "a":
			items[i].Priority = 900
		case w.crowded:
			items[i].Priority = 500 + d.IntN(300)
		case d.chance(4):
			items[i].Priority = 1001 + d.IntN(500)
		case d.chance(20):
			items[i].Priority = 1 + d.IntN(499)
		}
		if queue == w.stuck && d.chance(10) {
			items[i].Selectors = []matching.Selector{{Key: "gpu", Operator: matching.Exists}} // no worker has it
		}
		if d.chance(30) {
			items[i].Estimate = d.between(time.Second, time.Hour)
		}
		if queue == w.scheduled {
			items[i].In = time.Second
		}
		if queue == w.together {
			items[i].Batch = &workqueue.ItemBatch{Key: []string{"x", "y", "z"}[i%3], Max: shareBatch}
		}
	}
	if n > 0 {
		if _, err := w.store.Enqueue(ctx, items); err != nil {
			w.t.Fatal(err)
		}
		w.log("%d items of %s are enqueued", n, queue)
	}
}

// trouble disturbs a queue or a process.
func (w *shareWorld) trouble(d dice) {
	queue := slices.Sorted(maps.Keys(w.shares))[d.IntN(len(w.shares))]
	switch d.IntN(4) {
	case 0:
		w.log("all waiting items of %s are cancelled", queue)
		w.dry[queue] = 3 + d.IntN(8)
		w.exec("UPDATE BotWorkQueueItems SET State = 3 WHERE State IN (0, 4) AND QueueName = ?", queue)
	case 1:
		w.log("the queue %s is paused or resumed", queue)
		w.exec("UPDATE BotQueues SET Paused = 1 - Paused WHERE Name = ?", queue)
	case 2:
		p := w.processes[d.IntN(len(w.processes))]
		p.kill()
	case 3:
		w.log("the waiting items of %s become urgent", queue)
		w.exec("UPDATE BotWorkQueueItems SET Priority = 1400 WHERE State IN (0, 4) AND QueueName = ? AND Id % 5 = 0", queue)
	}
}

func (w *shareWorld) exec(statement string, args ...any) {
	if _, err := w.eyes.Exec(statement, args...); err != nil {
		w.t.Fatal(err)
	}
}

// kill ends a process. What it held is found some seconds later.
func (p *shareProcess) kill() {
	if p.dead {
		return
	}
	p.dead = true
	p.w.log("%s is killed", p.name)
	until := p.w.now.Add(5 * time.Second).Format("2006-01-02 15:04:05.000")
	p.w.exec("UPDATE BotWorkers SET LeaseExpiresAt = ? WHERE Id = ?", until, p.id)
	p.w.exec("UPDATE BotWorkQueueItems SET LeaseExpiresAt = ? WHERE State = 1 AND WorkerId = ?", until, p.id)
}

// end ends the runs whose time has come.
func (w *shareWorld) end() {
	for _, p := range w.processes {
		var ends []workqueue.Finish
		p.runs = slices.DeleteFunc(p.runs, func(r shareRun) bool {
			over := !p.dead && !r.ends.After(w.now)
			for i := range r.items {
				if over {
					it := &r.items[i]
					ends = append(ends, workqueue.Finish{ItemID: it.ID, Fence: it.Fence, QueueName: it.QueueName, State: workqueue.Processed})
				}
			}
			return over
		})
		if len(ends) > 0 {
			if lost, err := w.store.Finish(ctx, p.id, p.name, ends); err != nil || len(lost) > 0 {
				w.violation("%s lost %v: %v", p.name, lost, err)
			}
		}
	}
}

// pass makes a pass in the process, and begins what it got.
func (p *shareProcess) pass(d dice) {
	params := assign.AssignParams{FreeSlots: d.chance(30)}
	switch d.IntN(4) {
	case 0:
		params.Band = workqueue.Band{Min: workqueue.MediumPriority, Max: workqueue.EveryPriority.Max}
	case 1:
		params.Band = workqueue.Band{Min: workqueue.EveryPriority.Min, Max: workqueue.MediumPriority - 1}
	}
	free := p.capacity - len(p.runs)
	if d.chance(50) && free > 0 {
		params.Claim = &workqueue.PassClaim{
			WorkerID: p.id, InstanceID: p.name, Lease: time.Hour, Band: workqueue.EveryPriority, Max: free, Begin: free, Within: time.Hour, Ahead: d.chance(20),
		}
	}
	p.ahead = params.Claim != nil && params.Claim.Ahead
	if sa := p.alone; sa != nil && params.Claim != nil {
		p.base = nil
		if _, done, err := sa.Assign(ctx, p, params); err == nil && done {
			p.w.log("%s has made a pass alone", p.name)
		}
		p.alone = nil
	}
	if p.dead {
		return
	}
	result, alone, err := params.Pass(ctx, p)
	if err != nil || p.dead {
		return
	}
	p.alone = alone
	p.w.passes++
	items := result.Claimed
	if free -= len(items); free > 0 {
		claimed, err := p.w.store.Claim(ctx, workqueue.ClaimParams{WorkerID: p.id, InstanceID: p.name, Band: workqueue.EveryPriority, Max: free, Lease: time.Hour})
		if err != nil {
			p.w.violation("claim: %v", err)
		}
		items = append(items, claimed...)
	}
	for _, it := range items {
		ends := p.w.now.Add(d.between(time.Second, 12*time.Second))
		p.runs = append(p.runs, shareRun{append(p.join(&it), it), ends})
	}
}

// join claims the items that run together with a claimed one.
func (p *shareProcess) join(leader *workqueue.Item) []workqueue.Item {
	if leader.BatchKey == nil {
		return nil
	}
	joined, err := p.w.store.Join(ctx, workqueue.JoinParams{
		WorkerID: p.id, InstanceID: p.name, Leader: workqueue.ItemRef{ItemID: leader.ID, Fence: leader.Fence}, Lease: time.Hour, Max: shareBatch - 1,
	})
	if err != nil {
		p.w.violation("join: %v", err)
	}
	return joined
}

// call is one statement of the process: it takes time, other things happen before it, and the
// process may die before or after it.
func (p *shareProcess) call(do func() error) error {
	w := p.w
	w.calls++
	d := roll(w.seed, "call", w.calls)
	if p.dead {
		return errGone
	}
	if !w.nested && d.chance(15) {
		w.nested = true
		w.meanwhile(p, d)
		w.nested = false
	}
	if d.chance(2) {
		p.kill()
	}
	if p.dead {
		return errGone
	}
	w.now = w.now.Add(d.between(time.Millisecond, 40*time.Millisecond))
	err := do()
	if err == nil && d.chance(2) {
		p.kill()
		return errGone
	}
	return err
}

// meanwhile is what happens between two statements of a process.
func (w *shareWorld) meanwhile(of *shareProcess, d dice) {
	w.log("while %s makes a pass:", of.name)
	w.end()
	if other := w.processes[d.IntN(len(w.processes))]; other != of && !other.dead && d.chance(70) {
		other.pass(d)
		return
	}
	w.trouble(d)
}

func (p *shareProcess) ReadUnlocked(ctx context.Context, read func(context.Context, workqueue.AssignView) error) error {
	return p.call(func() error {
		return p.Store.ReadUnlocked(ctx, func(ctx context.Context, view workqueue.AssignView) error {
			return read(ctx, &shareView{view, p})
		})
	})
}

func (p *shareProcess) Assign(ctx context.Context, pass func(context.Context, workqueue.AssignTx) error) error {
	return p.call(func() error {
		tx := &shareTx{p: p}
		err := p.Store.Assign(ctx, func(ctx context.Context, real workqueue.AssignTx) error {
			tx.AssignTx, tx.planned = real, nil
			return pass(ctx, tx)
		})
		if err == nil && tx.passed {
			p.w.judge(p, tx.planned)
		}
		return err
	})
}

func (p *shareProcess) ClaimPass(ctx context.Context, passes int64, assignments []workqueue.Assignment, c workqueue.PassClaim) (claimed workqueue.Claimed, done bool, err error) {
	err = p.call(func() (err error) {
		claimed, done, err = p.Store.ClaimPass(ctx, passes, assignments, c)
		if err == nil && done {
			p.w.judge(p, assignments)
		}
		return err
	})
	return claimed, done, err
}

// shareView records what a pass reads.
type shareView struct {
	workqueue.AssignView
	p *shareProcess
}

func (v *shareView) ReadPass(ctx context.Context, q workqueue.PassQuery) (workqueue.PassInput, error) {
	v.p.base = readBase(ctx, v.AssignView, v.p.w, q)
	return v.AssignView.ReadPass(ctx, q)
}

// shareTx records what a pass plans.
type shareTx struct {
	workqueue.AssignTx
	p       *shareProcess
	planned []workqueue.Assignment
	passed  bool // it has written
}

func (tx *shareTx) ReadPass(ctx context.Context, q workqueue.PassQuery) (workqueue.PassInput, error) {
	tx.p.base = readBase(ctx, tx.AssignTx, tx.p.w, q)
	return tx.AssignTx.ReadPass(ctx, q)
}

func (tx *shareTx) Write(ctx context.Context, list []workqueue.Assignment) (int, error) {
	tx.planned, tx.passed = append(tx.planned, list...), true
	return tx.AssignTx.Write(ctx, list)
}

func (tx *shareTx) AssignAndClaim(ctx context.Context, list []workqueue.Assignment, c workqueue.PassClaim) ([]workqueue.Item, error) {
	tx.planned, tx.passed = append(tx.planned, list...), true
	return tx.AssignTx.AssignAndClaim(ctx, list, c)
}

func TestShares(t *testing.T) {
	eachChronicle(t, func(seed uint64) *chronicle { return shareHistory(t, seed, nil) })
}
