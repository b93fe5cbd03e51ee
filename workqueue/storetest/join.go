package storetest

import (
	"errors"
	"slices"
	"sync"
	"time"

	"botwork/workqueue"
)

func joinTests() []test {
	return []test{
		{"a batch is due after the wait, after its longest wait, or when it is full", batchDue},
		{"items of different batches do not wait for each other", batchApart},
		{"the most urgent item leads", batchPriority},
		{"a batch has one leader until its items have joined", batchLeader},
		{"a full batch has a leader for each run", batchFull},
		{"items join their leader", joinItems},
		{"only eligible items join", joinEligible},
		{"items join the current claim only", joinFenced},
		{"payloads bound the items that join", joinBytes},
		{"an item that a worker died with runs alone", joinReleased},
		{"items that run together count once", joinCounts},
		{"an item leaves its batch", joinAlone},
		{"leaders that join at the same time share the items", joinContend},
	}
}

// enqueueBatch adds items of a batch.
func (x *fixture) enqueueBatch(n int, b workqueue.ItemBatch, set func(*workqueue.NewItem)) []int64 {
	x.Helper()
	items := make([]workqueue.NewItem, n)
	for i := range items {
		items[i] = workqueue.NewItem{IntegrationConfig: Pipeline, Priority: 700, Batch: &b}
		if set != nil {
			set(&items[i])
		}
	}
	made, err := x.Store.Enqueue(x.ctx, items)
	if err != nil {
		x.Fatal(err)
	}
	return workqueue.IDs(made)
}

func waitsFor(key string) workqueue.ItemBatch {
	return workqueue.ItemBatch{Key: key, Max: 3, Wait: 30 * time.Second, AtMost: time.Minute}
}

// wantDue checks which items a pass may assign, and that Ready and Waits say the same.
func (x *fixture) wantDue(of string, ids ...int64) {
	x.Helper()
	x.wantIDs("due items "+of, x.due(workqueue.EveryPriority, 100), ids)
	waits, err := x.Store.Waits(x.ctx, workqueue.EveryPriority)
	if err != nil || waits != (len(ids) > 0) {
		x.Errorf("%s: Waits = %v, %v", of, waits, err)
	}
	ready, _, err := x.Store.Ready(x.ctx, 1<<40, workqueue.EveryPriority)
	if err != nil || (ready != workqueue.NothingReady) != (len(ids) > 0) {
		x.Errorf("%s: Ready = %v, %v", of, ready, err)
	}
}

func batchDue(y *fixture) {
	x := newTimed(y)
	first := x.enqueueBatch(1, waitsFor("a"), nil)[0]
	x.wantDue("at once")
	x.now = x.now.Add(20 * time.Second)
	second := x.enqueueBatch(1, waitsFor("a"), nil)[0]
	x.now = x.now.Add(29 * time.Second)
	x.wantDue("29 s after the latest item")
	x.now = x.now.Add(time.Second)
	x.wantDue("30 s after the latest item", first)
	x.now = x.now.Add(9 * time.Second)
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "AvailableAt" = '%s' WHERE "Id" = %d`, x.now.Format("2006-01-02 15:04:05.000"), second)
	x.wantDue("59 s after the first item, just after another")
	x.now = x.now.Add(time.Second)
	x.wantDue("60 s after the first item", first)
	x.now = x.now.Add(-time.Second)
	x.enqueueBatch(1, waitsFor("a"), nil)
	x.wantDue("with three of three items", first)
}

func batchApart(y *fixture) {
	x := newTimed(y)
	x.makeQueue("erp", `"MaxReleases"`, "5")
	x.enqueueBatch(2, waitsFor("a"), nil)
	for _, set := range []func(*workqueue.NewItem){
		func(it *workqueue.NewItem) { it.QueueName = "erp" },
		func(it *workqueue.NewItem) { it.IntegrationConfig = "other" },
		func(it *workqueue.NewItem) { it.LimitKey = "k" },
		func(it *workqueue.NewItem) { it.In = time.Hour },
	} {
		x.enqueueBatch(1, waitsFor("a"), set)
	}
	x.enqueueBatch(2, waitsFor("A"), nil)
	x.wantDue("of six batches that are not full")
	last := x.enqueueBatch(1, waitsFor("A"), nil)
	x.wantDue("with a full one", last[0]-2)
	alone := x.enqueueBatch(1, waitsFor("x"), func(it *workqueue.NewItem) { it.Batch = nil })
	x.wantDue("with one that runs alone", last[0]-2, alone[0])
}

func batchPriority(y *fixture) {
	x := newTimed(y)
	x.enqueueBatch(2, waitsFor("a"), nil)
	urgent := x.enqueueBatch(1, waitsFor("a"), func(it *workqueue.NewItem) { it.Priority = 1500 })
	x.wantDue("of a full batch", urgent...)
	x.wantIDs("due high items", x.due(workqueue.Band{Min: 1001, Max: 2000}, 10), urgent)
	x.wantIDs("due medium items", x.due(workqueue.Band{Min: 500, Max: 1000}, 10), nil)
}

func batchLeader(y *fixture) {
	x := newTimed(y)
	w := x.Worker(WorkerOpts{})
	ids := x.enqueueBatch(2, waitsFor("a"), nil)
	x.now = x.now.Add(time.Minute)
	x.Assign(w, ids[0])
	x.wantIDs("due items beside an assigned leader", x.due(workqueue.EveryPriority, 10), nil)
	leader := x.claim(w, 1)[0]
	x.wantDue("beside a claimed leader")
	x.wantJoined(w, leader, 0)
	x.wantDue("beside a leader whose run has begun", ids[1])
}

func batchFull(y *fixture) {
	x := newTimed(y)
	w := x.Worker(WorkerOpts{})
	ids := x.enqueueBatch(8, waitsFor("a"), nil)
	x.wantDue("of eight items, three a run", ids[0], ids[1])
	x.Assign(w, ids[0])
	x.wantIDs("due items beside a leader", x.due(workqueue.EveryPriority, 10), ids[1:2])
	x.Assign(w, ids[1])
	x.wantIDs("due items beside two leaders", x.due(workqueue.EveryPriority, 10), nil)
	for _, leader := range x.claim(w, 2) {
		x.wantJoined(w, leader, 2, x.show(leader.ID+2).ID, x.show(leader.ID+2).ID+1)
		break
	}
}

// join lets items join a leader.
func (x *fixture) join(w workqueue.Worker, leader workqueue.Item, limit int) ([]workqueue.Item, error) {
	return x.Store.Join(x.ctx, workqueue.JoinParams{WorkerID: w.ID, InstanceID: w.InstanceID, Leader: ref(leader), Max: limit, Lease: leaseTime})
}

// wantJoined checks which items join.
func (x *fixture) wantJoined(w workqueue.Worker, leader workqueue.Item, limit int, ids ...int64) []workqueue.Item {
	x.Helper()
	items, err := x.join(w, leader, limit)
	if err != nil {
		x.Fatal(err)
	}
	x.wantIDs("joined", idsOf(items), ids)
	return items
}

func joinItems(x *fixture) {
	w := x.Worker(WorkerOpts{})
	ids := x.enqueueBatch(4, waitsFor("a"), func(it *workqueue.NewItem) { it.Payload = `{"n":1}` })
	leader := x.claimOne(w, ids[0])
	joined := x.wantJoined(w, leader, 2, ids[1], ids[2])
	for _, it := range joined {
		row := x.show(it.ID)
		if row.State != workqueue.Blocked || row.Fence != it.Fence || it.Fence < 1 || !pointsTo(row.WorkerID, w.ID) || !pointsTo(row.BatchLeaderID, leader.ID) || row.LeaseExpiresAt == nil {
			x.Errorf("a joined item = %+v, want it leased to worker %d with the leader %d", row, w.ID, leader.ID)
		}
		if it.Payload != `{"n":1}` || it.State != workqueue.Blocked || deref(it.BatchKey) != "a" {
			x.Errorf("the item that Join returned = %+v", it)
		}
	}
	row := x.show(leader.ID)
	if row.Fence != leader.Fence || !pointsTo(row.BatchLeaderID, leader.ID) || !row.StartedAt.Equal(*leader.StartedAt) {
		x.Errorf("the leader = %+v, want its claim unchanged", row)
	}
	if row := x.show(ids[3]); row.State != workqueue.Ready || row.BatchLeaderID != nil {
		x.Errorf("an item beyond the limit = %+v, want it waiting", row)
	}
	x.wantIDs("refused to begin", x.begin(w, ref(leader), ref(joined[0]), ref(joined[1])), nil)
	// Each ends by its own fence; a failed one waits again with its key.
	x.wantIDs("lost", x.finish(w, success(leader), failure(joined[0], workqueue.Ready), success(joined[1])), nil)
	if row := x.show(ids[1]); row.State != workqueue.Ready || deref(row.BatchKey) != "a" || row.RetryCount != 1 {
		x.Errorf("a failed item = %+v, want it waiting with its key", row)
	}
	x.wantIDs("lost", x.finish(w, success(joined[1])), []int64{ids[2]})
}

func joinEligible(x *fixture) {
	w := x.Worker(WorkerOpts{})
	ids := x.enqueueBatch(6, waitsFor("a"), nil)
	leader := x.claimOne(w, ids[0])
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "AvailableAt" = '%s' WHERE "Id" = %d`, "2099-01-01 00:00:00.000", ids[1])
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeadlineAt" = %s WHERE "Id" = %d`, longAgo, ids[2])
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "DeletedAt" = %s WHERE "Id" = %d`, longAgo, ids[3])
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "ExpiresAt" = %s WHERE "Id" = %d`, longAgo, ids[4])
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "BatchKey" = 'b' WHERE "Id" = %d`, ids[5])
	x.enqueueBatch(1, waitsFor("a"), func(it *workqueue.NewItem) { it.LimitKey = "k" })
	x.enqueueBatch(1, waitsFor("a"), func(it *workqueue.NewItem) { it.IntegrationConfig = "other" })
	x.wantJoined(w, leader, 10)
	good := x.enqueueBatch(1, waitsFor("a"), nil)
	x.exec(1, `UPDATE "BotQueues" SET "Paused" = '1' WHERE "Name" = 'default'`)
	x.wantJoined(w, leader, 10)
	x.exec(1, `UPDATE "BotQueues" SET "Paused" = '0' WHERE "Name" = 'default'`)
	x.wantJoined(w, leader, 10, good...)
}

func joinFenced(x *fixture) {
	w, other := x.Worker(WorkerOpts{}), x.Worker(WorkerOpts{})
	ids := x.enqueueBatch(3, waitsFor("a"), nil)
	leader := x.claimOne(w, ids[0])
	stale := leader
	stale.Fence--
	for what, try := range map[string]func() ([]workqueue.Item, error){
		"an old fence":       func() ([]workqueue.Item, error) { return x.join(w, stale, 10) },
		"another worker":     func() ([]workqueue.Item, error) { return x.join(other, leader, 10) },
		"another process":    func() ([]workqueue.Item, error) { v := w; v.InstanceID = "x"; return x.join(v, leader, 10) },
		"a waiting item":     func() ([]workqueue.Item, error) { return x.join(w, x.show(ids[1]), 10) },
		"an unknown item":    func() ([]workqueue.Item, error) { return x.join(w, workqueue.Item{ID: 1 << 40, Fence: 1}, 10) },
		"a cancelled leader": nil,
	} {
		if try == nil {
			x.finish(w, success(leader))
			try = func() ([]workqueue.Item, error) { return x.join(w, leader, 10) }
		}
		if got, err := try(); !errors.Is(err, workqueue.ErrLeaseLost) || len(got) != 0 {
			x.Errorf("join with %s = %v, %v, want ErrLeaseLost", what, idsOf(got), err)
		}
		if what == "a cancelled leader" {
			break
		}
	}
	for _, id := range ids[1:] {
		if row := x.show(id); row.State != workqueue.Ready || row.Fence != 0 {
			x.Errorf("an item = %+v, want it unchanged", row)
		}
	}
}

func joinBytes(x *fixture) {
	w := x.Worker(WorkerOpts{})
	ids := x.enqueueBatch(4, waitsFor("a"), func(it *workqueue.NewItem) { it.Payload = `"0123456789"` })
	leader := x.claimOne(w, ids[0])
	per := int64(2 * (len(`"0123456789"`) + len(Pipeline))) // SQL Server has two bytes for a character
	items, err := x.Store.Join(x.ctx, workqueue.JoinParams{WorkerID: w.ID, InstanceID: w.InstanceID, Leader: ref(leader), Max: 10, Bytes: per, Lease: leaseTime})
	if n := len(items); err != nil || n < 1 || n > 2 {
		x.Errorf("%d items joined, %v; want those that the bytes allow", n, err)
	}
}

func joinReleased(y *fixture) {
	x := newTimed(y)
	w := x.Worker(WorkerOpts{})
	ids := x.enqueueBatch(5, waitsFor("a"), nil)
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "ReleaseCount" = 1 WHERE "Id" = %d`, ids[1])
	x.exec(1, `UPDATE "BotWorkQueueItems" SET "ReleaseCount" = 2 WHERE "Id" = %d`, ids[2])
	x.wantDue("of a full batch and two items alone", ids[0], ids[1], ids[2])
	alone := x.claimOne(w, ids[1])
	x.wantJoined(w, alone, 10)
	leader := x.claimOne(w, ids[0])
	x.wantJoined(w, leader, 10, ids[3], ids[4])
}

func joinCounts(x *fixture) {
	x.makeQueue("erp", `"ConcurrencyLimit"`, "2")
	w := x.Worker(WorkerOpts{})
	in := func(it *workqueue.NewItem) { it.QueueName = "erp" }
	ids := x.enqueueBatch(3, waitsFor("a"), in)
	leader := x.claimOne(w, ids[0])
	x.wantJoined(w, leader, 2, ids[1], ids[2])
	held := 0
	for _, l := range x.loads(24*time.Hour, workqueue.EveryPriority) {
		for _, h := range l.Held {
			held += h.Count
		}
	}
	if held != 1 {
		x.Errorf("a pass counts %d held items, want 1: the batch uses the slots of its leader", held)
	}
	more := x.enqueueBatch(2, waitsFor("b"), func(it *workqueue.NewItem) { in(it); it.Batch = nil })
	x.wantAssigned(more[0]) // the limit of two: the batch, and this one
}

func joinAlone(y *fixture) {
	x := newTimed(y)
	w := x.Worker(WorkerOpts{})
	ids := x.enqueueBatch(2, waitsFor("a"), nil)
	leader := x.claimOne(w, ids[0])
	joined := x.wantJoined(w, leader, 2, ids[1])[0]
	end := workqueue.Finish{ItemID: joined.ID, Fence: joined.Fence, QueueName: joined.QueueName, State: workqueue.Ready, Alone: true}
	x.wantIDs("lost", x.finish(w, end), nil)
	if row := x.show(joined.ID); row.BatchKey != nil || row.State != workqueue.Ready {
		x.Errorf("the item = %+v, want it waiting without a key", row)
	}
	x.wantDue("of an item that left", joined.ID)
}

func joinContend(x *fixture) {
	const leaders = 8
	b := workqueue.ItemBatch{Key: "a", Max: 20, Wait: time.Second, AtMost: time.Second}
	ids := x.enqueueBatch(leaders+100, b, nil)
	var wg sync.WaitGroup
	var mu sync.Mutex
	got := map[int64]int{}
	var workers [leaders]workqueue.Worker
	var claims [leaders]workqueue.Item
	for i := range leaders {
		workers[i] = x.Worker(WorkerOpts{})
		claims[i] = x.claimOne(workers[i], ids[i])
	}
	for i := range leaders {
		w, leader := workers[i], claims[i]
		wg.Go(func() {
			for range 3 {
				items, err := x.join(w, leader, 7)
				if err != nil {
					x.Errorf("join: %v", err)
				}
				mu.Lock()
				for _, it := range items {
					got[it.ID]++
					if !slices.Contains(ids[leaders:], it.ID) {
						x.Errorf("item %d joined", it.ID)
					}
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for id, n := range got {
		if n != 1 {
			x.Errorf("item %d joined %d leaders, want 1", id, n)
		}
	}
	if len(got) != 100 {
		x.Errorf("%d items joined, want 100", len(got))
	}
}

func pointsTo(p *int64, v int64) bool { return p != nil && *p == v }
