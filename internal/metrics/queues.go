package metrics

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"botwork/workqueue"
)

const (
	// figuresAge is how long figures of the queues are used before they are read again, so that
	// many scrapers cost the database no more than one.
	figuresAge = 5 * time.Second

	// readTimeout bounds the reading of the figures.
	readTimeout = 8 * time.Second

	// maxQueues bounds the queues with labels of their own; the others are summed up as "other".
	maxQueues = 200
)

// queues reads the figures of the queues when they are asked for.
type queues struct {
	store Store
	log   zerolog.Logger

	mu   sync.Mutex
	last figures
	read time.Time
}

// figures are what one reading returned.
type figures struct {
	queues  []workqueue.QueueStatistics
	today   []today // one for each of queues, in the same order
	workers []workqueue.Worker
	now     time.Time
}

var (
	itemsDesc   = prometheus.NewDesc("botwork_queue_items", "Items by lifecycle.", []string{"queue", "lifecycle"}, nil)
	oldestDesc  = prometheus.NewDesc("botwork_queue_oldest_waiting_seconds", "How long the item that has waited the longest has been due.", []string{"queue"}, nil)
	enqueued    = prometheus.NewDesc("botwork_items_enqueued_total", "Items enqueued since midnight UTC.", []string{"queue"}, nil)
	started     = prometheus.NewDesc("botwork_items_started_total", "Runs started since midnight UTC.", []string{"queue"}, nil)
	ended       = prometheus.NewDesc("botwork_items_ended_total", "Runs ended since midnight UTC by outcome: succeeded, released, snoozed, or the kind of the failure.", []string{"queue", "outcome"}, nil)
	retried     = prometheus.NewDesc("botwork_items_retried_total", "Failed runs since midnight UTC after which the item is tried again.", []string{"queue"}, nil)
	rescued     = prometheus.NewDesc("botwork_items_rescued_total", "Runs since midnight UTC whose worker died.", []string{"queue"}, nil)
	cancelled   = prometheus.NewDesc("botwork_items_cancelled_total", "Items that were cancelled since midnight UTC.", []string{"queue"}, nil)
	waitSeconds = prometheus.NewDesc("botwork_item_wait_seconds", "How long the runs that started since midnight UTC had been due.", []string{"queue"}, nil)
	runSeconds  = prometheus.NewDesc("botwork_item_run_seconds", "How long the runs took that succeeded since midnight UTC.", []string{"queue"}, nil)
	workersDesc = prometheus.NewDesc("botwork_workers", "Workers by state; lost ones have not sent a heartbeat in time.", []string{"state"}, nil)
	slotsDesc   = prometheus.NewDesc("botwork_slots", "Slots of the workers that are alive.", nil, nil)
	upDesc      = prometheus.NewDesc("botwork_database_up", "1 if the figures of the queues could be read.", nil, nil)
)

func (c *queues) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		itemsDesc, oldestDesc, enqueued, started, ended, retried, rescued, cancelled, waitSeconds, runSeconds, workersDesc, slotsDesc, upDesc,
	} {
		ch <- d
	}
}

// Collect implements prometheus.Collector. Without the database, only botwork_database_up is
// there, so that an alert can tell an empty queue from an unknown one.
func (c *queues) Collect(ch chan<- prometheus.Metric) {
	f, err := c.figures()
	if err != nil {
		c.log.Warn().Err(err).Msg("could not read the figures of the queues for /metrics")
		ch <- prometheus.MustNewConstMetric(upDesc, prometheus.GaugeValue, 0)
		return
	}
	ch <- prometheus.MustNewConstMetric(upDesc, prometheus.GaugeValue, 1)
	f.collectQueues(ch)
	for i := range f.today {
		collectToday(ch, &f.today[i])
	}
	f.collectWorkers(ch)
}

// figures reads the figures, or returns those that another call has just read.
func (c *queues) figures() (figures, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.read) < figuresAge {
		return c.last, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), readTimeout)
	defer cancel()
	var f figures
	var err error
	if f.now, err = c.store.Now(ctx); err != nil {
		return f, err
	}
	if f.queues, err = c.store.Statistics(ctx, ""); err != nil {
		return f, err
	}
	series, err := c.store.Series(ctx, workqueue.SeriesParams{By: workqueue.ByDay, From: f.now, Until: f.now, Group: workqueue.GroupQueue})
	if err != nil {
		return f, err
	}
	if f.workers, err = c.store.Workers(ctx); err != nil {
		return f, err
	}
	f.bound()
	f.today = todayOf(f.queues, series.Points)
	c.last, c.read = f, time.Now()
	return f, nil
}

// bound keeps the first queues by name and sums up the others.
func (f *figures) bound() {
	if len(f.queues) > maxQueues {
		rest := workqueue.OverallStatistics(f.queues[maxQueues-1:])
		rest.Queue = other
		f.queues = append(f.queues[:maxQueues-1:maxQueues-1], *rest)
	}
}

func (f *figures) collectQueues(ch chan<- prometheus.Metric) {
	for i := range f.queues {
		q := &f.queues[i]
		for life, n := range q.Items {
			ch <- prometheus.MustNewConstMetric(itemsDesc, prometheus.GaugeValue, float64(n), q.Queue, string(life))
		}
		oldest := 0.0
		if q.OldestWaiting != nil {
			oldest = time.Duration(*q.OldestWaiting).Seconds()
		}
		ch <- prometheus.MustNewConstMetric(oldestDesc, prometheus.GaugeValue, oldest, q.Queue)
	}
}

func (f *figures) collectWorkers(ch chan<- prometheus.Metric) {
	states, slots := map[string]int{"lost": 0}, 0
	for i := range f.workers {
		w := &f.workers[i]
		lost := w.Gone(f.now)
		switch {
		case lost:
			states["lost"]++
			continue
		case w.State != workqueue.WorkerStopped:
			slots += w.Capacity
		}
		states[string(w.State)]++
	}
	for state, n := range states {
		ch <- prometheus.MustNewConstMetric(workersDesc, prometheus.GaugeValue, float64(n), state)
	}
	ch <- prometheus.MustNewConstMetric(slotsDesc, prometheus.GaugeValue, float64(slots))
}
