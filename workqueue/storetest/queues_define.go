package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"botwork/workqueue"
)

func defineTests() []test {
	return []test{
		{"a queue with every field", defineWhole},
		{"an unchanged definition", defineSame},
		{"each field by itself is a change", defineEachField},
		{"values that a definition does not change", defineLeaves},
		{"all queues or none", defineAllOrNone},
		{"eight processes at the same time", defineContend},
		{"pause and resume", pauseQueue},
		{"delete", deleteQueue},
		{"an unknown queue", queueUnknown},
	}
}

// wholeQueue returns a definition with every field set.
func wholeQueue(name string) workqueue.Queue {
	description, limit := "Invoices — “ä” 🤖", 10_000
	retain, age := workqueue.Duration(0), workqueue.Duration(90*24*time.Hour)
	return workqueue.Queue{
		Name: name, Description: &description, Consumer: workqueue.ConsumerRobots, PriorityOffset: -200,
		Resilience: `{"limit":3,"retryOn":["error","business"]}`, RetryAs: workqueue.RetryCopy, Encrypted: true,
		Escalation:   `[{"name":"late","after":"10m","raise":{"by":100,"to":1500,"every":"10m"}}]`,
		Distribution: `{"mode":"best-worker","scoring":{"rule":"map","label":"skill","scores":{"çà":10}}}`,
		MaxReleases:  7,
		QueueKeys:    workqueue.QueueKeys{KeyScope: workqueue.KeyScopeQueue, DeletedKeysCount: true},
		QueueLife: workqueue.QueueLife{
			TTL: workqueue.Duration(7 * 24 * time.Hour), Retain: &retain, ArchiveAge: &age, ArchiveLimit: &limit,
			Deletion: workqueue.DeletionLogical, OnExpiry: workqueue.ExpiryRemove,
		},
		QueueSchemas: workqueue.QueueSchemas{PayloadSchema: `{"type":"object"}`, OutputSchema: `true`, AnalyticsSchema: `{"minimum":1}`},
		QueueSizes:   workqueue.QueueSizes{MaxPayload: 5 << 20, MaxOutput: 1, KeepLog: new(int64(0))},
		QueueAccess: workqueue.QueueAccess{
			Private: true, Payloads: workqueue.PayloadsHidden, RobotDeletesOnlyOwn: true, Checkout: workqueue.Duration(5 * time.Minute),
			Robots: []workqueue.QueueRobot{{Robot: "robot-1", Read: true, Write: true}, {Robot: "robot-2", Read: true}},
		},
		QueueLimits: workqueue.QueueLimits{
			Concurrency: 4, KeyConcurrency: 1,
			Rate:    workqueue.Rate{Limit: 10, Per: workqueue.Duration(time.Minute)},
			KeyRate: workqueue.Rate{Limit: 2, Per: workqueue.Duration(time.Second)},
		},
	}
}

// define defines queues as this worker, and checks which queues change.
func (x *fixture) define(by string, want []string, defs ...workqueue.Queue) {
	x.Helper()
	changed, err := x.Store.DefineQueues(x.ctx, defs, by)
	if err != nil {
		x.Fatal(err)
	}
	if fmt.Sprint(changed) != fmt.Sprint(want) {
		x.Errorf("DefineQueues changed %q, want %q", changed, want)
	}
}

// queue reads a queue twice: alone and in the list of all.
func (x *fixture) queue(name string) workqueue.Queue {
	x.Helper()
	queue, err := x.Store.Queue(x.ctx, name)
	if err != nil {
		x.Fatal(err)
	}
	all, err := x.Store.Queues(x.ctx)
	if err != nil {
		x.Fatal(err)
	}
	for _, q := range all {
		if q.ID == queue.ID && asJSON(q) != asJSON(queue) {
			x.Errorf("the queue read alone is\n     %s\nwant %s", asJSON(queue), asJSON(q))
		}
	}
	return queue
}

func defineWhole(x *fixture) {
	x.define("worker-1", []string{"invoices", "mail"}, workqueue.Queue{Name: "mail"}, wholeQueue("invoices"))
	by := "worker-1"
	got, want := x.queue("invoices"), wholeQueue("invoices")
	want.Revision, want.DefinedBy = 1, &by
	x.wantPolicy(got, want)
	if deref(got.Description) != *want.Description || got.Paused {
		x.Errorf("the queue is %s, want it with its description and not paused", asJSON(got))
	}
	x.wantClean("CreatedAt", &got.CreatedAt)
	x.wantClean("UpdatedAt", got.UpdatedAt)
	x.wantPolicy(x.queue("mail"), workqueue.Queue{Revision: 1, DefinedBy: &by})

	// A definition with the defaults resets every field.
	x.define("worker-2", []string{"invoices"}, workqueue.Queue{Name: "invoices"})
	by = "worker-2"
	got = x.queue("invoices")
	x.wantPolicy(got, workqueue.Queue{Revision: 2, DefinedBy: &by})
	if got.Description != nil {
		x.Errorf("the queue has the description %q, want none", *got.Description)
	}
}

func defineSame(x *fixture) {
	x.define("worker-1", []string{"invoices"}, wholeQueue("invoices"))
	before := x.queue("invoices")
	again := wholeQueue("invoices")
	again.Robots[0], again.Robots[1] = again.Robots[1], again.Robots[0]                // in a different order
	again.TTL = again.TTL - workqueue.Duration(time.Millisecond/2)                     // more precise than the column
	again.ID, again.Paused, again.Revision, again.CreatedAt = 99, true, 77, time.Now() // not part of a definition
	x.define("worker-2", nil, again, workqueue.Queue{Name: "default", Description: x.queue("default").Description,
		Consumer: workqueue.ConsumerWorkers, RetryAs: workqueue.RetrySame}) // the default is equal to an empty word
	if got := x.queue("invoices"); asJSON(got) != asJSON(before) {
		x.Errorf("the queue has changed:\n got %s\nwant %s", asJSON(got), asJSON(before))
	}
}

func defineEachField(x *fixture) {
	x.define("worker-1", []string{"plain"}, workqueue.Queue{Name: "plain"})
	whole := wholeQueue("plain")
	revision := int64(1)
	for field, change := range map[string]func(q *workqueue.Queue){
		"Description":         func(q *workqueue.Queue) { q.Description = whole.Description },
		"Consumer":            func(q *workqueue.Queue) { q.Consumer = whole.Consumer },
		"PriorityOffset":      func(q *workqueue.Queue) { q.PriorityOffset = 1 },
		"Resilience":          func(q *workqueue.Queue) { q.Resilience = whole.Resilience },
		"RetryAs":             func(q *workqueue.Queue) { q.RetryAs = whole.RetryAs },
		"Escalation":          func(q *workqueue.Queue) { q.Escalation = whole.Escalation },
		"Distribution":        func(q *workqueue.Queue) { q.Distribution = whole.Distribution },
		"MaxReleases":         func(q *workqueue.Queue) { q.MaxReleases = whole.MaxReleases },
		"KeyScope":            func(q *workqueue.Queue) { q.KeyScope = whole.KeyScope },
		"DeletedKeysCount":    func(q *workqueue.Queue) { q.DeletedKeysCount = true },
		"TTL":                 func(q *workqueue.Queue) { q.TTL = whole.TTL },
		"Payloads":            func(q *workqueue.Queue) { q.Payloads = whole.Payloads },
		"OnExpiry":            func(q *workqueue.Queue) { q.OnExpiry = whole.OnExpiry },
		"Retain":              func(q *workqueue.Queue) { q.Retain = whole.Retain },
		"ArchiveAge":          func(q *workqueue.Queue) { q.ArchiveAge = whole.ArchiveAge },
		"ArchiveLimit":        func(q *workqueue.Queue) { q.ArchiveLimit = whole.ArchiveLimit },
		"Deletion":            func(q *workqueue.Queue) { q.Deletion = whole.Deletion },
		"PayloadSchema":       func(q *workqueue.Queue) { q.PayloadSchema = `{}` },
		"OutputSchema":        func(q *workqueue.Queue) { q.OutputSchema = `{}` },
		"AnalyticsSchema":     func(q *workqueue.Queue) { q.AnalyticsSchema = `{}` },
		"MaxPayload":          func(q *workqueue.Queue) { q.MaxPayload = 1 },
		"MaxOutput":           func(q *workqueue.Queue) { q.MaxOutput = 1 },
		"KeepLog":             func(q *workqueue.Queue) { q.KeepLog = new(int64(0)) },
		"Encrypted":           func(q *workqueue.Queue) { q.Encrypted = true },
		"Private":             func(q *workqueue.Queue) { q.Private = true },
		"RobotDeletesOnlyOwn": func(q *workqueue.Queue) { q.RobotDeletesOnlyOwn = true },
		"Checkout":            func(q *workqueue.Queue) { q.Checkout = whole.Checkout },
		"a robot":             func(q *workqueue.Queue) { q.Robots = []workqueue.QueueRobot{{Robot: "r"}} },
		"a robot's right":     func(q *workqueue.Queue) { q.Robots = []workqueue.QueueRobot{{Robot: "r", Write: true}} },
		"Concurrency":         func(q *workqueue.Queue) { q.Concurrency = 1 },
		"KeyConcurrency":      func(q *workqueue.Queue) { q.KeyConcurrency = 1 },
		"Rate":                func(q *workqueue.Queue) { q.Rate = whole.Rate },
		"KeyRate":             func(q *workqueue.Queue) { q.KeyRate = whole.KeyRate },
	} {
		def := workqueue.Queue{Name: "plain"}
		change(&def)
		for _, d := range []workqueue.Queue{def, {Name: "plain"}} {
			x.define("worker-1", []string{"plain"}, d)
			revision++
			if got := x.queue("plain").Revision; got != revision {
				x.Errorf("%s: revision %d, want %d", field, got, revision)
			}
		}
	}
}

func defineLeaves(x *fixture) {
	x.define("worker-1", []string{"invoices", "mail"}, wholeQueue("invoices"), workqueue.Queue{Name: "mail"})
	if changed, err := x.Store.PauseQueue(x.ctx, "invoices"); err != nil || !changed {
		x.Fatalf("PauseQueue = %t, %v", changed, err)
	}
	mail := x.queue("mail")
	x.define("worker-2", []string{"invoices"}, workqueue.Queue{Name: "invoices"})
	if !x.queue("invoices").Paused {
		x.Error("a definition resumed a queue that a user had paused")
	}
	if got := x.queue("mail"); asJSON(got) != asJSON(mail) {
		x.Errorf("a queue that is not in the definition has changed: %s", asJSON(got))
	}

	// The definition overwrites a change by hand.
	x.exec(1, `UPDATE "BotQueues" SET "ConcurrencyLimit" = 1 WHERE "Name" = 'invoices'`)
	x.define("worker-2", []string{"invoices"}, workqueue.Queue{Name: "invoices"})
	x.exec(1, `INSERT INTO "BotQueueRobots" ("QueueName", "Robot") VALUES ('invoices', 'by hand')`)
	x.define("worker-2", []string{"invoices"}, workqueue.Queue{Name: "invoices"})
	if got := x.queue("invoices"); got.Concurrency != 0 || len(got.Robots) != 0 {
		x.Errorf("the queue is %s, want it as defined", asJSON(got))
	}
}

func defineAllOrNone(x *fixture) {
	for name, defs := range map[string][]workqueue.Queue{
		"an invalid name":             {{Name: "good"}, {Name: "not good"}},
		"a negative TTL":              {{Name: "good"}, {Name: "late", QueueLife: workqueue.QueueLife{TTL: -1}}},
		"a rule without an action":    {{Name: "good"}, {Name: "odd", Escalation: `[{"name":"late","after":"10m"}]`}},
		"an unknown mode":             {{Name: "good"}, {Name: "odd", Distribution: `{"mode":"best"}`}},
		"the same name twice":         {{Name: "good"}, {Name: "good", Encrypted: true}},
		"the same name in other case": {{Name: "good"}, {Name: "good-2"}, {Name: "Good"}},
	} {
		_, err := x.Store.DefineQueues(x.ctx, defs, "worker-1")
		var refused *workqueue.QueueError
		if !errors.As(err, &refused) || len(refused.Faults) == 0 {
			x.Errorf("%s: error %v, want a *QueueError", name, err)
		}
	}
	x.queues(1)
	if changed, err := x.Store.DefineQueues(x.ctx, nil, "worker-1"); err != nil || len(changed) != 0 {
		x.Errorf("DefineQueues of nothing = %q, %v", changed, err)
	}
}

// Eight processes define the same queues differently. Each change is counted once, and
// in the end each queue is completely as one of them defined it.
func defineContend(x *fixture) {
	const processes, rounds = 8, 4
	names := []string{"a", "b", "c"}
	def := func(process int, name string) workqueue.Queue {
		by := workerName(process)
		q := workqueue.Queue{Name: name, Description: &by, PriorityOffset: process}
		for i := range process {
			q.Robots = append(q.Robots, workqueue.QueueRobot{Robot: fmt.Sprintf("%s-%d", by, i), Read: true})
		}
		return q
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	writes := map[string]int64{}
	for n := range processes {
		store := x.Another(x.T)
		wg.Go(func() {
			for round := range rounds {
				defs := []workqueue.Queue{def(n, names[0]), def(n, names[1]), def(n, names[2])}
				if round%2 == 1 {
					defs[0], defs[2] = defs[2], defs[0]
				}
				changed, err := store.DefineQueues(x.ctx, defs, workerName(n))
				if err != nil {
					x.Errorf("%s: %v", workerName(n), err)
					return
				}
				mu.Lock()
				for _, name := range changed {
					writes[name]++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	x.queues(1 + len(names))
	for _, name := range names {
		got := x.queue(name)
		want := def(got.PriorityOffset, name)
		want.Revision, want.DefinedBy = writes[name], want.Description
		x.wantPolicy(got, want)
		if deref(got.Description) != deref(want.Description) {
			x.Errorf("queue %s has the description of %s and the other fields of %s", name, deref(got.Description), deref(want.Description))
		}
	}
}

func workerName(n int) string { return fmt.Sprintf("worker-%d", n) }

func pauseQueue(x *fixture) {
	steps := []struct {
		what    string
		do      func(name string) (bool, error)
		changed bool
		paused  bool
	}{
		{"resume an active queue", func(name string) (bool, error) { return x.Store.ResumeQueue(x.ctx, name) }, false, false},
		{"pause", func(name string) (bool, error) { return x.Store.PauseQueue(x.ctx, name) }, true, true},
		{"pause again", func(name string) (bool, error) { return x.Store.PauseQueue(x.ctx, name) }, false, true},
		{"resume", func(name string) (bool, error) { return x.Store.ResumeQueue(x.ctx, name) }, true, false},
	}
	id := x.Item(ItemOpts{}).ID
	revision := x.queue("default").Revision
	for _, step := range steps {
		changed, err := step.do("default")
		if err != nil || changed != step.changed {
			x.Errorf("%s: changed %t, %v, want %t", step.what, changed, err, step.changed)
		}
		if changed {
			revision++
		}
		got := x.queue("default")
		if got.Paused != step.paused || got.Revision != revision {
			x.Errorf("%s: paused %t in revision %d, want %t in %d", step.what, got.Paused, got.Revision, step.paused, revision)
		}
		want := []int64{id}
		if step.paused {
			want = nil
		}
		x.wantIDs(step.what+": due items", x.due(workqueue.EveryPriority, 10), want)
	}
}

func deleteQueue(x *fixture) {
	x.define("worker-1", []string{"empty", "full"}, wholeQueue("empty"), workqueue.Queue{Name: "full"})
	ids, err := x.Store.Enqueue(x.ctx, []workqueue.NewItem{
		{QueueName: "full", State: workqueue.Pending, IntegrationConfig: "P"}, {QueueName: "full", State: workqueue.Pending, IntegrationConfig: "P"},
	})
	if err != nil {
		x.Fatal(err)
	}
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeletedAt" = %s, "State" = 3 WHERE "Id" = %d`, longAgo, ids[0].ID)
	var full *workqueue.QueueNotEmptyError
	if err := x.Store.DeleteQueue(x.ctx, "full"); !errors.As(err, &full) || full.Items != 2 || full.Queue != "full" {
		x.Errorf("DeleteQueue of a queue with two items: %v, want a *QueueNotEmptyError with 2", err)
	}
	for range 2 { // up to the bound
		more := make([]workqueue.NewItem, workqueue.QueueItemsCounted/2)
		for i := range more {
			more[i] = workqueue.NewItem{QueueName: "full", State: workqueue.Pending, IntegrationConfig: "P"}
		}
		if _, err := x.Store.Enqueue(x.ctx, more); err != nil {
			x.Fatal(err)
		}
	}
	if err := x.Store.DeleteQueue(x.ctx, "full"); !errors.As(err, &full) || !strings.Contains(err.Error(), "it has 1000 or more item(s)") {
		x.Errorf("DeleteQueue of a queue with many items: %v, want 1000 or more", err)
	}
	if err := x.Store.DeleteQueue(x.ctx, workqueue.DefaultQueue); !errors.Is(err, workqueue.ErrDefaultQueue) {
		x.Errorf("DeleteQueue of the default queue: %v, want ErrDefaultQueue", err)
	}
	x.queues(3)
	if err := x.Store.DeleteQueue(x.ctx, "empty"); err != nil {
		x.Errorf("DeleteQueue of an empty queue: %v", err)
	}
	x.queues(2)
	x.define("worker-1", []string{"empty"}, workqueue.Queue{Name: "empty"})
	if robots := x.queue("empty").Robots; len(robots) != 0 {
		x.Errorf("the new queue has the robots of the deleted one: %s", asJSON(robots))
	}
}

func queueUnknown(x *fixture) {
	for what, do := range map[string]func() error{
		"Queue":       func() error { _, err := x.Store.Queue(x.ctx, "nowhere"); return err },
		"PauseQueue":  func() error { _, err := x.Store.PauseQueue(x.ctx, "nowhere"); return err },
		"ResumeQueue": func() error { _, err := x.Store.ResumeQueue(x.ctx, "nowhere"); return err },
		"DeleteQueue": func() error { return x.Store.DeleteQueue(x.ctx, "nowhere") },
	} {
		if err := do(); !errors.Is(err, workqueue.ErrNotFound) || !strings.Contains(err.Error(), `"nowhere"`) {
			x.Errorf("%s of an unknown queue: %v, want ErrNotFound with the name", what, err)
		}
	}
}
