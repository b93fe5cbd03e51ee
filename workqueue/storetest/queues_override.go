package storetest

import (
	"errors"
	"fmt"
	"time"

	"botwork/workqueue"
)

func overrideTests() []test {
	return []test{
		{"a command overrides the settings until they are defined again", overrideQueue},
		{"a queue that a command creates", overrideCreates},
		{"a command that is based on an old policy", overrideStale},
		{"a queue that a command deletes stays deleted until it is defined again", overrideDeletes},
		{"a deleted queue that a command creates again", overrideCreatesDeleted},
	}
}

// refresh does what a worker does when it starts.
func (x *fixture) refresh(want, wantOverridden []string, defs ...workqueue.Queue) {
	x.Helper()
	changed, overridden, err := x.Store.RefreshQueues(x.ctx, defs, "worker-2")
	if err != nil {
		x.Fatal(err)
	}
	if fmt.Sprint(changed) != fmt.Sprint(want) || fmt.Sprint(overridden) != fmt.Sprint(wantOverridden) {
		x.Errorf("RefreshQueues = %q and %q, want %q and %q", changed, overridden, want, wantOverridden)
	}
}

func (x *fixture) override(q workqueue.Queue, want bool) {
	x.Helper()
	if changed, err := x.Store.OverrideQueue(x.ctx, q, "ann"); err != nil || changed != want {
		x.Fatalf("OverrideQueue = %t, %v, want %t", changed, err, want)
	}
}

func (x *fixture) wantDifferences(name string, want ...string) {
	x.Helper()
	q := x.queue(name)
	differences, err := q.Differences()
	if err != nil {
		x.Fatal(err)
	}
	var got []string
	for _, d := range differences {
		got = append(got, fmt.Sprintf("%s %s %s", d.Key, d.Now, d.Defined))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		x.Errorf("queue %s differs in %q, want %q", name, got, want)
	}
}

func overrideQueue(x *fixture) {
	def := wholeQueue("erp")
	x.refresh([]string{"erp"}, nil, def)
	q := x.queue("erp")
	q.TTL, q.Concurrency = workqueue.Duration(time.Hour), 9
	x.override(q, true)
	got := x.queue("erp")
	if got.Override == nil || got.Override.By != "ann" || got.Override.At == nil || got.Revision != q.Revision+1 || got.TTL != q.TTL || len(got.Robots) != 2 {
		x.Errorf("the queue is %s, want the command's policy, its author and the time", asJSON(got))
	}
	x.wantDifferences("erp", `concurrencyLimit 9 4`, `ttl "1h0m0s" "168h0m0s"`)
	x.override(got, false)
	// A worker that starts keeps it, and records what its settings define now.
	x.refresh(nil, []string{"erp"}, def)
	def.Concurrency, def.PriorityOffset = 5, 1
	x.refresh(nil, []string{"erp"}, def)
	x.wantDifferences("erp", `concurrencyLimit 9 5`, `priorityOffset -200 1`, `ttl "1h0m0s" "168h0m0s"`)
	if again := x.queue("erp"); again.Revision != got.Revision {
		x.Errorf("revision %d, want %d: the policy is the same", again.Revision, got.Revision)
	}
	// A second override keeps the definition.
	got = x.queue("erp")
	got.TTL = def.TTL
	x.override(got, true)
	x.wantDifferences("erp", `concurrencyLimit 9 5`, `priorityOffset -200 1`)
	x.define("worker-1", []string{"erp"}, def)
	if q := x.queue("erp"); q.Override != nil || q.Concurrency != 5 {
		x.Errorf("the queue is %s, want it as defined", asJSON(q))
	}
	x.wantDifferences("erp")
	x.refresh(nil, nil, def)
	// Even an override that changes nothing any more is removed.
	q = x.queue("erp")
	q.MaxReleases = 1
	x.override(q, true)
	q = x.queue("erp")
	q.MaxReleases = def.MaxReleases
	x.override(q, true)
	x.refresh(nil, nil, def)
	x.define("worker-1", []string{"erp"}, def)
	if q := x.queue("erp"); q.Override != nil {
		x.Errorf("the queue is %s, want it as defined", asJSON(q))
	}
}

func overrideCreates(x *fixture) {
	def := wholeQueue("mail")
	if err := x.Store.CreateQueue(x.ctx, def, "ann"); err != nil {
		x.Fatal(err)
	}
	q := x.queue("mail")
	if q.Override == nil || q.Override.By != "ann" || q.Override.Defined != "" || q.Concurrency != def.Concurrency || len(q.Robots) != 2 {
		x.Errorf("the queue is %s, want the command's policy", asJSON(q))
	}
	if err := x.Store.CreateQueue(x.ctx, def, "ann"); !errors.Is(err, workqueue.ErrQueueExists) {
		x.Errorf("CreateQueue again: %v, want ErrQueueExists", err)
	}
	def.Concurrency = 1
	x.refresh(nil, []string{"mail"}, def)
	x.wantDifferences("mail", `concurrencyLimit 4 1`)
	x.define("worker-1", []string{"mail"}, def)
	if err := x.Store.DeleteQueue(x.ctx, "mail"); err != nil {
		x.Error(err)
	}
	bad := workqueue.Queue{Name: "no name"}
	if _, ok := errors.AsType[*workqueue.QueueError](x.Store.CreateQueue(x.ctx, bad, "ann")); !ok {
		x.Error("CreateQueue accepted an invalid definition")
	}
}

// wantDeleted compares the queues that were deleted although settings define them.
func (x *fixture) wantDeleted(by string, want ...string) {
	x.Helper()
	list, err := x.Store.DeletedQueues(x.ctx)
	if err != nil {
		x.Fatal(err)
	}
	var got []string
	for _, q := range list {
		got = append(got, q.Name)
		if q.By != by || q.At.IsZero() {
			x.Errorf("queue %s was deleted by %q, %s, want by %q and the time", q.Name, q.By, q.At, by)
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		x.Errorf("deleted are %q, want %q", got, want)
	}
}

func overrideDeletes(x *fixture) {
	erp, mail := wholeQueue("erp"), workqueue.Queue{Name: "mail"}
	x.refresh([]string{"erp", "mail"}, nil, erp, mail)
	q := x.queue("mail")
	q.MaxReleases = 2
	x.override(q, true) // the settings define it as well
	ann := workqueue.WithActor(x.ctx, workqueue.Actor{Name: "ann", Via: workqueue.ViaCLI})
	for _, name := range []string{"mail", "erp"} {
		if err := x.Store.DeleteQueue(ann, name); err != nil {
			x.Fatal(err)
		}
	}
	x.wantDeleted("ann", "erp", "mail")
	if err := x.Store.DeleteQueue(ann, "erp"); !errors.Is(err, workqueue.ErrNotFound) {
		x.Errorf("DeleteQueue again: %v, want ErrNotFound", err)
	}
	// Workers that start leave them deleted, and define the others.
	x.refresh([]string{"new"}, []string{"erp", "mail"}, erp, mail, workqueue.Queue{Name: "new"})
	erp.Concurrency++
	x.refresh(nil, []string{"erp"}, erp)
	x.queues(2)
	x.wantDeleted("ann", "erp", "mail")
	// The next definition creates what it names.
	x.define("worker-1", []string{"erp"}, erp)
	x.wantDeleted("ann", "mail")
	x.refresh(nil, []string{"mail"}, erp, mail)
	x.define("worker-1", []string{"mail"}, erp, mail)
	x.wantDeleted("")
	x.refresh(nil, nil, erp, mail)
	// Without an actor.
	if err := x.Store.DeleteQueue(x.ctx, "mail"); err != nil {
		x.Fatal(err)
	}
	x.wantDeleted("a command", "mail")
}

func overrideCreatesDeleted(x *fixture) {
	mail := workqueue.Queue{Name: "mail"}
	x.refresh([]string{"mail"}, nil, mail)
	if err := x.Store.DeleteQueue(x.ctx, "mail"); err != nil {
		x.Fatal(err)
	}
	x.wantDeleted("a command", "mail")
	if err := x.Store.CreateQueue(x.ctx, workqueue.Queue{Name: "mail", MaxReleases: 3}, "ann"); err != nil {
		x.Fatal(err)
	}
	x.wantDeleted("")
	// No settings have defined it since, so nothing would create it again.
	if err := x.Store.DeleteQueue(x.ctx, "mail"); err != nil {
		x.Fatal(err)
	}
	x.wantDeleted("")
	x.refresh([]string{"mail"}, nil, mail)
}

func overrideStale(x *fixture) {
	x.refresh([]string{"erp"}, nil, wholeQueue("erp"))
	q := x.queue("erp")
	q.MaxReleases = 2
	x.override(q, true)
	q.MaxReleases = 3
	if _, err := x.Store.OverrideQueue(x.ctx, q, "bob"); !errors.Is(err, workqueue.ErrQueueChanged) {
		x.Errorf("OverrideQueue of an old revision: %v, want ErrQueueChanged", err)
	}
	q.Name = "unknown"
	if _, err := x.Store.OverrideQueue(x.ctx, q, "bob"); !errors.Is(err, workqueue.ErrNotFound) {
		x.Errorf("OverrideQueue of an unknown queue: %v, want ErrNotFound", err)
	}
	if got := x.queue("erp"); got.MaxReleases != 2 {
		x.Errorf("the queue is %s, want it unchanged", asJSON(got))
	}
}
