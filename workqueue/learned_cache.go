package workqueue

import (
	"context"
	"sync/atomic"
	"time"
)

// learnedFor is how long an assignment pass goes on with what it has read.
const learnedFor = 30 * time.Second

// leastRuns is how many runs a key must have before it is trusted.
const leastRuns = 3

// Learned answers how long items are likely to take, from what was read of the
// database last. It may be used from several goroutines at once; a nil one knows
// nothing.
type Learned struct {
	store   DurationStore
	reading chan struct{} // holds a token while somebody reads
	latest  atomic.Pointer[learnedTable]
}

// learnedTable is what was read at one time.
type learnedTable struct {
	readAt    time.Time
	pipelines map[string]*learnedPipeline
}

// learnedPipeline is what is known of one pipeline. A pass asks for a million
// items: most of these maps are empty, and an empty map costs no look.
type learnedPipeline struct {
	mean  time.Duration // 0: not known
	tasks map[string]time.Duration
	keys  map[string]time.Duration
}

// NewLearned returns one that has read nothing yet.
func NewLearned(store DurationStore) *Learned {
	return &Learned{store: store, reading: make(chan struct{}, 1)}
}

// Refresh reads again when what was read is older than half a minute. It is for
// the moment before a pass: while somebody else reads, it goes on with what there
// is. After an error, Estimate knows what it knew before.
func (l *Learned) Refresh(ctx context.Context) error {
	if l == nil {
		return nil
	}
	if t := l.latest.Load(); t != nil && time.Since(t.readAt) < learnedFor {
		return nil
	}
	select {
	case l.reading <- struct{}{}:
	default:
		return nil
	}
	defer func() { <-l.reading }()
	began := time.Now()
	known, err := l.store.Learned(ctx)
	if err != nil {
		return err
	}
	l.latest.Store(newLearnedTable(known, began))
	return nil
}

func newLearnedTable(known map[DurationKey]Typical, at time.Time) *learnedTable {
	t := &learnedTable{readAt: at, pipelines: map[string]*learnedPipeline{}}
	for key, typical := range known {
		if typical.Runs < leastRuns {
			continue
		}
		p := t.pipelines[key.Pipeline]
		if p == nil {
			p = &learnedPipeline{tasks: map[string]time.Duration{}, keys: map[string]time.Duration{}}
			t.pipelines[key.Pipeline] = p
		}
		mean := max(typical.Mean, time.Microsecond) // 0 would say that nothing is known
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

// Estimate is how long an item is likely to take that does not say so itself:
// what was learned of the beginning of its natural key, else of its task, else of
// its pipeline. It is never 0; false when less than three runs are known of any of
// these. What was learned goes before what the pipeline declares, p.Estimate,
// which the caller turns to next: that is for the first runs.
func (l *Learned) Estimate(integrationConfig, task, naturalKey string, p Profile) (time.Duration, bool) {
	if l == nil {
		return 0, false
	}
	t := l.latest.Load()
	if t == nil {
		return 0, false
	}
	of := t.pipelines[DurationPipeline(integrationConfig)]
	if of == nil {
		return 0, false
	}
	if len(of.keys) > 0 {
		if mean, ok := of.keys[p.keyPrefix(naturalKey)]; ok {
			return mean, true
		}
	}
	if len(of.tasks) > 0 && task != "" {
		if mean, ok := of.tasks[durationName(task, durationNameLen)]; ok {
			return mean, true
		}
	}
	return of.mean, of.mean > 0
}
