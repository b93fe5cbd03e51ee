package process

import (
	"errors"
	"sync/atomic"

	"botwork/handlers/queue"
	"botwork/pipelines"
	"botwork/tasks"
	"botwork/workqueue"
	"botwork/workqueue/report"
	"botwork/workqueue/runner"
)

// Link connects the queue handlers to a process that does not exist yet when the handlers
// are registered, because pipelines are checked before the database is opened.
type Link struct {
	runner    atomic.Pointer[runner.Runner]
	store     atomic.Pointer[Store]
	catalogue atomic.Pointer[pipelines.Catalogue]
}

// Services returns what the handlers of handlers/queue use through this link.
func (l *Link) Services() queue.Services {
	return queue.Services{
		Worker: func() queue.Worker {
			if r := l.runner.Load(); r != nil {
				return r
			}
			return nil
		},
		Store:         l.items,
		Tasks:         l.tasks,
		CleanUp:       l.cleanUp,
		Report:        l.report,
		Forecast:      l.forecast,
		WorkerName:    l.workerName,
		Profiles:      l.profile,
		CheckPipeline: l.check,
		CheckPayload:  l.checkPayload,
	}
}

// batchingStore is a Store that decides how new items run together.
type batchingStore interface {
	SetBatches(of func(*workqueue.NewItem) *workqueue.ItemBatch)
}

// SetStore makes Enqueue work without a running process. New items of the store run together as
// the current pipelines say.
func (l *Link) SetStore(s Store) {
	l.store.Store(&s)
	if b, ok := s.(batchingStore); ok {
		b.SetBatches(l.itemBatch)
	}
}

func (l *Link) itemBatch(it *workqueue.NewItem) *workqueue.ItemBatch {
	c := l.catalogue.Load()
	if c == nil {
		return nil
	}
	return c.ItemBatch(it.IntegrationConfig, it.Payload)
}

// SetCatalogue sets the pipelines that Enqueue checks and whose estimated durations the
// assignment uses.
func (l *Link) SetCatalogue(c *pipelines.Catalogue) { l.catalogue.Store(c) }

// Resolve returns the pipeline of an item from the current catalogue.
func (l *Link) Resolve(integrationConfig string) (*pipelines.Pipeline, error) {
	return l.catalogue.Load().Resolve(integrationConfig)
}

var _ pipelines.Resolver = (*Link)(nil)

func (l *Link) items() queue.Enqueuer {
	if s := l.store.Load(); s != nil {
		return *s
	}
	return nil
}

func (l *Link) tasks() tasks.Store {
	if s := l.store.Load(); s != nil {
		return *s
	}
	return nil
}

func (l *Link) cleanUp() workqueue.CleanUpStore {
	if s := l.store.Load(); s != nil {
		return *s
	}
	return nil
}

func (l *Link) report() report.Store {
	if s := l.store.Load(); s != nil {
		return *s
	}
	return nil
}

func (l *Link) forecast() (queue.ForecastStore, *pipelines.Catalogue) {
	if s := l.store.Load(); s != nil {
		return *s, l.catalogue.Load()
	}
	return nil, nil
}

func (l *Link) workerName() string {
	if r := l.runner.Load(); r != nil {
		return r.Worker().Name
	}
	return "nobody"
}

func (l *Link) profile(pipeline string) workqueue.Profile {
	c := l.catalogue.Load()
	if c == nil {
		return workqueue.Profile{}
	}
	p, ok := c.Get(pipeline)
	if !ok {
		if broken := c.BrokenPipeline(pipeline); broken != nil {
			return workqueue.Profile{Broken: broken.Findings[0].String()}
		}
		return workqueue.Profile{}
	}
	return workqueue.Profile{
		Labels: p.Labels, Selectors: p.Selectors, SelectorsReplace: p.SelectorsReplace, Distribution: p.Distribution,
		Estimate: p.EstimatedDuration, Channel: p.Channel, KeySeparator: p.KeySeparator,
	}
}

// escalations returns the rules of escalation of the pipelines that items run.
func (l *Link) escalations() []workqueue.Escalation {
	c := l.catalogue.Load()
	if c == nil {
		return nil
	}
	return c.Escalations()
}

func (l *Link) check(integrationConfig string) error {
	c := l.catalogue.Load()
	if c == nil {
		return errors.New("no pipelines are loaded")
	}
	return c.CheckItem(integrationConfig)
}

func (l *Link) checkPayload(integrationConfig string, payload workqueue.JSONText) error {
	c := l.catalogue.Load()
	if c == nil {
		return errors.New("no pipelines are loaded")
	}
	return c.CheckItemPayload(integrationConfig, payload)
}
