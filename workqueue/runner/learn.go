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

	// keptKeys bounds the number of collected keys. Durations of further keys are discarded
	// until the collected ones are written.
	keptKeys = 1000

	// learnBatch bounds the keys of one transaction.
	learnBatch = 100
)

// learner collects the durations of a worker's runs. They are not essential: their number is
// bounded, they are lost if the process crashes, and nothing waits for them.
type learner struct {
	profiles workqueue.Profiles

	mu        sync.Mutex
	collected map[learned.Key]*learned.Runs
}

// record collects a run that has ended. Only successful runs count, because a failure may
// happen at once.
func (l *learner) record(it *workqueue.Item, o workqueue.Outcome, took time.Duration) {
	if o.Verdict != workqueue.Succeeded {
		return
	}
	run := learned.Run{Took: took}
	// The estimate of the pass, or else that of the item.
	if estimate := cmp.Or(it.AssignedEstimateMs, it.EstimatedDurationMs); estimate != nil {
		run.Estimate = time.Duration(min(max(*estimate, 0), learned.Longest.Milliseconds())) * time.Millisecond
	}
	profile := workqueue.Profile{}
	if pipeline := learned.Pipeline(it.IntegrationConfig); pipeline != "" {
		profile = l.profiles.For(pipeline)
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
	g := l.collected[r.Key]
	if g == nil {
		if len(l.collected) >= keptKeys {
			return
		}
		if l.collected == nil {
			l.collected = map[learned.Key]*learned.Runs{}
		}
		g = &learned.Runs{Key: r.Key}
		l.collected[r.Key] = g
	}
	g.LeftOut += r.LeftOut
	g.Runs = append(g.Runs, r.Runs...)
	if over := len(g.Runs) - 2*learned.KeptRuns; over >= 0 { // rarely, because Trim copies runs
		g.Trim()
	}
}

// drain removes and returns what was collected.
func (l *learner) drain() []learned.Runs {
	l.mu.Lock()
	collected := l.collected
	l.collected = nil
	l.mu.Unlock()
	all := make([]learned.Runs, 0, len(collected))
	for r := range maps.Values(collected) {
		r.Trim()
		all = append(all, *r)
	}
	return all
}

// putBack adds runs that could not be written, before those that were collected since then.
func (l *learner) putBack(all []learned.Runs) {
	l.mu.Lock()
	defer l.mu.Unlock()
	since := l.collected
	l.collected = nil
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
	for all := r.learner.drain(); len(all) > 0; {
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
