package simulation

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/escalation"
	"botwork/workqueue/matching"
	"botwork/workqueue/sqlstore"
)

const (
	escalationLife  = 14 * time.Minute // of the trouble
	escalationEvery = time.Minute      // how often each process applies the rules
)

// queueRules and pipelineRules are the rules from which a history draws those of its queue and of
// its pipeline. The conditions are known to the judge.
var (
	queueRules = []string{
		`{"name":"late","after":"2m","raise":{"by":100,"to":1250,"every":"1m"}}`,
		`{"name":"jump","after":"3m","raise":{"to":1200}}`,
		`{"name":"more","after":"4m","raise":{"by":50}}`,
		`{"name":"busy","when":"oldest > 3m","raise":{"by":10,"to":2000,"every":"2m"}}`,
		`{"name":"overflow","when":"length > 5","moveTo":"other","keep":5}`,
		`{"name":"away","after":"6m","moveTo":"other"}`,
		`{"name":"anywhere","after":"3m","relax":["gpu"]}`,
		`{"name":"all","after":"4m","when":"length > 3","relax":["*"]}`,
		`{"name":"old","after":"8m","cancel":true}`,
		`{"name":"watch","after":"2m","notify":true}`,
		`{"name":"slow","when":"oldest > 4m","notify":true}`,
		`{"name":"full","when":"length > 8","notify":true}`,
	}
	pipelineRules = []string{
		`{"name":"soon","after":"2m","raise":{"to":1300}}`, `{"name":"gone","after":"7m","cancel":true}`, `{"name":"call","after":"1m","notify":true}`,
		`{"name":"many","when":"length > 4 and running == 0","notify":true}`,
	}
)

// escalationWorld is a cluster whose processes apply rules of escalation, while items come, run,
// fail and are changed by people. One event happens at a time, but others may happen between two
// statements of a pass over the rules. A process may die or lose an answer at each of them.
type escalationWorld struct {
	chronicle
	t     *testing.T
	seed  uint64
	store *sqlstore.Store
	eyes  *sql.DB

	// stale means that statements that look for items read a copy that is a moment old, as on
	// engines where others write between the statement that reads and the one that changes.
	stale bool

	localClock bool // the database uses its clients' clocks
	skew       time.Duration

	pipeline  []workqueue.Escalation // rules
	processes []*escalator
	started   int
	calls     int
	nested    bool
	calm      bool

	worker workqueue.Worker // runs the items
	runs   []workqueue.Item

	judge *escalationJudge
}

// escalator is a process that applies the rules.
type escalator struct {
	*sqlstore.Store
	w       *escalationWorld
	name    string
	skew    time.Duration // how far its clock is ahead
	dead    bool
	next    time.Time
	figures map[string]escalation.Figures // that its pass has read
	owed    map[string]bool               // rules that it may apply and has not applied yet
}

func escalationHistory(t *testing.T, seed uint64, tr trial) *chronicle {
	d := roll(seed, "escalation", 0)
	w := &escalationWorld{chronicle: chronicle{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}, t: t, seed: seed, stale: d.chance(80), localClock: tr.localClock}
	w.judge = newEscalationJudge(w)
	w.store, w.eyes = openMemory(t, w.edition(tr), func() time.Time {
		if w.localClock {
			return w.clock().Add(w.skew)
		}
		return w.clock()
	})
	for copied, table := range staleTables {
		w.exec("CREATE TABLE " + copied + " AS SELECT * FROM " + table)
		w.exec("CREATE TABLE " + copied + "Outer AS SELECT * FROM " + table)
	}
	w.define(d)
	w.live()
	if err := errors.Join(w.eyes.Close(), w.store.Close()); err != nil {
		t.Error(err)
	}
	return &w.chronicle
}

// staleTables are copies of what the statements read that look for items.
var staleTables = map[string]string{
	"SimulationItems": "BotWorkQueueItems", "SimulationSteps": "BotItemEscalations", "SimulationQueues": "BotQueues",
}

// edition returns the statements of the history.
func (w *escalationWorld) edition(tr trial) fs.FS {
	edition, err := tr.edition(w.seed)
	if err != nil {
		w.t.Fatal(err)
	}
	if w.stale {
		for _, file := range []string{"queries/escalation_due", "queries/escalation_due_pipeline", "queries/escalation_beyond", "fragments/escalation_half"} {
			path := "sqlite/" + file + ".sql"
			text, err := fs.ReadFile(edition, path)
			if err != nil {
				w.t.Fatal(err)
			}
			for copied, table := range staleTables {
				text = []byte(strings.ReplaceAll(string(text), table, copied))
			}
			edition.(fstest.MapFS)[path] = &fstest.MapFile{Data: text}
		}
	}
	return edition
}

func (w *escalationWorld) define(d dice) {
	draw := func(from []string, n int) []escalation.Rule {
		var list []string
		for _, i := range d.Perm(len(from))[:n] {
			list = append(list, from[i])
		}
		rules, err := escalation.Parse("[" + strings.Join(list, ",") + "]")
		if err != nil {
			w.t.Fatal(err)
		}
		return rules
	}
	rules := draw(queueRules, 2+d.IntN(3))
	w.pipeline = workqueue.EscalationsOf(workqueue.EscalatePipeline, "Voice", draw(pipelineRules, d.IntN(3)))
	_, err := w.store.DefineQueues(ctx, []workqueue.Queue{
		{Name: "slow", Escalation: workqueue.JSONText(escalation.JSON(rules))}, {Name: "other", PriorityOffset: otherOffset},
	}, "simulation")
	if err != nil {
		w.t.Fatal(err)
	}
	w.judge.define(append(workqueue.EscalationsOf(workqueue.EscalateQueue, "slow", rules), w.pipeline...))
	if w.worker, err = w.store.RegisterWorker(ctx, workqueue.WorkerSpec{Name: "w", InstanceID: "w", Host: "host", PID: 1, Capacity: 3, Lease: 24 * time.Hour}); err != nil {
		w.t.Fatal(err)
	}
	w.log("the rules are %s and %v, outdated reads: %t", escalation.JSON(rules), w.pipeline, w.stale)
}

// otherOffset is the priority offset of the queue "other".
const otherOffset = -50

func (w *escalationWorld) live() {
	end := w.now.Add(escalationLife)
	for n := 0; w.now.Before(end) && len(w.violations) == 0; n++ {
		d := roll(w.seed, "event", n)
		w.now = w.now.Add(d.between(time.Second, 8*time.Second))
		w.event(d)
		w.tick(d)
	}
	w.log("the trouble ends")
	w.calm = true
	w.exec("UPDATE BotQueues SET Paused = 0")
	for n := 0; len(w.violations) == 0; n++ {
		d := roll(w.seed, "calm", n)
		w.now = w.now.Add(20 * time.Second)
		w.tick(d)
		switch {
		case n < 9: // what the crashed processes have left must be made up for
		case n == 9:
			w.judge.settled()
		default:
			w.work(d)
		}
		var open int
		err := w.eyes.QueryRow("SELECT COUNT(*) FROM BotWorkQueueItems WHERE State NOT IN (2, 3) AND DeletedAt IS NULL AND Selectors IS NULL").Scan(&open)
		switch {
		case err != nil:
			w.t.Fatal(err)
		case n > 9 && open == 0:
			return
		case n > 1000:
			w.violation("%d items have not ended", open)
		}
	}
}

// tick lets the processes apply the rules whose minute is over.
func (w *escalationWorld) tick(d dice) {
	for len(w.processes) < 2 {
		w.start(d)
	}
	for _, p := range w.processes {
		if !p.dead && !w.now.Before(p.next) {
			p.next = w.now.Add(escalationEvery)
			p.pass()
		}
	}
	w.processes = slices.DeleteFunc(w.processes, func(p *escalator) bool { return p.dead })
}

func (w *escalationWorld) start(d dice) {
	w.started++
	w.processes = append(w.processes, &escalator{
		Store: w.store, w: w, name: fmt.Sprintf("p%d", w.started), skew: d.between(-time.Hour, time.Hour), next: w.now.Add(d.between(0, escalationEvery)),
	})
}

func (w *escalationWorld) exec(statement string, args ...any) {
	if _, err := w.eyes.Exec(statement, args...); err != nil {
		w.t.Fatal(err)
	}
}

// event is one change by a person, a worker or an application.
func (w *escalationWorld) event(d dice) { w.happens(d, d.IntN(100)) }

// withhold lets a person change an item, or pause the queue.
func (w *escalationWorld) withhold(d dice) { w.happens(d, 60+d.IntN(20)) }

// interfere changes an item that a rule has found. prefersPriority means that the rule leaves an item
// alone whose priority has changed.
func (w *escalationWorld) interfere(d dice, id int64, prefersPriority bool) {
	now, what := w.now.Format("2006-01-02 15:04:05.000"), d.IntN(5)
	if prefersPriority && d.chance(50) {
		what = 3
	}
	switch what {
	case 4:
		w.log("item %d, which was found, is postponed", id)
		w.exec("UPDATE BotWorkQueueItems SET AvailableAt = ? WHERE Id = ?", w.now.Add(d.between(2*time.Minute, 3*time.Minute)).Format("2006-01-02 15:04:05.000"), id)
	case 3:
		w.log("item %d, which was found, has another priority", id)
		w.exec("UPDATE BotWorkQueueItems SET Priority = Priority - 7 WHERE Id = ?", id)
	case 0:
		w.log("item %d, which was found, is hidden", id)
		w.exec("UPDATE BotWorkQueueItems SET DeletedAt = ? WHERE Id = ?", now, id)
	case 1: // as a pass does: it does not change the version
		w.log("item %d, which was found, is assigned", id)
		w.exec("UPDATE BotWorkQueueItems SET State = 5, WorkerId = ?, AssignedAt = ? WHERE Id = ? AND State IN (0, 4)", w.worker.ID, now, id)
	case 2:
		w.log("item %d, which was found, has another tag", id)
		_, err := w.store.ChangeItem(ctx, id, workqueue.Change{Action: workqueue.Update, Update: &workqueue.ItemUpdate{AddTags: []string{fmt.Sprint("seen-", w.calls)}}})
		if err != nil {
			w.violation("change item %d: %v", id, err)
		}
	}
}

func (w *escalationWorld) happens(d dice, what int) {
	var id int64
	_ = w.eyes.QueryRow("SELECT Id FROM BotWorkQueueItems WHERE State IN (0, 4, 5) ORDER BY (Id * 7919) % 101, Id LIMIT 1 OFFSET ?", d.IntN(8)).Scan(&id)
	switch {
	case what < 20:
		w.enqueue(d)
	case what < 60 || id == 0:
		w.work(d)
	case what < 66:
		w.log("the queue slow is paused or resumed")
		w.exec("UPDATE BotQueues SET Paused = 1 - Paused WHERE Name = 'slow'")
	case what < 72:
		w.log("item %d is postponed", id)
		w.exec("UPDATE BotWorkQueueItems SET AvailableAt = ? WHERE Id = ?", w.now.Add(d.between(10*time.Second, time.Minute)).Format("2006-01-02 15:04:05.000"), id)
	case what < 76:
		w.log("item %d is hidden", id)
		w.exec("UPDATE BotWorkQueueItems SET DeletedAt = ? WHERE Id = ?", w.now.Format("2006-01-02 15:04:05.000"), id)
	case what < 80:
		w.log("item %d has another priority", id)
		w.exec("UPDATE BotWorkQueueItems SET Priority = ? WHERE Id = ?", 400+100*d.IntN(12), id)
	case what < 84:
		w.log("item %d is cancelled", id)
		_, _ = w.store.ChangeItem(ctx, id, workqueue.Change{Action: workqueue.Cancel})
	case what < 88:
		w.log("cancelled items are repeated")
		var over int64
		if w.eyes.QueryRow("SELECT MAX(Id) FROM BotWorkQueueItems WHERE State = 3 AND DeletedAt IS NULL").Scan(&over) == nil {
			_, _ = w.store.ChangeItem(ctx, over, workqueue.Change{Action: workqueue.Repeat})
		}
	case what < 92 && len(w.processes) > 0:
		w.processes[d.IntN(len(w.processes))].kill()
	}
}

func (w *escalationWorld) enqueue(d dice) {
	items := make([]workqueue.NewItem, 1+d.IntN(3))
	for i := range items {
		items[i] = workqueue.NewItem{
			QueueName: "slow", State: []workqueue.State{workqueue.Ready, workqueue.Pending}[d.IntN(2)], IntegrationConfig: []string{"Work", "Voice"}[d.IntN(2)],
			Priority: []int{300, 500, 700, 1000, 1150, 1240, 1500}[d.IntN(7)],
		}
		if d.chance(25) {
			items[i].In = d.between(10*time.Second, 2*time.Minute)
		}
		if d.chance(15) {
			items[i].Deadline = w.now.Add(24 * time.Hour).Truncate(time.Millisecond)
		}
		if d.chance(40) {
			items[i].Selectors = []matching.Selector{{Key: "gpu", Operator: matching.Exists}}
			if d.chance(50) {
				items[i].Selectors = append(items[i].Selectors, matching.Selector{Key: "site", Operator: matching.Exists})
			}
		}
		if d.chance(20) {
			items[i].QueueName, items[i].Selectors = "other", nil
		}
	}
	if _, err := w.store.Enqueue(ctx, items); err != nil {
		w.t.Fatal(err)
	}
	w.log("%d items are enqueued", len(items))
}

// work lets the worker end a run, get items or begin one.
func (w *escalationWorld) work(d dice) {
	if w.calm || d.chance(50) {
		if w.endOne(d); !w.calm {
			return
		}
	}
	w.assign()
	if len(w.runs) >= 2 || !w.calm && d.chance(50) {
		return
	}
	claimed, err := w.store.Claim(ctx, workqueue.ClaimParams{WorkerID: w.worker.ID, InstanceID: w.worker.InstanceID, Band: workqueue.EveryPriority, Max: 1, Lease: 24 * time.Hour})
	if err != nil {
		w.violation("claim: %v", err)
	}
	for _, it := range claimed {
		w.log("item %d runs", it.ID)
	}
	w.runs = append(w.runs, claimed...)
}

// endOne ends the oldest run, if there is one.
func (w *escalationWorld) endOne(d dice) {
	if len(w.runs) == 0 {
		return
	}
	it := w.runs[0]
	w.runs = w.runs[1:]
	f := workqueue.Finish{ItemID: it.ID, Fence: it.Fence, QueueName: it.QueueName, State: workqueue.Processed}
	switch {
	case w.calm || d.chance(40):
	case d.chance(50):
		f.State, f.RetryCount, f.Delay, f.Error, f.ErrorKind = workqueue.Ready, it.RetryCount+1, d.between(10*time.Second, time.Minute), "fails this time", workqueue.KindError
		f.Attempt = &workqueue.AttemptNote{Number: 1, Outcome: "failed"}
	default:
		f.State, f.RetryCount, f.Attempt = workqueue.Ready, it.RetryCount, &workqueue.AttemptNote{Number: 1, Outcome: "released"}
	}
	w.log("the run of %d ends as %v", it.ID, f.State)
	if _, err := w.store.Finish(ctx, w.worker.ID, w.worker.InstanceID, []workqueue.Finish{f}); err != nil {
		w.violation("finish: %v", err)
	}
}

// assign makes a pass.
func (w *escalationWorld) assign() {
	if _, err := assign.AssignPass(ctx, w.store, assign.AssignParams{SeenWithin: 24 * time.Hour, AssignedFor: 24 * time.Hour, FreeSlots: true}); err != nil {
		w.violation("assign: %v", err)
	}
}

func (p *escalator) kill() {
	if !p.dead {
		p.w.log("%s is killed", p.name)
		p.dead = true
	}
}

// pass applies all rules once.
func (p *escalator) pass() {
	began := p.w.clock()
	p.owed = map[string]bool{}
	err := assign.Escalate(ctx, p, p.w.pipeline, func(assign.Escalated) {})
	if err == nil && !p.dead {
		p.w.judge.passed(p, began)
	}
}

var errNoAnswer = errors.New("the answer is lost")

// call is one statement of a process.
func (p *escalator) call(do func() error) error {
	w := p.w
	w.calls++
	d := roll(w.seed, "call", w.calls)
	if p.dead {
		return errGone
	}
	if !w.calm {
		w.meanwhile(p, d, 15)
		if d.chance(3) {
			p.kill()
		}
		if p.dead || d.chance(3) {
			return errGone
		}
	}
	w.now = w.now.Add(d.between(time.Millisecond, 30*time.Millisecond))
	w.skew = p.skew
	err := do()
	if !w.calm && err == nil && d.chance(5) {
		w.log("%s does not get the answer", p.name)
		if d.chance(50) {
			p.kill()
		}
		return errNoAnswer
	}
	return err
}

// meanwhile is what happens between two statements of a process.
func (w *escalationWorld) meanwhile(of *escalator, d dice, percent int) {
	if w.nested || w.calm || !d.chance(percent) {
		return
	}
	w.nested = true
	defer func() { w.nested = false }()
	w.log("while %s applies rules:", of.name)
	for range 1 + d.IntN(2) {
		w.event(d)
	}
	for _, p := range w.processes {
		if p != of && !p.dead && d.chance(50) {
			w.now = w.now.Add(workqueue.EscalationPeriod) // else it has no turn
			p.pass()
		}
	}
}

func (p *escalator) Queues(ctx context.Context) (queues []workqueue.Queue, err error) {
	err = p.call(func() (err error) {
		queues, err = p.Store.Queues(ctx)
		return err
	})
	return queues, err
}

func (p *escalator) EscalationFigures(ctx context.Context) (f workqueue.EscalationFigures, err error) {
	err = p.call(func() (err error) {
		if f, err = p.Store.EscalationFigures(ctx); err == nil {
			p.w.judge.read(p, f)
		}
		return err
	})
	return f, err
}

func (p *escalator) EscalationTurn(ctx context.Context, e workqueue.Escalation, holds bool) (turn workqueue.EscalationTurn, ok bool, err error) {
	err = p.call(func() (err error) {
		if turn, ok, err = p.Store.EscalationTurn(ctx, e, holds); err == nil {
			p.w.judge.turn(p, e, holds, turn, ok)
		}
		return err
	})
	return turn, ok, err
}

func (p *escalator) Escalate(ctx context.Context, turn workqueue.EscalationTurn) (r workqueue.EscalationResult, err error) {
	err = p.call(func() (err error) {
		w := p.w
		found := w.judge.look()
		if w.stale {
			w.copyTables("", "")
			if !w.nested {
				w.copyTables("", "Outer")
				d := roll(w.seed, "gap", w.calls)
				if !w.calm && d.chance(40) {
					w.log("while %s looks for items:", p.name)
					w.endOne(d)
					w.assign()
				}
				if !w.calm && d.chance(40) {
					w.log("while %s looks for items:", p.name)
					w.withhold(d)
				}
				if ids := w.judge.targets(&turn, found); !w.calm && len(ids) > 0 && d.chance(40) {
					w.interfere(d, ids[d.IntN(len(ids))], turn.Rule.Raise != nil || turn.Rule.Relax != nil)
				}
				percent := 40
				if turn.Began { // another process must not report that, too
					percent = 90
				}
				w.meanwhile(p, d, percent)
				w.copyTables("Outer", "")
			}
		}
		w.skew = p.skew
		before := w.judge.look()
		if r, err = p.Store.Escalate(ctx, turn); err == nil {
			delete(p.owed, turn.String())
			w.judge.escalated(p, &turn, found, before, r)
		}
		return err
	})
	return r, err
}

// copyTables copies what the statements read that look for items: from the tables, or between the
// copies.
func (w *escalationWorld) copyTables(from, to string) {
	for copied, table := range staleTables {
		source := table
		if from != "" || to != "" {
			source = copied + from
		}
		w.exec("DELETE FROM " + copied + to)
		w.exec("INSERT INTO " + copied + to + " SELECT * FROM " + source)
	}
}

func TestEscalation(t *testing.T) {
	eachChronicle(t, func(seed uint64) *chronicle { return escalationHistory(t, seed, trial{}) })
}
