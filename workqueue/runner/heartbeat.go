package runner

import (
	"context"
	"errors"
	"time"

	"botwork/workqueue"
)

// idleBeat is the minimum time between a heartbeat and an early one that reports that this
// worker has become idle, for passes that prefer the worker that has been idle longest.
const idleBeat = 5 * time.Second

// signalIdle requests an early heartbeat when the last run has ended.
func (r *Runner) signalIdle() {
	if !r.active.idleFor(idleBeat) {
		return
	}
	select {
	case r.beatNow <- struct{}{}:
	default:
	}
}

// heartbeat renews the worker's row and all its leases, one statement each, until ctx ends. A
// failed heartbeat is repeated sooner.
func (r *Runner) heartbeat(ctx context.Context) {
	failing, passedOver, changed := false, false, r.gateChanged()
	next := r.o.Heartbeat
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.beatNow:
		case <-changed:
		case <-time.After(next):
		}
		locked, err := r.beat(ctx)
		if r.o.AfterHeartbeat != nil {
			r.o.AfterHeartbeat()
		}
		switch {
		case err == nil:
			if failing {
				r.o.Log.Info().Msg("database connection restored; heartbeats resumed")
			}
			failing, next = false, r.o.Heartbeat
			if len(locked) > 0 {
				next = r.o.Heartbeat / 5 // their leases end soon
			}
			if len(locked) > 0 && !passedOver {
				r.o.Log.Warn().Ints64("item_ids", locked).Msg("could not renew leases: another session of the database holds the rows; the runs are stopped before their leases expire unless it ends")
			}
			passedOver = len(locked) > 0
		case errors.Is(err, workqueue.ErrWorkerReplaced):
			r.o.Log.Error().Msg("another process has taken over this worker's name; stopping running items")
			r.held.cancelAll(workqueue.ErrLeaseLost)
			close(r.replaced)
			return
		case errors.Is(err, workqueue.ErrDatabaseLost):
			r.o.Log.Error().Err(err).Msg("database lost; stopping this worker and its items")
			r.lostBecause = err
			close(r.lost)
			r.held.cancelAll(workqueue.ErrDatabaseLost)
			return
		case ctx.Err() != nil:
			return
		default:
			if !failing {
				r.o.Log.Error().Err(err).Msg("heartbeat failed; running items are stopped before their leases expire unless the database comes back")
			}
			failing, next = true, r.o.Heartbeat/5
		}
	}
}

// beat returns the items whose leases were not renewed, because another session holds their rows.
func (r *Runner) beat(ctx context.Context) (locked []int64, err error) {
	started := time.Now()
	ctx, cancel := context.WithTimeout(ctx, r.o.Heartbeat)
	defer cancel()
	r.active.recordBeat(started)
	refs, gate := r.held.refs(), r.obeyGate()
	result, err := r.o.Store.Beat(ctx, workqueue.BeatParams{
		WorkerID: r.worker.ID, InstanceID: r.worker.InstanceID, Lease: r.o.Spec.Lease, Held: refs, Started: r.held.started(), Stuck: r.active.stuckSlots(),
		Ended: r.active.sinceEnd(), Gate: gate,
	})
	if err != nil {
		return nil, err
	}
	// Counted from the start of the statement: the lease in the database ends later.
	lost := r.held.renewed(refs, result.Lost, result.Locked, started.Add(r.o.Spec.Lease))
	r.completer.alive()
	r.dispatch.planner.recordBeat(started)
	if result.History != nil {
		r.logHistory(result.History)
	}
	if result.State != "" {
		r.obey(ctx, &result)
	}
	r.recordGate(ctx, gate)
	r.logLost(ctx, lost)
	return result.Locked, nil
}

// logHistory logs that the database may have lost its latest transactions. The runs whose
// claims are lost are already being stopped.
func (r *Runner) logHistory(h *workqueue.HistoryChange) {
	r.o.Log.Error().Int64("epoch_before", h.Before.Epoch).Int64("epoch", h.After.Epoch).
		Str("timeline_before", h.Before.Timeline).Str("timeline", h.After.Timeline).
		Int("lost_claims", h.LostClaims).Str("reason", h.After.Reason).
		Msg("the database may have lost its latest transactions: items that were added and results that were written shortly before may be gone, " +
			"and runs of lost claims are stopped; a new epoch prevents that fences and ids are used again")
	for _, statement := range h.Refused {
		r.o.Log.Error().Str("statement", statement).
			Msg("this login may not advance an identity, so ids may be used twice: ask the owner of the tables to execute the statement")
	}
}

// watch cancels runs whose lease could not be renewed. It does so a tenth of the lease before
// the end, so that handlers have time to stop. It then handles runs that do not stop. It does
// not use the database, because the database may be the part that hangs.
func (r *Runner) watch(ctx context.Context) {
	margin := r.o.Spec.Lease / 10
	ticker := time.NewTicker(max(margin/2, time.Millisecond))
	defer ticker.Stop()
	sleep := newSleepwatch(r.wall)
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if slept := sleep.slept(); slept > margin {
				r.o.Log.Warn().Float64("slept_s", slept.Seconds()).
					Msg("the machine slept, or its clock was set forward; checking leases in the database")
				select {
				case r.beatNow <- struct{}{}:
				default:
				}
			}
			// Not the time of the tick: the tick may be from before the machine slept.
			now := time.Now()
			if n := r.held.expire(now.Add(margin)); n > 0 {
				r.o.Log.Error().Int("items", n).Msg("could not renew leases in time; stopping their items")
			}
			r.handleStuck(now)
		}
	}
}
