package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
)

// Series implements workqueue.SeriesStore.
func (s *seriesStore) Series(ctx context.Context, p workqueue.SeriesParams) (workqueue.Series, error) {
	if err := p.Validate(); err != nil {
		return workqueue.Series{}, err
	}
	var r *seriesReading
	err := s.retry(ctx, "read the statistics over time", func() (err error) {
		r = newSeriesReading(p)
		if r.now, err = s.clock(ctx, s.readers); err != nil {
			return err
		}
		if err = s.readSeries(ctx, s.readers, p, r.add); err != nil || !r.hasGauges() {
			return err
		}
		return s.readGauges(ctx, r)
	})
	if err != nil {
		return workqueue.Series{}, err
	}
	return r.series(), nil
}

// readPeriod is a row of the statement series_read.
type readPeriod struct {
	at                            time.Time
	queue, pipeline, band, worker string
	figures                       workqueue.SeriesFigures
	running                       bool // the start of a run that has not ended
}

// readSeries calls add for each row of the statistics that the parameters select.
func (s *seriesStore) readSeries(ctx context.Context, on runner, p workqueue.SeriesParams, add func(*readPeriod)) error {
	v := s.seriesValues(&p)
	v["pipeline"], v["worker"] = null(p.Pipeline), null(p.Worker)
	rows, err := s.queries.query(ctx, on, "series_read", v)
	if err != nil {
		return err
	}
	return eachRow(rows, func() error {
		var r readPeriod
		var at, due database.Time
		var text *string
		var e workqueue.SeriesEvent
		err := rows.Scan(&at, &r.queue, &r.pipeline, &r.band, &r.worker, &text, &e.Event, &e.Kind, &e.Bucket, &e.Count, &e.Ms, &due)
		if err != nil {
			return err
		}
		r.at, r.pipeline = at.Time, seriesPipeline(r.pipeline)
		switch {
		case text != nil:
			if r.figures, err = readFigures(*text); err != nil {
				return err
			}
		case due.Valid:
			r.running = true
			e.Ms = max(at.Sub(due.Time), 0).Milliseconds()
			e.Bucket = workqueue.DurationBucket(e.Ms)
			fallthrough
		default:
			r.figures.Count(e)
		}
		add(&r)
		return nil
	})
}

// seriesValues returns the parameters of the periods, the queue and the band.
func (s *seriesStore) seriesValues(p *workqueue.SeriesParams) values {
	return values{
		"resolution": string(p.By), "since": s.engine.timeArg(p.By.Start(p.From)),
		"until": s.engine.timeArg(p.By.Start(p.Until).Add(p.By.Length())),
		"queue": null(p.Queue), "band": null(p.Band),
	}
}

// seriesReading collects what is read for a series.
type seriesReading struct {
	p      workqueue.SeriesParams
	now    time.Time
	groups map[string]*groupReading
	taken  map[time.Time]int64 // samples of the cluster
}

// groupReading is one group of a reading, by the starts of periods.
type groupReading struct {
	figures map[time.Time]*workqueue.SeriesFigures
	gauges  map[time.Time]*gaugeSums
}

// gaugeSums are the samples of a period, of one or more queues and bands.
type gaugeSums struct{ waiting, most, oldestMs, running, mostRunning int64 }

func newSeriesReading(p workqueue.SeriesParams) *seriesReading {
	r := &seriesReading{p: p, groups: map[string]*groupReading{}, taken: map[time.Time]int64{}}
	if p.Group == workqueue.GroupNone {
		r.group("")
	}
	return r
}

func (r *seriesReading) group(name string) *groupReading {
	g := r.groups[name]
	if g == nil {
		g = &groupReading{map[time.Time]*workqueue.SeriesFigures{}, map[time.Time]*gaugeSums{}}
		r.groups[name] = g
	}
	return g
}

func (r *seriesReading) add(row *readPeriod) {
	if row.figures.Empty() {
		return
	}
	name := ""
	switch r.p.Group {
	case workqueue.GroupQueue:
		name = row.queue
	case workqueue.GroupPipeline:
		name = row.pipeline
	case workqueue.GroupBand:
		name = row.band
	case workqueue.GroupWorker:
		name = row.worker
	}
	g, start := r.group(name), r.p.By.Start(row.at)
	if g.figures[start] == nil {
		g.figures[start] = &workqueue.SeriesFigures{}
	}
	g.figures[start].Add(&row.figures)
}

// hasGauges reports whether samples exist for what is selected.
func (r *seriesReading) hasGauges() bool {
	return r.p.Pipeline == "" && r.p.Worker == "" && r.p.Group != workqueue.GroupPipeline && r.p.Group != workqueue.GroupWorker
}

func (s *seriesStore) readGauges(ctx context.Context, r *seriesReading) error {
	rows, err := s.queries.query(ctx, s.readers, "gauge_read", s.seriesValues(&r.p))
	if err != nil {
		return err
	}
	return eachRow(rows, func() error { return r.addGauge(rows) })
}

func (r *seriesReading) addGauge(rows *sql.Rows) error {
	var at database.Time
	var queue, band string
	var samples int64
	var sums gaugeSums
	if err := rows.Scan(&at, &queue, &band, &samples, &sums.waiting, &sums.most, &sums.oldestMs, &sums.running, &sums.mostRunning); err != nil {
		return err
	}
	start := at.UTC()
	if queue == "" {
		r.taken[start] = samples
		return nil
	}
	name := ""
	switch r.p.Group {
	case workqueue.GroupQueue:
		name = queue
	case workqueue.GroupBand:
		name = band
	}
	g := r.group(name)
	if g.gauges[start] == nil {
		g.gauges[start] = &gaugeSums{}
	}
	sum := g.gauges[start]
	sum.waiting += sums.waiting
	sum.most += sums.most
	sum.oldestMs = max(sum.oldestMs, sums.oldestMs)
	sum.running += sums.running
	sum.mostRunning += sums.mostRunning
	return nil
}

// series returns what was read.
func (r *seriesReading) series() workqueue.Series {
	series := workqueue.Series{
		By: r.p.By, Group: r.p.Group, At: r.now, KeptSince: r.p.By.Start(r.now.Add(-r.p.By.Kept())).Add(r.p.By.Length()),
		Points: []workqueue.SeriesPoint{}, Totals: []workqueue.SeriesPoint{},
	}
	starts := r.p.Starts()
	for _, name := range r.names() {
		g := r.groups[name]
		var total workqueue.SeriesFigures
		var gauges gaugeSums
		var samples int64
		for _, start := range starts {
			figures := g.figures[start]
			if figures == nil {
				figures = &workqueue.SeriesFigures{}
			}
			point := figures.Point(start, name)
			if taken := r.taken[start]; taken > 0 {
				sums := g.gauges[start]
				if sums == nil {
					sums = &gaugeSums{}
				}
				point.Gauges = sums.gauges(taken)
				samples += taken
				gauges.waiting += sums.waiting
				gauges.running += sums.running
				gauges.most, gauges.oldestMs = max(gauges.most, sums.most), max(gauges.oldestMs, sums.oldestMs)
				gauges.mostRunning = max(gauges.mostRunning, sums.mostRunning)
			}
			total.Add(figures)
			series.Points = append(series.Points, point)
		}
		point := total.Point(starts[0], name)
		if samples > 0 {
			point.Gauges = gauges.gauges(samples)
		}
		series.Totals = append(series.Totals, point)
	}
	return series
}

// names returns the names of the groups in order: bands from high to low, others by name.
func (r *seriesReading) names() []string {
	var names []string
	for name := range r.groups {
		names = append(names, name)
	}
	bands := workqueue.BandNames()
	slices.SortFunc(names, func(a, b string) int {
		if r.p.Group == workqueue.GroupBand {
			return cmp.Compare(slices.Index(bands, a), slices.Index(bands, b))
		}
		return cmp.Compare(a, b)
	})
	return names
}

func (s *gaugeSums) gauges(samples int64) *workqueue.SeriesGauges {
	return &workqueue.SeriesGauges{
		Samples: samples,
		Backlog: float64(s.waiting) / float64(samples), MostBacklog: s.most,
		OldestWaiting: workqueue.Duration(time.Duration(s.oldestMs) * time.Millisecond),
		SlotsUsed:     float64(s.running) / float64(samples), MostSlotsUsed: s.mostRunning,
	}
}
