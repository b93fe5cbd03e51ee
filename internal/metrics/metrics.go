package metrics

import (
	"context"
	"database/sql"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/rs/zerolog"

	"botwork/workqueue"
)

// other is the label of what has none of its own, because labels are bounded.
const other = "other"

// Process has the figures of this process. It is safe for concurrent use.
type Process struct {
	*worker
	statements      *prometheus.HistogramVec
	statementErrors *prometheus.CounterVec
	requests        *prometheus.HistogramVec
	hooks           *prometheus.CounterVec
}

// NewProcess returns figures without any event.
func NewProcess() *Process {
	return &Process{
		worker: newWorker(),
		statements: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "botwork_statement_duration_seconds", Help: "Time until the first answer of SQL statements of this process.",
			Buckets: []float64{0.0005, 0.002, 0.01, 0.05, 0.2, 1, 5},
		}, []string{"statement"}),
		statementErrors: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "botwork_statement_errors_total", Help: "SQL statements of this process that failed, those that are tried again included.",
		}, []string{"statement"}),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "botwork_http_request_duration_seconds", Help: "Time until the end of HTTP requests, those that waited included.",
			Buckets: []float64{0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60},
		}, []string{"route", "method", "status"}),
		hooks: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "botwork_hook_requests_total", Help: "Requests to webhooks of this process by outcome.",
		}, []string{"hook", "outcome"}),
	}
}

// Statement counts a statement: see sqlstore.Options.
func (p *Process) Statement(name string, took time.Duration, err error) {
	// Variants of a statement, such as an insert of other columns, have a suffix.
	if i := strings.IndexFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && r != '_' }); i > 0 {
		name = name[:i]
	}
	p.statements.WithLabelValues(name).Observe(took.Seconds())
	if err != nil {
		p.statementErrors.WithLabelValues(name).Inc()
	}
}

// methods are the methods that have a label of their own: a client may invent others.
var methods = map[string]bool{"GET": true, "HEAD": true, "POST": true, "PUT": true, "PATCH": true, "DELETE": true}

// Request counts an HTTP request: see httpserver.Options.
func (p *Process) Request(r *http.Request, status int, took time.Duration) {
	method, route := r.Method, other
	if !methods[method] {
		method = other
	}
	if _, path, ok := strings.Cut(r.Pattern, " "); ok {
		route = path
	}
	p.requests.WithLabelValues(route, method, strconv.Itoa(status)).Observe(took.Seconds())
}

// ExpectHook makes the counters of a webhook appear before its first request.
func (p *Process) ExpectHook(hook string, outcomes []string) {
	for _, outcome := range outcomes {
		p.hooks.WithLabelValues(hook, outcome)
	}
}

// Hook counts a request to a webhook: see api.Options.
func (p *Process) Hook(hook, outcome string) { p.hooks.WithLabelValues(hook, outcome).Inc() }

// Store is the part of a store that has figures of the queues.
type Store interface {
	Statistics(ctx context.Context, queue string) ([]workqueue.QueueStatistics, error)
	Series(ctx context.Context, p workqueue.SeriesParams) (workqueue.Series, error)
	Workers(ctx context.Context) ([]workqueue.Worker, error)
	Now(ctx context.Context) (time.Time, error)
	Pool() (writes, listings sql.DBStats)
}

// Handler returns the handler of /metrics.
func Handler(p *Process, store Store, version string, log zerolog.Logger) http.Handler {
	registry := prometheus.NewRegistry()
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "botwork_build_info", Help: "1; the version is a label.", ConstLabels: prometheus.Labels{"version": version}})
	build.Set(1)
	registry.MustRegister(
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), build,
		p.statements, p.statementErrors, p.requests, p.hooks, &pool{store}, &queues{store: store, log: log},
	)
	registry.MustRegister(p.collectors()...)
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: 4})
}

// pool has the figures of the connections.
type pool struct{ store Store }

var (
	poolConnections = prometheus.NewDesc("botwork_pool_connections", "Connections to the database.", []string{"pool", "state"}, nil)
	poolWaits       = prometheus.NewDesc("botwork_pool_waits_total", "How often a connection was waited for.", []string{"pool"}, nil)
	poolWaited      = prometheus.NewDesc("botwork_pool_wait_seconds_total", "How long connections were waited for.", []string{"pool"}, nil)
)

func (c *pool) Describe(ch chan<- *prometheus.Desc) {
	ch <- poolConnections
	ch <- poolWaits
	ch <- poolWaited
}

func (c *pool) Collect(ch chan<- prometheus.Metric) {
	writes, listings := c.store.Pool()
	for name, s := range map[string]sql.DBStats{"writes": writes, "listings": listings} {
		ch <- prometheus.MustNewConstMetric(poolConnections, prometheus.GaugeValue, float64(s.InUse), name, "in-use")
		ch <- prometheus.MustNewConstMetric(poolConnections, prometheus.GaugeValue, float64(s.Idle), name, "idle")
		ch <- prometheus.MustNewConstMetric(poolWaits, prometheus.CounterValue, float64(s.WaitCount), name)
		ch <- prometheus.MustNewConstMetric(poolWaited, prometheus.CounterValue, s.WaitDuration.Seconds(), name)
	}
}
