package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// DashboardOptions are the options of [Dashboard].
type DashboardOptions struct {
	Common
	Finished int           // rows of items that have ended, spread over the last twenty days
	Waiting  int           // items that wait
	Workers  int           // that are registered and take nothing
	Requests int           // of each page
	Browsers int           // that are open at the same time
	Rate     int           // items per second that are enqueued while they are open
	For      time.Duration // how long they are measured, after as long a time in which they settle
	Drain    int           // items of each drain that is compared with one without browsers; 0: none is

	hurry bool // for tests: no pauses
}

// Figures of the pages.
const (
	PageP50Ms        Figure = "pageP50Ms" // of all requests of all pages, one at a time
	PageP95Ms        Figure = "pageP95Ms"
	SlowestPageP95Ms Figure = "slowestPageP95Ms" // of the page whose own p95 is the largest
	FirstLoadKb      Figure = "firstLoadKb"      // of the overview with all its files, compressed; 1 kB is 1000 bytes

	OpenPagesCPUPercent          Figure = "openPagesCpuPercent"
	OpenPagesStatementsPerSecond Figure = "openPagesStatementsPerSecond"
	OpenPagesRenewedPerSecond    Figure = "openPagesRenewedPerSecond" // of all browsers together
	MovingCPUPercent             Figure = "movingCpuPercent"          // of the same server without browsers
	MovingStatementsPerSecond    Figure = "movingStatementsPerSecond"

	OpenPagesDrainShare Figure = "openPagesDrainShare" // the speed of a drain while browsers are open, divided by that without them
)

// pageFigure is the p95 of one page, in milliseconds.
func pageFigure(page string) Figure { return Figure("pageP95Ms " + page) }

// Work is the total that Progress reports.
func (o DashboardOptions) Work() int {
	return o.rounds() * (o.Finished + o.Waiting + o.Requests*len(o.pages(0, 0)) + 2*drainPairs*o.Drain)
}

// Dashboard measures the pages of a server whose database has many items: how long each page takes, one
// at a time; and what open browsers cost the server and the database while items are enqueued. The
// browsers follow events and ask for their pages again as the script of the pages does. The server is
// another process, which a page of each kind warms up. It is an error if a page cannot be shown.
func Dashboard(ctx context.Context, o DashboardOptions) (Report, error) {
	var rounds []Sample
	for range o.rounds() {
		s := Sample{}
		err := o.round(ctx, s)
		if err == nil {
			err = o.drains(ctx, s)
		}
		if err != nil {
			return o.newReport("dashboard", o.Finished+o.Waiting, rounds), err
		}
		rounds = append(rounds, s)
	}
	return o.newReport("dashboard", o.Finished+o.Waiting, rounds), nil
}

func (o DashboardOptions) round(ctx context.Context, s Sample) error {
	return o.inStore(ctx, func(store *sqlstore.Store, dsn string) error {
		ended, waits, err := o.fill(ctx, store, dsn)
		if err != nil {
			return err
		}
		return o.served(ctx, store, dsn, func(server *child, visitors *visitors) error {
			if err := o.visit(ctx, visitors.all[0], o.pages(ended, waits), s); err != nil {
				return err
			}
			return o.open(ctx, store, server, visitors, waits, s)
		})
	})
}

// served calls do with a server of the database, in a process of its own, and with people who are signed in there.
func (o DashboardOptions) served(ctx context.Context, store *sqlstore.Store, dsn string, do func(*child, *visitors) error) (err error) {
	server, err := o.startChild(ctx, job{Driver: o.Driver, DSN: dsn, Name: "server", API: true, Capacity: max(o.Browsers, 1)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.end()) }()
	visitors, err := o.visitors(ctx, store, server.url)
	if err != nil {
		return err
	}
	defer visitors.close()
	return do(server, visitors)
}

// fill creates the items and the workers, and counts the items in the statistics.
func (o DashboardOptions) fill(ctx context.Context, store *sqlstore.Store, dsn string) (ended, waits int64, err error) {
	f, err := o.newFiller(ctx, dsn)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, f.db.Close()) }()
	backlog := BacklogOptions{Common: o.Common, Capacity: 1}
	if ended, err = backlog.original(ctx, store); err != nil {
		return 0, 0, err
	}
	if waits, err = enqueueOne(ctx, store, newItem()); err != nil {
		return 0, 0, err
	}
	if err := f.copies(ctx, ended, o.Finished, ranAt("-(n.i % 1728000)")); err != nil {
		return 0, 0, err
	}
	if err := f.copies(ctx, waits, o.Waiting, times{"CreatedAt": "-(n.i % 86400)", "AvailableAt": "-(n.i % 86400)"}); err != nil {
		return 0, 0, err
	}
	for i := range o.Workers {
		_, err := store.RegisterWorker(ctx, workqueue.WorkerSpec{
			Name: fmt.Sprint("bench-", i), InstanceID: fmt.Sprint("instance-", i), Host: "bench", PID: i + 1, Version: "bench", Capacity: 4, Lease: time.Hour,
		})
		if err != nil {
			return 0, 0, err
		}
	}
	if _, err := store.RecountStatistics(ctx, func(int64, int64) {}); err != nil {
		return 0, 0, err
	}
	return ended, waits, f.analyse(ctx)
}

// pages are the paths that are measured, with an item that has ended and one that waits.
func (o DashboardOptions) pages(ended, waits int64) []string {
	return []string{
		"/", "/?range=90d", "/items", "/items?status=succeeded", "/items?status=pending", "/items?status=failed", "/items?pipeline=" + noop, "/items?worker=bench-0",
		fmt.Sprint("/items/", ended), fmt.Sprint("/items/", waits), "/failures", "/queues", "/queues/" + workqueue.DefaultQueue, "/workers", "/workers/bench-0",
		"/pipelines", "/pipelines/" + noop, "/schedules", "/schedules/day", "/schedules/calendar", "/tasks", "/audit", "/forecast", "/notifications", "/escalations",
		"/enqueue", "/settings", "/access", "/access/users",
	}
}

// visit measures the pages, and the first load of the overview. All pages are asked for by turns, with a pause
// between the turns, so that most requests find no answer that an earlier one has left.
func (o DashboardOptions) visit(ctx context.Context, v *visitor, pages []string, s Sample) error {
	took := map[Figure][]float64{}
	var all []float64
	for turn := range 1 + o.Requests {
		if err := sleepUntil(ctx, time.Now().Add(o.pause())); err != nil {
			return err
		}
		for _, page := range pages {
			began := time.Now()
			if _, err := v.get(ctx, page, nil); err != nil {
				return err
			}
			if turn == 0 {
				continue // it warms up
			}
			ms := milliseconds(time.Since(began))
			name := pageFigure(generalPage(page))
			took[name], all = append(took[name], ms), append(all, ms)
			o.progress(1)
		}
	}
	for name, of := range took {
		slices.Sort(of)
		s[name] = quantile(of, 0.95)
		s[SlowestPageP95Ms] = max(s[SlowestPageP95Ms], s[name])
	}
	slices.Sort(all)
	s[PageP50Ms], s[PageP95Ms] = quantile(all, 0.5), quantile(all, 0.95)
	bytes, err := v.firstLoad(ctx)
	s[FirstLoadKb] = float64(bytes) / 1000
	return err
}

// pause is longer than answers serve other requests.
func (o DashboardOptions) pause() time.Duration {
	if o.hurry {
		return 0
	}
	return 21 * time.Second
}

// open measures the server while items are enqueued, first without browsers, then with them.
func (o DashboardOptions) open(ctx context.Context, store *sqlstore.Store, server *child, v *visitors, waits int64, s Sample) (err error) {
	moving, stop := context.WithCancel(ctx)
	moved := make(chan error, 1)
	go func() {
		moved <- EventsOptions{Common: o.Common, Rate: o.Rate}.move(moving, store, nil)
	}()
	defer func() {
		stop()
		err = errors.Join(err, <-moved)
	}()
	used := func(during context.Context, cpu, statements Figure) error {
		begin, err := server.usage()
		if err != nil {
			return err
		}
		began := time.Now()
		if err := sleepUntil(during, began.Add(o.For)); err != nil {
			return err
		}
		end, err := server.usage()
		took := time.Since(began).Seconds()
		s[cpu], s[statements] = 100*(end.CPUSeconds-begin.CPUSeconds)/took, float64(end.Observed-begin.Observed)/took
		return err
	}
	if err := used(ctx, MovingCPUPercent, MovingStatementsPerSecond); err != nil {
		return err
	}
	return v.during(ctx, waits, func(browsing context.Context) error {
		if err := sleepUntil(browsing, time.Now().Add(o.For)); err != nil {
			return err
		}
		before := v.renewed.Load()
		began := time.Now()
		if err := used(browsing, OpenPagesCPUPercent, OpenPagesStatementsPerSecond); err != nil {
			return err
		}
		s[OpenPagesRenewedPerSecond] = float64(v.renewed.Load()-before) / time.Since(began).Seconds()
		return nil
	})
}
