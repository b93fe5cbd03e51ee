package metrics_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"botwork/internal/metrics"
	"botwork/workqueue"
)

// fake has figures of n queues.
type fake struct {
	n    int
	err  error
	asks int
}

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

func (f *fake) Now(context.Context) (time.Time, error) {
	f.asks++
	return noon, f.err
}

func (f *fake) Pool() (writes, listings sql.DBStats) {
	return sql.DBStats{InUse: 1, WaitDuration: 1500 * time.Millisecond}, sql.DBStats{Idle: 2}
}

func (f *fake) Statistics(context.Context, string) ([]workqueue.QueueStatistics, error) {
	var all []workqueue.QueueStatistics
	for i := range f.n {
		q := workqueue.NewQueueStatistics(fmt.Sprintf("queue-%04d", i), noon, make([]time.Time, 4))
		q.Items[workqueue.LifePending] = 3
		q.Waits(noon.Add(-time.Minute))
		all = append(all, q)
	}
	return all, nil
}

func (f *fake) Series(context.Context, workqueue.SeriesParams) (workqueue.Series, error) {
	var s workqueue.Series
	for i := range f.n {
		s.Points = append(s.Points, workqueue.SeriesPoint{
			Group: fmt.Sprintf("queue-%04d", i), Enqueued: 9, Started: 8, Succeeded: 5, Retried: 1, FailedByKind: map[workqueue.ErrorKind]int64{workqueue.KindBusiness: 2},
			Wait: durations(1, 1, 1, 1, 1, 1, 1, 1001),
			Run:  durations(1500, 1500, 2000, 2000, 3001),
		})
	}
	return s, nil
}

// durations returns what a series says of these durations in milliseconds.
func durations(ms ...int64) *workqueue.SeriesTimes {
	s := &workqueue.SeriesTimes{}
	for _, d := range ms {
		s.Counts.Add(workqueue.DurationBucket(d), 1)
		s.SumMs += d
	}
	return s
}

func (f *fake) Workers(context.Context) ([]workqueue.Worker, error) {
	alive, dead := noon.Add(time.Minute), noon.Add(-time.Minute)
	return []workqueue.Worker{
		{Capacity: 4, State: workqueue.WorkerActive, LeaseExpiresAt: &alive}, {Capacity: 8, State: workqueue.WorkerActive, LeaseExpiresAt: &dead},
		{Capacity: 16, State: workqueue.WorkerStopped},
	}, nil
}

func scrape(t *testing.T, h http.Handler) string {
	t.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil))
	if rec.Code != http.StatusOK {
		t.Fatalf("got %d: %s", rec.Code, rec.Body)
	}
	return rec.Body.String()
}

func TestMetrics(t *testing.T) {
	p := metrics.NewProcess()
	p.Statement("enqueue/17 columns", 3*time.Millisecond, nil)
	p.Statement("claim", time.Millisecond, errors.New("deadlock"))
	r := httptest.NewRequestWithContext(t.Context(), "INVENTED", "/api/v1/items/4711?error=secret", nil)
	r.Pattern = "GET /api/v1/items/{id}"
	p.Request(r, 200, time.Second)
	p.Request(httptest.NewRequestWithContext(t.Context(), "GET", "/guess/4711", nil), 404, time.Second)
	store := &fake{n: 2}
	h := metrics.Handler(p, store, "1.2.3", zerolog.Nop())
	text := scrape(t, h)
	for _, want := range []string{
		`botwork_build_info{version="1.2.3"} 1`,
		`botwork_database_up 1`,
		`botwork_queue_items{lifecycle="pending",queue="queue-0001"} 3`,
		`botwork_queue_oldest_waiting_seconds{queue="queue-0000"} 60`,
		`botwork_items_enqueued_total{queue="queue-0000"} 9`,
		`botwork_items_ended_total{outcome="succeeded",queue="queue-0000"} 5`,
		`botwork_items_ended_total{outcome="business",queue="queue-0000"} 2`,
		`botwork_items_ended_total{outcome="timeout",queue="queue-0000"} 0`,
		`botwork_item_wait_seconds_sum{queue="queue-0001"} 1.008`, `botwork_item_wait_seconds_count{queue="queue-0001"} 8`,
		`botwork_item_wait_seconds_bucket{queue="queue-0001",le="0.009"} 7`,
		`botwork_item_run_seconds_sum{queue="queue-0001"} 10.001`,
		`botwork_item_run_seconds_bucket{queue="queue-0001",le="0.955"} 0`, `botwork_item_run_seconds_bucket{queue="queue-0001",le="2.048"} 4`,
		`botwork_item_run_seconds_bucket{queue="queue-0001",le="4.39"} 5`, `botwork_item_run_seconds_bucket{queue="queue-0001",le="+Inf"} 5`,
		`botwork_workers{state="active"} 1`, `botwork_workers{state="lost"} 1`, `botwork_workers{state="stopped"} 1`, `botwork_slots 4`,
		`botwork_statement_duration_seconds_count{statement="enqueue"} 1`, `botwork_statement_errors_total{statement="claim"} 1`,
		`botwork_http_request_duration_seconds_count{method="other",route="/api/v1/items/{id}",status="200"} 1`,
		`botwork_http_request_duration_seconds_count{method="GET",route="other",status="404"} 1`,
		`botwork_pool_connections{pool="writes",state="in-use"} 1`, `botwork_pool_wait_seconds_total{pool="writes"} 1.5`,
		`go_goroutines`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	for line := range strings.Lines(text) {
		named := line
		if !strings.HasPrefix(line, "#") {
			named = line[:strings.LastIndexByte(line, ' ')] // a value, such as a number of bytes, may contain 4711 by chance
		}
		if strings.Contains(named, "4711") || strings.Contains(line, "secret") {
			t.Errorf("the metrics have a part of a request: %s", line)
		}
	}
	scrape(t, h)
	if store.asks != 1 {
		t.Errorf("two scrapes at once read the figures %d times, want once", store.asks)
	}
}

// However many queues there are, the labels are bounded.
func TestManyQueues(t *testing.T) {
	text := scrape(t, metrics.Handler(metrics.NewProcess(), &fake{n: 1000}, "1", zerolog.Nop()))
	if n := len(regexp.MustCompile(`(?m)^botwork_queue_oldest_waiting_seconds`).FindAllString(text, -1)); n != 200 {
		t.Errorf("got %d queues, want 200", n)
	}
	if !strings.Contains(text, `botwork_queue_items{lifecycle="pending",queue="other"} 2403`) {
		t.Error("the other queues are not summed up")
	}
	if !strings.Contains(text, `botwork_items_enqueued_total{queue="other"} 7209`) || strings.Contains(text, `queue="queue-0199"`) {
		t.Error("the counters of the other queues are not summed up")
	}
}

// Pipelines that come and go while a worker runs do not add labels without end.
func TestManyPipelines(t *testing.T) {
	p := metrics.NewProcess()
	for i := range 150 {
		p.ObserveStart(fmt.Sprintf("pipeline-%d", i), time.Second)
	}
	p.ObserveStart("pipeline-7", 2*time.Second)
	text := scrape(t, metrics.Handler(p, &fake{n: 1}, "1", zerolog.Nop()))
	if n := strings.Count(text, "botwork_schedule_lateness_seconds_count"); n != 101 {
		t.Errorf("got %d pipelines, want 100 and one for the others", n)
	}
	for _, want := range []string{`_count{pipeline="other"} 50`, `_count{pipeline="pipeline-7"} 2`, `_sum{pipeline="pipeline-7"} 3`} {
		if !strings.Contains(text, "botwork_schedule_lateness_seconds"+want) {
			t.Errorf("no %s", want)
		}
	}
}

func TestDatabaseDown(t *testing.T) {
	text := scrape(t, metrics.Handler(metrics.NewProcess(), &fake{n: 1, err: errors.New("refused")}, "1", zerolog.Nop()))
	if !strings.Contains(text, "botwork_database_up 0") || strings.Contains(text, "botwork_queue_items") {
		t.Errorf("got\n%s", text)
	}
}
