package scheduler

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/rs/zerolog"

	"botwork/workqueue"
)

// controlEvery is how often the scheduler reads what people asked for: pauses and runs. A pause
// itself takes effect at once, because the store starts no run of a paused pipeline.
// While the database does not answer, the interval grows to controlLatest.
const controlEvery, controlLatest = 2 * time.Second, time.Minute

// followControls applies pauses and starts requested runs until ctx ends.
func (s *Scheduler) followControls(ctx context.Context) {
	wait := controlEvery
	for {
		if s.applyControls(ctx) {
			wait = controlEvery
		} else {
			wait = min(2*wait, controlLatest)
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-s.asked:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// applyControls reads the controls once. It returns false if the store does not answer, which the
// loops of the schedules log.
func (s *Scheduler) applyControls(ctx context.Context) (ok bool) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	c, err := s.store.Controls(ctx)
	if err != nil {
		return false
	}
	s.mu.Lock()
	runners := maps.Clone(s.runners)
	s.mu.Unlock()
	requests := make(map[string]workqueue.RunRequest, len(c.Requests))
	for _, q := range c.Requests {
		requests[q.Pipeline] = q
	}
	for _, name := range slices.Sorted(maps.Keys(runners)) {
		r := runners[name]
		if pause, ok := c.Paused[name]; ok {
			r.setPause(&pause)
			r.setRequested(false)
			continue
		}
		r.setPause(nil)
		q, ok := requests[name]
		r.setRequested(ok && !r.startRequested(q))
	}
	return true
}

// setPause records the pause that was read, or nil, and logs a change once. While the pipeline is
// paused, its active run starts no more work.
func (r *runner) setPause(pause *workqueue.PipelinePause) {
	r.place.mu.Lock()
	before, active := r.place.paused, r.place.run != nil
	r.place.paused = pause
	r.place.mu.Unlock()
	switch {
	case pause != nil && before == nil:
		r.log.Info().EmbedObject(pauseFields{pause}).Msg("pipeline paused: no run of it starts until it is resumed")
	case pause == nil && before != nil:
		r.log.Info().Msg("pipeline resumed")
		r.ring() // for work that was announced meanwhile
	}
	if work := r.work.Load(); pause != nil && active && work.Pause != nil {
		work.Pause()
	}
}

// pauseFields are the fields of a pause in the log.
type pauseFields struct{ *workqueue.PipelinePause }

func (p pauseFields) MarshalZerologObject(e *zerolog.Event) {
	e.Str("by", p.By).Time("since", p.At)
	if p.Reason != "" {
		e.Str("reason", p.Reason)
	}
}

func (r *runner) setRequested(waits bool) {
	r.place.mu.Lock()
	defer r.place.mu.Unlock()
	if r.place.requested && !waits {
		defer r.ring()
	}
	r.place.requested = waits
}

// startRequested starts a requested run on this worker, unless a run is active. It returns false if
// the request still waits: it stays in the database until a worker is free, or it expires.
func (r *runner) startRequested(q workqueue.RunRequest) (done bool) {
	running, ok := r.reserve()
	if !ok {
		if leave := r.work.Load().Leave; running.woken && leave != nil {
			leave() // it only waits for new work
		}
		return false
	}
	log := r.log.With().Int64("request_id", q.ID).Logger()
	once := r.job.Scope == ScopeOnce
	if once {
		if _, busy, err := r.runsElsewhere(); err != nil || busy {
			r.release()
			return false
		}
	}
	start := Start{Trigger: q.Trigger, By: q.By}
	if q.PlannedAt != nil {
		start.PlannedAt = q.PlannedAt.UTC()
	}
	work := r.work.Load()
	run := r.record(start, work)
	run.RequestID = &q.ID
	ctx, cancel := r.storeCtx()
	defer cancel()
	id, started, err := r.s.store.StartRequested(ctx, run, once, r.s.worker.Name)
	if err != nil {
		r.orphans.Store(true) // the row may exist anyway
		log.Warn().Err(err).EmbedObject(start).Msg("could not start the requested run")
	}
	if err != nil || !started {
		r.release()
		r.ring() // a firing may have become due meanwhile
		return err == nil
	}
	log.Info().Int64("run_id", id).EmbedObject(start).Msg("requested run started")
	r.s.runs.Go(func() {
		r.execute(id, work, start, nil)
		select {
		case r.s.asked <- struct{}{}: // start the next run of a backfill
		default:
		}
	})
	return true
}
