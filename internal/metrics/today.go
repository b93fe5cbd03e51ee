package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"botwork/workqueue"
)

// today is what has happened in a queue since midnight UTC.
type today struct {
	queue string

	enqueued, started, succeeded, released, snoozed, retried, rescued, cancelled int64

	failed    map[workqueue.ErrorKind]int64
	wait, run times
}

// times are durations: their number by class, and their sum.
type times struct {
	ms     int64
	counts workqueue.DurationCounts
}

func (t *times) add(s *workqueue.SeriesTimes) {
	if s == nil {
		return
	}
	t.ms += s.SumMs
	for class, n := range s.Counts {
		t.counts.Add(class, n)
	}
}

// todayOf returns what has happened in these queues. A queue without any event has counters too:
// Prometheus does not see the first event of a counter that begins with it. What has happened in
// queues that are not listed is added to "other", if that is.
func todayOf(queues []workqueue.QueueStatistics, points []workqueue.SeriesPoint) []today {
	list, at := make([]today, len(queues)), map[string]int{}
	for i := range queues {
		list[i] = today{queue: queues[i].Queue, failed: map[workqueue.ErrorKind]int64{}}
		for _, kind := range workqueue.FailureKinds() {
			list[i].failed[kind] = 0
		}
		at[queues[i].Queue] = i
	}
	for i := range points {
		p := &points[i]
		to, listed := at[p.Group]
		if !listed {
			if to, listed = at[other]; !listed {
				continue // the queue was created a moment ago, or deleted
			}
		}
		list[to].add(p)
	}
	return list
}

func (t *today) add(p *workqueue.SeriesPoint) {
	t.enqueued += p.Enqueued
	t.started += p.Started
	t.succeeded += p.Succeeded
	t.released += p.Released
	t.snoozed += p.Snoozed
	t.retried += p.Retried
	t.rescued += p.Rescued
	t.cancelled += p.Cancelled
	for kind, n := range p.FailedByKind {
		t.failed[kind] += n
	}
	t.wait.add(p.Wait)
	t.run.add(p.Run)
}

// collectToday writes the counters of a queue. They start at 0 each midnight, which Prometheus
// takes for a restarted process.
func collectToday(ch chan<- prometheus.Metric, t *today) {
	count := func(d *prometheus.Desc, n int64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), append([]string{t.queue}, labels...)...)
	}
	count(enqueued, t.enqueued)
	count(started, t.started)
	count(ended, t.succeeded, "succeeded")
	for kind, n := range t.failed {
		count(ended, n, string(kind))
	}
	count(ended, t.released, "released")
	count(ended, t.snoozed, "snoozed")
	count(retried, t.retried)
	count(rescued, t.rescued)
	count(cancelled, t.cancelled)
	ch <- t.wait.histogram(waitSeconds, t.queue)
	ch <- t.run.histogram(runSeconds, t.queue)
}

// The histograms have the upper ends of some of the classes of durations that the database counts:
// 9 ms, and then about twice as long each, up to a day.
const firstClass, lastClass, classStep = 25, 193, 8

func (t *times) histogram(d *prometheus.Desc, queue string) prometheus.Metric {
	buckets := map[float64]uint64{}
	var all int64
	for _, n := range t.counts {
		all += n
	}
	for class := firstClass; class <= lastClass; class += classStep {
		buckets[workqueue.BucketEnd(class).Seconds()] = uint64(t.counts.UpTo(class))
	}
	sum := (time.Duration(t.ms) * time.Millisecond).Seconds()
	return prometheus.MustNewConstHistogram(d, uint64(all), sum, buckets, queue)
}
