package metrics

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"botwork/workqueue/runner"
)

// maxPipelines bounds the pipelines with a label of their own; the others are "other".
const maxPipelines = 100

// worker has the figures of the worker of this process. A process without one has them too, at 0.
type worker struct {
	passes  *prometheus.CounterVec
	took    prometheus.Histogram
	changed *prometheus.CounterVec
	batches *prometheus.HistogramVec
	late    *prometheus.HistogramVec

	mu        sync.Mutex
	pipelines map[string]bool // those with a label of their own
}

// The operations of botwork_batch_items.
const (
	batchAssign = "assign"
	batchClaim  = "claim"
	batchFinish = "finish"
)

// The values of the label change of botwork_pass_items_total.
const (
	changeAssigned = "assigned"
	changeMoved    = "moved"
	changeRescued  = "rescued"
	changeReleased = "released"
	changeExpired  = "expired"
	changeRefused  = "refused"
)

func newWorker() *worker {
	w := &worker{
		passes: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "botwork_passes_total", Help: "Assignment passes of this process's worker by outcome: assigned, empty, yielded or failed.",
		}, []string{"outcome"}),
		took: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "botwork_pass_duration_seconds", Help: "How long assignment passes of this process's worker took, including their wait for the lock.",
			Buckets: []float64{0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60},
		}),
		changed: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "botwork_pass_items_total", Help: "Items that assignment passes of this process's worker have changed: assigned, moved, rescued, released, expired or refused.",
		}, []string{"change"}),
		batches: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "botwork_batch_items", Help: "Items that this process's worker has assigned in one pass, claimed by one claim, or finished in one write.",
			Buckets: []float64{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000},
		}, []string{"operation"}),
		late: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "botwork_schedule_lateness_seconds", Help: "How long after their planned time this process has started the runs of cron and interval triggers.",
			Buckets: []float64{0.01, 0.05, 0.1, 0.5, 1, 2, 5, 10, 60, 600, 3600},
		}, []string{"pipeline"}),
		pipelines: map[string]bool{},
	}
	// A counter that begins at its first event hides that event from rate and increase.
	for _, outcome := range runner.PassOutcomes() {
		w.passes.WithLabelValues(string(outcome))
	}
	for _, change := range []string{changeAssigned, changeMoved, changeRescued, changeReleased, changeExpired, changeRefused} {
		w.changed.WithLabelValues(change)
	}
	for _, operation := range []string{batchAssign, batchClaim, batchFinish} {
		w.batches.WithLabelValues(operation)
	}
	return w
}

func (w *worker) collectors() []prometheus.Collector {
	return []prometheus.Collector{w.passes, w.took, w.changed, w.batches, w.late}
}

// ObservePass implements runner.Observer.
func (w *worker) ObservePass(p runner.Pass) {
	w.passes.WithLabelValues(string(p.Outcome)).Inc()
	w.took.Observe(p.Took.Seconds())
	for change, n := range map[string]int{
		changeAssigned: p.Result.Assigned, changeMoved: p.Result.Moved, changeRescued: p.Result.Rescued,
		changeReleased: p.Result.Released, changeExpired: p.Result.Expired, changeRefused: p.Result.Refused,
	} {
		w.changed.WithLabelValues(change).Add(float64(n))
	}
	if n := p.Result.Assigned + p.Result.Moved; n > 0 {
		w.batches.WithLabelValues(batchAssign).Observe(float64(n))
	}
}

// ObserveClaim implements runner.Observer.
func (w *worker) ObserveClaim(items int) {
	w.batches.WithLabelValues(batchClaim).Observe(float64(items))
}

// ObserveFinish implements runner.Observer.
func (w *worker) ObserveFinish(results int) {
	w.batches.WithLabelValues(batchFinish).Observe(float64(results))
}

// ObserveStart implements process.Observer.
func (w *worker) ObserveStart(pipeline string, late time.Duration) {
	w.late.WithLabelValues(w.pipelineLabel(pipeline)).Observe(late.Seconds())
}

// pipelineLabel returns the pipeline, or "other" if too many have a label: pipelines come and go
// while a worker runs.
func (w *worker) pipelineLabel(pipeline string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.pipelines[pipeline]:
	case len(w.pipelines) < maxPipelines:
		w.pipelines[pipeline] = true
	default:
		return other
	}
	return pipeline
}
