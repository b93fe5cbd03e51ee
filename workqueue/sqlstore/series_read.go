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
		if p.CountsOnly {
			return s.readSeries(ctx, s.readers, p, r.add)
		}
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
	taken  map[time.Time]int64 // samples of the cluster, of the kind that is read

	// slots are the samples of the whole cluster. Periods before the migration 0033 have none.
	slots map[time.Time]slotSample
}

// slotSample is a sample of the whole cluster.
type slotSample struct {
	samples int64
	sums    gaugeSums
}

// groupReading is one group of a reading, by the starts of periods.
type groupReading struct {
	figures map[time.Time]*workqueue.SeriesFigures
	gauges  map[time.Time]*gaugeSums
}

// gaugeSums are the samples of a period, of one or more queues and bands.
type gaugeSums struct{ waiting, most, oldestMs, running, mostRunning, offered, mostOffered int64 }

// add adds the samples of another queue, band, pipeline or worker in the same period.
func (s *gaugeSums) add(more *gaugeSums) {
	s.waiting += more.waiting
	s.most += more.most
	s.oldestMs = max(s.oldestMs, more.oldestMs)
	s.running += more.running
	s.mostRunning += more.mostRunning
	s.offered += more.offered
	s.mostOffered += more.mostOffered
}

// then adds the samples of another period.
func (s *gaugeSums) then(more *gaugeSums) {
	s.waiting += more.waiting
	s.most, s.oldestMs = max(s.most, more.most), max(s.oldestMs, more.oldestMs)
	s.running += more.running
	s.mostRunning = max(s.mostRunning, more.mostRunning)
	s.offered += more.offered
	s.mostOffered = max(s.mostOffered, more.mostOffered)
}

func newSeriesReading(p workqueue.SeriesParams) *seriesReading {
	r := &seriesReading{p: p, groups: map[string]*groupReading{}, taken: map[time.Time]int64{}, slots: map[time.Time]slotSample{}}
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

// gaugeKind returns the kind of the samples of what is selected.
func (r *seriesReading) gaugeKind() string {
	switch {
	case r.p.Worker != "" || r.p.Group == workqueue.GroupWorker:
		return gaugeWorker
	case r.p.Pipeline != "" || r.p.Group == workqueue.GroupPipeline:
		return gaugePipeline
	}
	return gaugeQueue
}

// hasGauges reports whether samples exist for what is selected. Those of workers are not divided
// by queue, pipeline and band.
func (r *seriesReading) hasGauges() bool {
	return r.gaugeKind() != gaugeWorker ||
		r.p.Queue == "" && r.p.Pipeline == "" && r.p.Band == "" && (r.p.Group == workqueue.GroupNone || r.p.Group == workqueue.GroupWorker)
}

// hasOffers reports whether it is known how many slots what is selected was offered.
func (r *seriesReading) hasOffers() bool {
	return r.gaugeKind() == gaugeWorker || r.allSelected() && r.p.Group == workqueue.GroupNone
}

func (r *seriesReading) allSelected() bool {
	return r.p.Queue == "" && r.p.Pipeline == "" && r.p.Band == "" && r.p.Worker == ""
}

func (s *seriesStore) readGauges(ctx context.Context, r *seriesReading) error {
	v := s.seriesValues(&r.p)
	v["kind"], v["name"] = r.gaugeKind(), nil
	switch r.gaugeKind() {
	case gaugePipeline:
		v["name"] = null(r.p.Pipeline)
	case gaugeWorker:
		v["name"] = null(r.p.Worker)
	}
	rows, err := s.reading.query(ctx, s.readers, "gauge_read", v)
	if err != nil {
		return err
	}
	return eachRow(rows, func() error { return r.addGauge(rows) })
}

func (r *seriesReading) addGauge(rows *sql.Rows) error {
	var at database.Time
	var kind, queue, band, name string
	var samples int64
	var sums gaugeSums
	err := rows.Scan(&at, &kind, &queue, &band, &name, &samples,
		&sums.waiting, &sums.most, &sums.oldestMs, &sums.running, &sums.mostRunning, &sums.offered, &sums.mostOffered)
	if err != nil {
		return err
	}
	start := at.UTC()
	switch {
	case kind == gaugeSlots:
		r.slots[start] = slotSample{samples, sums}
		if r.gaugeKind() != gaugeQueue {
			r.taken[start] = samples
		}
		return nil
	case kind == gaugeQueue && queue == "":
		r.taken[start] = samples
		return nil
	}
	group := ""
	switch r.p.Group {
	case workqueue.GroupQueue:
		group = queue
	case workqueue.GroupBand:
		group = band
	case workqueue.GroupPipeline, workqueue.GroupWorker:
		group = name
	}
	g := r.group(group)
	if g.gauges[start] == nil {
		g.gauges[start] = &gaugeSums{}
	}
	g.gauges[start].add(&sums)
	return nil
}

// series returns what was read.
func (r *seriesReading) series() workqueue.Series {
	series := workqueue.Series{
		By: r.p.By, Group: r.p.Group, Points: []workqueue.SeriesPoint{}, Totals: []workqueue.SeriesPoint{},
	}
	if !r.p.CountsOnly {
		series.At, series.KeptSince = r.now, r.p.By.Start(r.now.Add(-r.p.By.Kept())).Add(r.p.By.Length())
	}
	starts := r.p.Starts()
	for _, name := range r.names() {
		g := r.groups[name]
		var total workqueue.SeriesFigures
		var gauges, offers gaugeSums
		var samples, offerSamples int64
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
				gauges.then(sums)
				offered, n := r.offers(start, sums)
				setOffers(point.Gauges, offered, n)
				offerSamples += n
				offers.then(offered)
			}
			total.Add(figures)
			series.Points = append(series.Points, point)
		}
		point := total.Point(starts[0], name)
		if samples > 0 {
			point.Gauges = gauges.gauges(samples)
			setOffers(point.Gauges, &offers, offerSamples)
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

// offers returns the sums with the offered slots of a period, and the number of samples; 0: not
// known. sums are those of the group.
func (r *seriesReading) offers(start time.Time, sums *gaugeSums) (*gaugeSums, int64) {
	switch {
	case !r.hasOffers():
		return &gaugeSums{}, 0
	case r.gaugeKind() == gaugeWorker:
		return sums, r.taken[start]
	}
	all := r.slots[start]
	return &all.sums, all.samples
}

func setOffers(g *workqueue.SeriesGauges, s *gaugeSums, samples int64) {
	if samples > 0 {
		g.SlotsOffered, g.MostSlotsOffered = new(float64(s.offered)/float64(samples)), new(s.mostOffered)
	}
}
