package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"time"

	"pgregory.net/rapid"

	"botwork/internal/testgroup"
	"botwork/workqueue"
)

// keptIsCounted compares the statistics of all queues, and their sum, with a
// listing of all items.
func keptIsCounted(ctx context.Context, store Store) error {
	all, err := store.Statistics(ctx, "")
	if err != nil {
		return err
	}
	items, err := store.Items(ctx, workqueue.ItemFilter{Lifecycles: workqueue.Lifecycles(), Limit: 100_000})
	if err != nil {
		return err
	}
	all = append(all, *workqueue.OverallStatistics(all))
	var faults []error
	for _, q := range all {
		lives, states := map[workqueue.Lifecycle]int64{}, map[string]int64{}
		for _, l := range workqueue.Lifecycles() {
			lives[l] = 0
		}
		for _, s := range workqueue.States() {
			states[s.String()] = 0
		}
		for _, it := range items {
			if q.Queue != "" && it.QueueName != q.Queue {
				continue
			}
			lives[it.Lifecycle]++
			if it.DeletedAt == nil {
				states[it.State.String()]++
			}
		}
		if !maps.Equal(q.Items, lives) || !maps.Equal(q.States, states) {
			faults = append(faults, fmt.Errorf("queue %q: counts are\n     %s %s\nwant %s %s", q.Queue,
				asJSON(q.Items), asJSON(q.States), asJSON(lives), asJSON(states)))
		}
	}
	return errors.Join(faults...)
}

// statQueues are the queues of a history, each with a different policy.
var statQueues = []string{"kept", "hides", "small"}

func (x *fixture) defineStatQueues() {
	x.Helper()
	limit := 2
	x.define("test", []string{"hides", "kept", "small"},
		workqueue.Queue{Name: "kept"},
		workqueue.Queue{Name: "hides", QueueLife: workqueue.QueueLife{Deletion: workqueue.DeletionLogical}},
		workqueue.Queue{Name: "small", QueueLife: workqueue.QueueLife{ArchiveLimit: &limit, OnExpiry: workqueue.ExpiryRemove}})
}

// statHistory runs random operations. Afterwards the kept counts must match the
// listed items.
func statHistory(x *fixture) {
	x.defineStatQueues()
	x.maxReleases(2)
	testgroup.Check(x.T, 10, func(rt *rapid.T) {
		for _, table := range []string{"BotWorkItemAttempts", "BotWorkQueueItems", "BotQueueStats", "BotWorkers"} {
			x.Exec(x.T, `DELETE FROM "`+table+`"`)
		}
		h := statProcess{ctx: x.ctx, store: x.Store, worker: x.Worker(WorkerOpts{}), pick: func(n int) int { return fair(n).Draw(rt, "pick") }}
		h.byHand = func(format string, args ...any) { x.Exec(x.T, fmt.Sprintf(format, args...)) }
		rt.Repeat(map[string]func(*rapid.T){
			"step": func(rt *rapid.T) { must(rt, h.step()) },
		})
		must(rt, keptIsCounted(x.ctx, x.Store))
	})
}

// figuresAreSound runs the check of statistics, if the store has one, and returns an
// error for each wrong count.
func figuresAreSound(ctx context.Context, store Store) error {
	checker, ok := store.(workqueue.Checker)
	if !ok {
		return nil
	}
	report, err := workqueue.ConfirmedCheck(ctx, checker, workqueue.CheckParams{})
	for _, v := range report.Violations {
		if v.Check == workqueue.CheckStatistics {
			err = errors.Join(err, fmt.Errorf("%s: %s, although no row was changed by hand", v.Subject(), v.Found))
		}
	}
	return err
}

// statContend does the same with several processes at the same time, while others
// compact, check and recount. No item may be counted twice or not at all.
func statContend(x *fixture) {
	const processes, steps = 4, 100
	x.defineStatQueues()
	seed := uint64(time.Now().UnixNano())
	x.Logf("seed %d", seed)
	var work, upkeep sync.WaitGroup
	for n := range processes {
		random := rand.New(rand.NewPCG(seed, uint64(n)))
		h := statProcess{ctx: x.ctx, store: x.Another(x.T), worker: x.Worker(WorkerOpts{}), pick: random.IntN}
		work.Go(func() {
			for range steps {
				if err := h.step(); err != nil {
					x.Errorf("%s: %v", h.worker.Name, err)
					return
				}
			}
		})
	}
	done := make(chan struct{})
	for range 2 {
		store := x.Another(x.T)
		upkeep.Go(func() {
			for more := true; more; {
				select {
				case <-done:
					more = false // once more after all other work has ended
				default:
				}
				if _, err := store.CompactStatistics(x.ctx, 0); err != nil {
					x.Errorf("compact: %v", err)
				}
				if err := figuresAreSound(x.ctx, store); err != nil {
					x.Error(err)
				}
				corrections, err := store.RecountStatistics(x.ctx, nil)
				if len(corrections) > 0 || err != nil && !errors.Is(err, workqueue.ErrRecounted) {
					x.Errorf("a recount corrected %s, %v, want none: no row was changed by hand", asJSON(corrections), err)
				}
			}
		})
	}
	work.Wait()
	close(done)
	upkeep.Wait()
	if err := keptIsCounted(x.ctx, x.Store); err != nil {
		x.Error(err)
	}
}

// statProcess is a process that does random operations on items.
type statProcess struct {
	ctx    context.Context
	store  Store
	worker workqueue.Worker
	pick   func(n int) int
	byHand func(format string, args ...any) // expires leases and deadlines; nil: they do not expire
	held   []workqueue.Item
}

func (h *statProcess) step() error {
	switch n := h.pick(13); {
	case n < 2:
		return h.enqueue()
	case n < 4:
		return h.assign()
	case n < 5:
		return h.claim()
	case n < 8:
		return h.finish()
	case n < 10:
		return h.changeOne()
	case n < 11:
		return h.changeMany()
	case n < 12:
		return h.cleanUp()
	default:
		return h.rescue()
	}
}

func (h *statProcess) enqueue() error {
	batch := make([]workqueue.NewItem, 1+h.pick(4))
	for i := range batch {
		batch[i] = workqueue.NewItem{QueueName: statQueues[h.pick(len(statQueues))], IntegrationConfig: Pipeline}
		switch h.pick(8) {
		case 0:
			batch[i].In = time.Hour
		case 1:
			batch[i].Deadline = time.Now().Add(time.Hour)
		}
	}
	_, err := h.store.Enqueue(h.ctx, batch)
	return err
}

func (h *statProcess) assign() error {
	return h.store.Assign(h.ctx, func(ctx context.Context, tx workqueue.AssignTx) error {
		due, err := tx.DueItems(ctx, workqueue.EveryPriority, workqueue.Full{}, 5)
		if err != nil {
			return err
		}
		var batch []workqueue.Assignment
		for _, d := range due {
			batch = append(batch, workqueue.Assignment{ItemID: d.ID, WorkerID: h.worker.ID})
		}
		_, err = tx.Write(ctx, batch)
		return err
	})
}

func (h *statProcess) claim() error {
	items, err := h.store.Claim(h.ctx, claimParams(h.worker, 3))
	h.held = append(h.held, items...)
	return err
}

// finish ends one to three runs in one batch. Some of them may be lost.
func (h *statProcess) finish() error {
	if len(h.held) == 0 {
		if err := h.claim(); err != nil || len(h.held) == 0 {
			return err
		}
	}
	var ends []workqueue.Finish
	for range 1 + h.pick(3) {
		if len(h.held) == 0 {
			break
		}
		at := h.pick(len(h.held))
		it := h.held[at]
		h.held = append(h.held[:at:at], h.held[at+1:]...)
		end := success(it)
		switch h.pick(8) {
		case 0:
			end.Retain = new(time.Duration)
		case 1:
			end = failure(it, workqueue.Ready)
			end.Delay = 0
		case 2:
			end = failure(it, workqueue.Cancelled)
		case 3:
			end = asCopy(it, it.RetryCount+1)
			end.Delay = 0
		case 4:
			end = failure(it, workqueue.Cancelled)
			end.Delete = []workqueue.Deletion{workqueue.DeletionPhysical, workqueue.DeletionLogical}[h.pick(2)]
		}
		end.QueueName = it.QueueName
		ends = append(ends, end)
	}
	_, err := h.store.Finish(h.ctx, h.worker.ID, h.worker.InstanceID, ends)
	return err
}

func (h *statProcess) action() workqueue.Change {
	actions := workqueue.Actions()
	return workqueue.Change{Action: actions[h.pick(len(actions))], Reason: "why"}
}

func (h *statProcess) changeOne() error {
	items, err := h.store.Items(h.ctx, workqueue.ItemFilter{Lifecycles: workqueue.Lifecycles(), Limit: 50})
	if err != nil || len(items) == 0 {
		return err
	}
	_, err = h.store.ChangeItem(h.ctx, items[h.pick(len(items))].ID, h.action())
	if _, forbidden := errors.AsType[*workqueue.TransitionError](err); forbidden || errors.Is(err, workqueue.ErrNotFound) {
		return nil
	}
	return err
}

func (h *statProcess) changeMany() error {
	lives := workqueue.Lifecycles()
	f := workqueue.ItemFilter{QueueName: statQueues[h.pick(len(statQueues))], Limit: 1 + h.pick(5)}
	if h.pick(2) == 0 {
		f.Lifecycles = []workqueue.Lifecycle{lives[h.pick(len(lives))]}
	}
	_, err := h.store.ChangeItems(h.ctx, f, h.action())
	return err
}

// cleanUp permanently removes some finished items.
func (h *statProcess) cleanUp() (err error) {
	limit := 1 + h.pick(3)
	switch h.pick(5) {
	case 0:
		_, err = h.store.RemoveCompleted(h.ctx, new(time.Duration), limit)
	case 1:
		_, err = h.store.RemoveArchived(h.ctx, new(time.Duration), limit)
	case 2:
		_, err = h.store.RemoveDeleted(h.ctx, 0, limit)
	case 3:
		_, err = h.store.TrimArchives(h.ctx, new(1), limit)
	default:
		_, err = h.store.PurgeQueue(h.ctx, workqueue.PurgeParams{Queue: statQueues[h.pick(len(statQueues))], Limit: limit})
	}
	return err
}

func (h *statProcess) rescue() error {
	if len(h.held) > 0 && h.byHand != nil {
		h.byHand(`UPDATE "BotWorkQueueItems" SET "LeaseExpiresAt" = %s WHERE "Id" = %d AND "State" = 1`, longAgo, h.held[h.pick(len(h.held))].ID)
	}
	if h.pick(4) == 0 && h.byHand != nil {
		h.byHand(`UPDATE "BotWorkQueueItems" SET "DeadlineAt" = %s WHERE "DeadlineAt" IS NOT NULL`, longAgo)
	}
	return h.store.Assign(h.ctx, func(ctx context.Context, tx workqueue.AssignTx) error {
		if _, err := tx.Rescue(ctx, time.Hour); err != nil {
			return err
		}
		_, err := tx.Expire(ctx)
		return err
	})
}
