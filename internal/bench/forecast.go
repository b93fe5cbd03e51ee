package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/rs/zerolog"

	"botwork/handlers/queue"
	"botwork/internal/process"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/forecast"
	"botwork/workqueue/sqlstore"
)

// ForecastOptions define the load that is forecast and then runs, and the queue whose forecast is timed.
type ForecastOptions struct {
	Common
	Items    int     // of the load
	Scale    float64 // the factor of all durations of the load
	Seed     uint64
	Workers  int
	Capacity int // slots of each worker

	// Waiting and Crowd are the waiting items and the workers of the queue whose forecast is timed; 0: none is.
	Waiting, Crowd int
}

// Figures of forecasts.
const (
	CoveragePercent    Figure = "coveragePercent"    // of the items, ended by p95
	NearPercent        Figure = "nearPercent"        // within 15 % of p50
	ForecastsCompared  Figure = "forecastsCompared"  // each of an item at a moment
	ForecastMoments    Figure = "forecastMoments"    // at which all waiting items were forecast
	ForecastErrorP50Ms Figure = "forecastErrorP50Ms" // between p50 and the end, the median
	ForecastErrorMs    Figure = "forecastErrorMs"    // the mean
	ForecastBiasMs     Figure = "forecastBiasMs"     // how much later than p50 the ends were
	FailedAttempts     Figure = "failedAttempts"

	CrowdReadSeconds     Figure = "crowdReadSeconds"     // reading the waiting items
	CrowdForecastSeconds Figure = "crowdForecastSeconds" // 200 histories of them
	CrowdCPUSeconds      Figure = "crowdCpuSeconds"      // both
	CrowdMb              Figure = "crowdMb"              // largest memory of the process
)

// Work is the total that Progress reports.
func (o ForecastOptions) Work() int { return o.rounds() * (o.Items + forecastWarmUp + o.Waiting) }

// Forecast lets workers run a load whose ends were forecast at several moments, and compares. Then it times the forecast of a
// large queue. No round warms up: the first items of a round are those from which the workers learn.
func Forecast(ctx context.Context, o ForecastOptions) (Report, error) {
	var all Count
	var rounds []Sample
	var err error
	for range o.rounds() {
		s := Sample{}
		var count Count
		err = o.inStore(ctx, func(store *sqlstore.Store, dsn string) (err error) {
			count, err = (&forecastRound{o: o, store: store, dsn: dsn}).run(ctx, s)
			return err
		})
		all.add(count)
		if err == nil && o.Waiting > 0 {
			err = o.crowd(ctx, s)
		}
		if err != nil {
			break
		}
		rounds = append(rounds, s)
	}
	report := o.newReport("forecast", o.Items, rounds)
	return report, errors.Join(err, report.count(all))
}

// forecastRound is one load.
type forecastRound struct {
	o     ForecastOptions
	store *sqlstore.Store
	dsn   string
	load  forecastLoad
}

func (r *forecastRound) worker(n int) worker {
	return worker{name: fmt.Sprint("bench-", n), capacity: r.o.Capacity, handler: &r.load, files: r.load.files()}
}

// params returns what a forecast depends on besides the database.
func (r *forecastRound) params() (assign.WhyParams, error) {
	link, catalogue, err := r.worker(0).project()
	if err != nil {
		return assign.WhyParams{}, err
	}
	link.SetCatalogue(catalogue)
	passes, leftOut := queue.SystemPipelines(link.Services(), catalogue.All(), zerolog.Nop())
	return queue.WhyParams(link.Services(), catalogue, r.store, passes), errors.Join(leftOut...)
}

// run lets workers learn, forecasts the load while it runs, and compares.
func (r *forecastRound) run(ctx context.Context, s Sample) (count Count, err error) {
	r.load = forecastLoad{seed: r.o.Seed, scale: r.o.Scale, attempts: map[int64]int{}, progress: r.o.progress}
	params, err := r.params()
	if err != nil {
		return count, err
	}
	var all []*process.Process
	defer func() {
		for _, p := range all {
			err = errors.Join(err, p.Stop(context.WithoutCancel(ctx)))
		}
	}()
	for n := range r.o.Workers {
		p, err := r.worker(n+1).start(ctx, r.store)
		if err != nil {
			return count, err
		}
		all = append(all, p)
		if err := p.Start(ctx); err != nil {
			return count, err
		}
	}
	if _, err := r.store.Enqueue(ctx, r.load.items(forecastWarmUp, 0)); err != nil {
		return count, err
	}
	if err := r.awaitEnd(ctx); err != nil {
		return count, err
	}
	if err := sleepUntil(ctx, time.Now().Add(learnTime)); err != nil {
		return count, err
	}
	failed := r.load.failed()
	began := time.Now()
	items := r.load.items(r.o.Items, forecastAhead)
	if _, err := r.store.Enqueue(ctx, items); err != nil {
		return count, err
	}
	if err := r.forecast(ctx, began, params, s); err != nil {
		return count, err
	}
	if err := r.awaitEnd(ctx); err != nil {
		return count, err
	}
	s[RoundSeconds], s[FailedAttempts] = time.Since(began).Seconds(), float64(r.load.failed()-failed)
	if err := r.compare(ctx, began, s); err != nil {
		return count, err
	}
	return r.load.count(r.o.Items + forecastWarmUp), nil
}

// whole is how long the latest items should take on all slots.
func (r *forecastRound) whole() time.Duration {
	return r.load.work() / time.Duration(r.o.Workers*r.o.Capacity)
}

// awaitEnd waits until the items have ended, for some minutes longer than twice the time that they should take.
func (r *forecastRound) awaitEnd(ctx context.Context) error {
	for range 1 + int(2*r.whole()/soakPatience) {
		if err := r.o.awaitEnd(ctx, r.dsn, nil); err != nil {
			return err
		}
	}
	return nil
}

// forecast records forecasts at the beginning, and after each quarter of the time that the load should take.
func (r *forecastRound) forecast(ctx context.Context, began time.Time, params assign.WhyParams, s Sample) error {
	for quarter := range 4 {
		if err := sleepUntil(ctx, began.Add(r.whole()*time.Duration(quarter)/4)); err != nil {
			return err
		}
		done, err := forecast.Record(ctx, r.store, params, forecast.RecordParams{})
		if err != nil {
			return err
		}
		if done.Kept > 0 {
			s[ForecastMoments]++
		}
	}
	return nil
}

// compare compares the forecasts with what happened. All items have ended, so it need not wait until each p95 has passed.
func (r *forecastRound) compare(ctx context.Context, since time.Time, s Sample) error {
	a, err := forecast.Compare(ctx, aDayLater{r.store}, forecast.AccuracyParams{Since: since.Add(-time.Minute)})
	if err != nil {
		return err
	}
	if a.All.Coverage == nil || a.All.MedianError == nil {
		return errors.New("no forecast could be compared: want more items, or a larger scale")
	}
	ms := func(d *workqueue.Duration) float64 { return milliseconds(time.Duration(*d)) }
	s[ForecastsCompared], s[CoveragePercent], s[NearPercent] = float64(a.All.Compared), 100**a.All.Coverage, 100**a.All.Near
	s[ForecastErrorP50Ms], s[ForecastErrorMs], s[ForecastBiasMs] = ms(a.All.MedianError), ms(a.All.MeanError), ms(a.All.Bias)
	return nil
}

// aDayLater is a store whose clock is a day ahead.
type aDayLater struct{ *sqlstore.Store }

func (s aDayLater) Now(ctx context.Context) (time.Time, error) {
	now, err := s.Store.Now(ctx)
	return now.Add(24 * time.Hour), err
}
