package learned

import (
	"context"
	"sync/atomic"
	"time"

	"botwork/workqueue"
)

// maxAge is how old the cached durations may be at the start of a pass.
const maxAge = 30 * time.Second

// LeastRuns is how many runs a key needs before its mean is used.
const LeastRuns = 3

// Estimates estimates how long items will take, from a cached copy of the learned
// durations. It is safe for concurrent use; a nil *Estimates has no estimates.
type Estimates struct {
	store   Reader
	reading chan struct{} // holds a token while one goroutine reads
	latest  atomic.Pointer[table]
}

// table is what one read returned.
type table struct {
	readAt    time.Time
	pipelines map[string]*pipelineMeans
}

// pipelineMeans holds the means of one pipeline. Most of its maps are empty, and a
// pass that estimates a million items skips empty maps.
type pipelineMeans struct {
	mean  time.Duration // 0 if unknown
	tasks map[string]time.Duration
	keys  map[string]time.Duration
}

// NewEstimates returns Estimates that has not read anything yet.
func NewEstimates(store Reader) *Estimates {
	return &Estimates{store: store, reading: make(chan struct{}, 1)}
}

// Refresh reads the learned durations again if the cached ones are older than
// half a minute. Call it before a pass. While another goroutine reads, it returns
// at once, and after an error the previous durations stay in use.
func (e *Estimates) Refresh(ctx context.Context) error {
	if e == nil {
		return nil
	}
	if t := e.latest.Load(); t != nil && time.Since(t.readAt) < maxAge {
		return nil
	}
	select {
	case e.reading <- struct{}{}:
	default:
		return nil
	}
	defer func() { <-e.reading }()
	began := time.Now()
	durations, err := e.store.Learned(ctx)
	if err != nil {
		return err
	}
	e.latest.Store(newTable(durations, began))
	return nil
}

func newTable(durations map[Key]Typical, readAt time.Time) *table {
	t := &table{readAt: readAt, pipelines: map[string]*pipelineMeans{}}
	for key, typical := range durations {
		if typical.Runs < LeastRuns {
			continue
		}
		p := t.pipelines[key.Pipeline]
		if p == nil {
			p = &pipelineMeans{tasks: map[string]time.Duration{}, keys: map[string]time.Duration{}}
			t.pipelines[key.Pipeline] = p
		}
		mean := max(typical.Mean, time.Microsecond) // 0 means unknown
		switch key.Kind {
		case OfPipeline:
			p.mean = mean
		case OfTask:
			p.tasks[key.Name] = mean
		case OfKey:
			p.keys[key.Name] = mean
		}
	}
	return t
}

// Estimate returns how long an item that declares no estimate itself is likely to
// take: the mean for the beginning of its natural key, else for its task, else for
// its pipeline. It is never 0; false if none of these has three runs. The caller
// then uses the pipeline's declared estimate, p.Estimate, which is meant for the
// first runs.
func (e *Estimates) Estimate(integrationConfig, task, naturalKey string, p workqueue.Profile) (time.Duration, bool) {
	if e == nil {
		return 0, false
	}
	t := e.latest.Load()
	if t == nil {
		return 0, false
	}
	means := t.pipelines[Pipeline(integrationConfig)]
	if means == nil {
		return 0, false
	}
	if len(means.keys) > 0 {
		if mean, ok := means.keys[keyPrefix(naturalKey, p)]; ok {
			return mean, true
		}
	}
	if len(means.tasks) > 0 && task != "" {
		if mean, ok := means.tasks[keyName(task, nameLen)]; ok {
			return mean, true
		}
	}
	return means.mean, means.mean > 0
}
