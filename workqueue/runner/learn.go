package runner

import (
	"cmp"
	"context"
	"maps"
	"sync"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/learned"
)

const (
	// learnEvery is how long each worker collects durations before it writes them.
	learnEvery = 10 * time.Second

	// keptKeys bounds the collected keys: nothing is learned about further ones until these
	// are written.
	keptKeys = 1000

	// learnBatch bounds the keys of one transaction.
	learnBatch = 100
)

// learner collects the durations of a worker's runs. They are worth little: their number is
// bounded, they are lost with the process, and nothing waits for them.
type learner struct {
	profiles workqueue.Profiles

	mu       sync.Mutex
	gathered map[learned.Key]*learned.Runs
}

// note collects a run that has ended. Only successful runs show how long such items take: a
// failure may come at once.
func (l *learner) note(it *workqueue.Item, o workqueue.Outcome, took time.Duration) {
	if o.Verdict != workqueue.Succeeded {
		return
	}
	run := learned.Run{Took: took}
	// The error is that of the pass's estimate, or else of the item's own.
	if estimate := cmp.Or(it.AssignedEstimateMs, it.EstimatedDurationMs); estimate != nil {
		run.Estimate = time.Duration(min(max(*estimate, 0), learned.Longest.Milliseconds())) * time.Millisecond
	}
	profile := workqueue.Profile{}
	if pipeline := learned.Pipeline(it.IntegrationConfig); pipeline != "" {
		profile = l.profiles.Of(pipeline)
	}
	keys := learned.Keys(it.IntegrationConfig, textOf(it.TaskName), textOf(it.NaturalKey), profile)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, key := range keys {
		l.addLocked(learned.Runs{Key: key, Runs: []learned.Run{run}})
	}
}

func textOf(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// addLocked appends runs.
func (l *learner) addLocked(r learned.Runs) {
	g := l.gathered[r.Key]
	if g == nil {
		if len(l.gathered) >= keptKeys {
			return
		}
		if l.gathered == nil {
			l.gathered = map[learned.Key]*learned.Runs{}
		}
		g = &learned.Runs{Key: r.Key}
		l.gathered[r.Key] = g
	}
	g.LeftOut += r.LeftOut
	g.Runs = append(g.Runs, r.Runs...)
	if over := len(g.Runs) - 2*learned.KeptRuns; over >= 0 { // rarely, so that little is moved
		g.Trim()
	}
}

// take removes and returns what was collected.
func (l *learner) take() []learned.Runs {
	l.mu.Lock()
	gathered := l.gathered
	l.gathered = nil
	l.mu.Unlock()
	all := make([]learned.Runs, 0, len(gathered))
	for r := range maps.Values(gathered) {
		r.Trim()
		all = append(all, *r)
	}
	return all
}

// putBack puts runs that could not be written before those that were collected since.
func (l *learner) putBack(all []learned.Runs) {
	l.mu.Lock()
	defer l.mu.Unlock()
	since := l.gathered
	l.gathered = nil
	for _, r := range all {
		l.addLocked(r)
	}
	for r := range maps.Values(since) {
		l.addLocked(*r)
	}
}

// learnDurations writes the collected durations every ten seconds, until ctx ends or the worker
// drains; Stop writes the rest. Workers that start together do not write together.
func (r *Runner) learnDurations(ctx context.Context) {
	wait := time.Duration(random() * float64(learnEvery))
	for r.pause(ctx, wait) {
		r.learn(ctx)
		wait = learnEvery
	}
}

// learn writes what was collected, batch by batch. If the database is unreachable, which the
// heartbeat logs, only the estimates become a little older.
func (r *Runner) learn(ctx context.Context) {
	for all := r.learner.take(); len(all) > 0; {
		batch := all[:min(len(all), learnBatch)]
		bounded, cancel := context.WithTimeout(ctx, r.statementTime())
		err := r.o.Store.Learn(bounded, batch)
		cancel()
		if err != nil {
			r.learner.putBack(all)
			r.o.Log.Debug().Err(err).Int("keys", len(all)).Msg("could not save run durations; retrying")
			return
		}
		all = all[len(batch):]
	}
}
