package process_test

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"botwork/handlers"
	"botwork/internal/metrics"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

// scrape returns the samples of the metrics of Botwork.
func scrape(t *testing.T, p *metrics.Process, store metrics.Store) map[string]float64 {
	t.Helper()
	rec := httptest.NewRecorder()
	metrics.Handler(p, store, "test", zerolog.Nop()).ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	samples := map[string]float64{}
	for lines := bufio.NewScanner(rec.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), "} ")
		if !strings.HasPrefix(name, "botwork_") {
			continue
		}
		number, err := strconv.ParseFloat(value, 64)
		if err != nil {
			continue // a metric without labels
		}
		samples[name+"}"] = number
	}
	return samples
}

// A worker counts what it has done, exactly.
func TestMetrics(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		x := newFixture(t, e)
		x.kinds["Refuse"] = func(_ context.Context, call *handlers.Call) (any, error) {
			if call.Attempt == 1 {
				return nil, fmt.Errorf("not yet")
			}
			return nil, handlers.Permanent(fmt.Errorf("never"))
		}
		x.files["refuse"] = "resilience: {limit: 3, delay: 1ms}\nsteps:\n  - handler: Refuse\n"
		figures := metrics.NewProcess()
		o := x.newOptions("ann")
		o.Observer = figures
		p := x.new(o)
		for _, config := range []string{"note", "note", "note", "refuse"} {
			x.enqueue(workqueue.NewItem{IntegrationConfig: config, Priority: 1000})
		}
		for range 2 { // the second run runs what failed
			if err := p.RunOnce(t.Context(), medium); err != nil {
				t.Fatal(err)
			}
		}
		got := scrape(t, figures, x.store)
		want := map[string]float64{
			`botwork_passes_total{outcome="failed"}`:                         0,
			`botwork_pass_items_total{change="assigned"}`:                    5,
			`botwork_pass_items_total{change="rescued"}`:                     0,
			`botwork_batch_items_sum{operation="assign"}`:                    5,
			`botwork_batch_items_sum{operation="claim"}`:                     5,
			`botwork_batch_items_sum{operation="finish"}`:                    5,
			`botwork_items_enqueued_total{queue="default"}`:                  4,
			`botwork_items_started_total{queue="default"}`:                   5,
			`botwork_items_ended_total{outcome="succeeded",queue="default"}`: 3,
			`botwork_items_ended_total{outcome="error",queue="default"}`:     1,
			`botwork_items_ended_total{outcome="permanent",queue="default"}`: 1,
			`botwork_items_ended_total{outcome="released",queue="default"}`:  0,
			`botwork_items_retried_total{queue="default"}`:                   1,
			`botwork_items_cancelled_total{queue="default"}`:                 1,
			`botwork_items_rescued_total{queue="default"}`:                   0,
			`botwork_item_wait_seconds_count{queue="default"}`:               5,
			`botwork_item_run_seconds_count{queue="default"}`:                3,
			`botwork_item_run_seconds_bucket{queue="default",le="+Inf"}`:     3,
			`botwork_queue_items{lifecycle="completed",queue="default"}`:     3,
			`botwork_queue_items{lifecycle="archived",queue="default"}`:      1,
			`botwork_queue_items{lifecycle="pending",queue="default"}`:       0,
			`botwork_queue_items{lifecycle="active",queue="default"}`:        0,
			`botwork_queue_oldest_waiting_seconds{queue="default"}`:          0,
			`botwork_workers{state="active"}`:                                1,
			`botwork_workers{state="lost"}`:                                  0,
		}
		for name := range maps.Keys(want) {
			if value, ok := got[name]; !ok || value != want[name] {
				t.Errorf("%s: got %v (printed: %v), want %v", name, value, ok, want[name])
			}
		}
		passes := got[`botwork_passes_total{outcome="assigned"}`]
		if batches := got[`botwork_batch_items_count{operation="assign"}`]; passes < 2 || batches != passes {
			t.Errorf("%v passes assigned items, in %v batches, want at least 2 and as many", passes, batches)
		}
	})
}
