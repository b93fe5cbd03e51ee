package bench

import (
	"context"
	"errors"
	"fmt"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/forecast"
	"botwork/workqueue/sqlstore"
)

// crowd times the forecast of a large queue: items of four priorities and three pipelines, and workers that run none of them.
func (o ForecastOptions) crowd(ctx context.Context, s Sample) error {
	return o.inStore(ctx, func(store *sqlstore.Store, dsn string) error {
		r := &forecastRound{o: o, store: store, dsn: dsn, load: forecastLoad{seed: o.Seed, scale: 1}}
		params, err := r.params()
		if err != nil {
			return err
		}
		if err := r.fill(ctx); err != nil {
			return err
		}
		begin := startUsage()
		present, err := forecast.Read(ctx, store, params)
		if err != nil {
			return err
		}
		s[CrowdReadSeconds] = time.Since(begin.at).Seconds()
		read := time.Now()
		f, err := present.Make(ctx, forecast.Params{Seed: o.Seed})
		if err != nil {
			return err
		}
		s[CrowdForecastSeconds] = time.Since(read).Seconds()
		s[CrowdCPUSeconds], s[CrowdMb] = (usedCPU() - begin.cpu).Seconds(), float64(peakMemory())/(1<<20)
		if f.All.Due != o.Waiting {
			return errors.New("the forecast lacks items")
		}
		return nil
	})
}

// fill registers the workers and creates the waiting items.
func (r *forecastRound) fill(ctx context.Context) error {
	o := &r.o
	f, err := o.newFiller(ctx, r.dsn)
	if err != nil {
		return err
	}
	defer f.db.Close()
	const models = 40
	made, err := r.store.Enqueue(ctx, r.load.items(min(models, o.Waiting), 0))
	if err != nil {
		return err
	}
	o.progress(len(made))
	left := o.Waiting - len(made)
	for i, m := range made {
		n := left / (len(made) - i)
		left -= n
		if err := f.copies(ctx, m.ID, n, times{"CreatedAt": "0", "AvailableAt": "0"}); err != nil {
			return err
		}
	}
	for i := range o.Crowd {
		_, err := r.store.RegisterWorker(ctx, workqueue.WorkerSpec{
			Name: fmt.Sprint("bench-", i), InstanceID: fmt.Sprint("instance-", i), Host: "bench", PID: i + 1,
			Version: "bench", Capacity: o.Capacity, Lease: time.Hour,
		})
		if err != nil {
			return err
		}
	}
	return f.analyse(ctx)
}
