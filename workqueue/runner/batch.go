package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"botwork/workqueue"
)

// batchBytes bounds what the items of a batch have to read.
const batchBytes = 32 << 20

// batchRun are the items of a run that may have several: those of one BatchKey. Each has its own
// lease. The run ends early only when all of them are lost, or for a reason of its own, such as
// its time limit.
type batchRun struct {
	*workqueue.RunBatch
	claims []*claimed // of Items
	cancel context.CancelCauseFunc
	stops  []func() bool

	mu   sync.Mutex
	held int // items that are not lost
}

// startBatch lets further items join the claimed item it, and records that they start. It
// returns nil if the worker may no longer start the item.
func (sv *supervisor) startBatch(a *activeRun, it *claimed) *batchRun {
	list := []*claimed{it}
	if it.Unreadable == "" && it.Oversized == "" {
		joined, err := sv.join(it)
		if err != nil {
			sv.r.o.Log.Warn().Err(err).Int64("item_id", it.ID).Msg("released an item: could not claim the items that run together with it")
			return nil
		}
		list = append(list, joined...)
	}
	refs := make([]workqueue.ItemRef, len(list))
	for i, one := range list {
		refs[i] = one.ref()
	}
	refused := sv.r.begin(it.ctx, refs...)
	it.recordStart = false
	if slices.Contains(refused, it.ID) {
		sv.releaseJoined(list[1:])
		return nil
	}
	b := &batchRun{RunBatch: &workqueue.RunBatch{}}
	for _, one := range list {
		if slices.Contains(refused, one.ID) {
			sv.releaseJoined([]*claimed{one})
			continue
		}
		b.Items, b.claims = append(b.Items, &one.Item), append(b.claims, one)
		if one != it && (one.Unreadable != "" || one.Oversized != "") {
			b.Leave(one.ID) // it fails in a run of its own
		}
	}
	a.run.Batch = b.RunBatch
	sv.r.active.setBatch(a, b, b.watch(sv.r.runs))
	return b
}

// join claims the items that run together with a claimed item.
func (sv *supervisor) join(it *claimed) ([]*claimed, error) {
	most := 1
	if it.BatchMax != nil {
		most = min(max(*it.BatchMax, 1), workqueue.MostBatch)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(sv.r.runs), sv.r.statementTime())
	defer cancel()
	got := claimBatch{since: time.Now()}
	items, err := sv.r.o.Store.Join(ctx, workqueue.JoinParams{
		WorkerID: sv.r.worker.ID, InstanceID: sv.r.worker.InstanceID, Leader: it.ref(), Lease: sv.r.o.Spec.Lease, Max: most - 1, Bytes: batchBytes,
	})
	if err != nil {
		return nil, err
	}
	got.confirmed = time.Now()
	joined := sv.hold(items, got)
	sv.mu.Lock()
	defer sv.mu.Unlock()
	for _, one := range joined {
		one.step, one.policy = it.step, it.policy
		sv.items++
		one.step.items++
	}
	return joined, nil
}

// releaseJoined releases items that joined and must not start.
func (sv *supervisor) releaseJoined(list []*claimed) {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	for _, one := range list {
		sv.release(one)
	}
}

// watch makes the context of the run end when all items are lost.
func (b *batchRun) watch(parent context.Context) context.Context {
	b.held = len(b.claims)
	ctx, cancel := context.WithCancelCause(parent)
	b.cancel = cancel
	for _, one := range b.claims {
		b.stops = append(b.stops, context.AfterFunc(one.ctx, func() { b.lose(context.Cause(one.ctx)) }))
		stop := one.endAtFinishBy(time.Now())
		b.stops = append(b.stops, func() bool { stop(); return true })
	}
	return ctx
}

// lose records that an item is lost.
func (b *batchRun) lose(cause error) {
	b.mu.Lock()
	b.held--
	all := b.held == 0
	b.mu.Unlock()
	if all {
		b.cancel(cause)
	}
}

// end stops watching the items of a run that has ended.
func (b *batchRun) end() {
	for _, stop := range b.stops {
		stop()
	}
	b.cancel(nil)
}

// outcomeOf returns how one item of a run ended.
func (b *batchRun) outcomeOf(one *claimed, run workqueue.Outcome) workqueue.Outcome {
	cause := context.Cause(one.ctx)
	if late, ok := errors.AsType[*workqueue.FinishByError](cause); ok {
		return workqueue.Outcome{Verdict: workqueue.Failed, Kind: workqueue.KindExpired, Step: run.Step, Error: "expired: " + late.Error()}
	}
	if errors.Is(cause, workqueue.ErrLeaseLost) {
		return workqueue.Outcome{Verdict: workqueue.Released, Step: run.Step, Error: cause.Error()}
	}
	of := b.OutcomeOf(one.ID, run)
	if of.Verdict == workqueue.Failed && of.Error == run.Error && len(b.claims) > 1 {
		of.Error += fmt.Sprintf("; it ran together with %d other items, led by item %d", len(b.claims)-1, b.claims[0].ID)
	}
	return of
}

// endBatch passes the outcome of each item of a run to the completer. written is closed when
// all of them are written or never will be.
func (sv *supervisor) endBatch(a *activeRun, outcome workqueue.Outcome, took time.Duration) (written <-chan struct{}) {
	over := make(chan struct{})
	var left atomic.Int64
	left.Store(int64(len(a.batch.claims)))
	ends := make([]workqueue.Finish, len(a.batch.claims))
	for i, one := range a.batch.claims {
		ends[i] = sv.endOf(a, one, outcome, took)
	}
	for _, end := range ends { // all of them are counted
		sv.r.completer.add(end, func(settled bool) {
			sv.recordSettled(a.step, settled)
			if left.Add(-1) == 0 {
				close(over)
			}
		})
	}
	return over
}

// endOf counts the outcome of one item of a run and returns how it is written.
func (sv *supervisor) endOf(a *activeRun, one *claimed, outcome workqueue.Outcome, took time.Duration) workqueue.Finish {
	if a.batch.Left(one.ID) {
		sv.countOf(a.step, workqueue.Released)
		f := unstarted(one)
		f.Alone = true
		return f
	}
	of := a.batch.outcomeOf(one, outcome)
	sv.countOf(a.step, of.Verdict)
	if sv.r.o.Ended != nil {
		sv.r.o.Ended(a.traced, &one.Item, of, took)
	}
	run := a.run
	if one.ID != a.run.ID {
		run = a.run.For(&one.Item)
	}
	return of.ToFinish(run, took, random())
}

// abandonBatch ends a run that has lost all its items and does not stop.
func (sv *supervisor) abandonBatch(a *activeRun) {
	for _, one := range a.batch.claims {
		sv.countOf(a.step, workqueue.Released)
		sv.r.held.remove(one.ref())
		sv.recordSettled(a.step, true)
	}
}

// countOf counts the outcome of one item of a batch.
func (sv *supervisor) countOf(st *step, v workqueue.Verdict) {
	sv.mu.Lock()
	defer sv.mu.Unlock()
	sv.ending++
	st.count(v)
}
