package forecast

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"time"

	"botwork/tasks"
	"botwork/workqueue"
	"botwork/workqueue/assign"
)

const (
	// arrivalsOver is over how long arrivals are counted: four weeks, so that each hour of the
	// week has up to four counts.
	arrivalsOver = 28 * 24 * time.Hour

	// mostStreams bounds the streams of arrivals, by their number of items.
	mostStreams = 100

	// mostArrivals bounds the items of all streams in one history.
	mostArrivals = 200_000

	// mostWindows bounds the windows of one task.
	mostWindows = 2000

	// leastHours is how many hours of statistics are enough to expect more of the same.
	leastHours = 6

	week = 7 * 24
)

// The ids of items that do not exist yet follow all others.
const (
	firstTaskID    = int64(1) << 59
	firstArrivalID = int64(1) << 60
)

// stream is a kind of items that keep arriving: those of one queue, pipeline and band.
type stream struct {
	queue, pipeline, band string
	like                  workqueue.Item // the latest of them

	// rates are items an hour, by the hour of the week that began with Monday, UTC.
	rates [week]float64
}

// readStreams counts what arrived in the last weeks.
func (r *Present) readStreams(ctx context.Context, store Store) error {
	p := workqueue.SeriesParams{By: workqueue.ByHour, From: r.situation.At.Add(-arrivalsOver), Until: r.situation.At, Group: workqueue.GroupQueue}
	all, err := store.Series(ctx, p)
	if err != nil {
		return fmt.Errorf("read what arrived: %w", err)
	}
	first := firstEvent(&all)
	if first.IsZero() {
		return nil
	}
	if workqueue.ByHour.Start(r.situation.At).Sub(first) < leastHours*time.Hour {
		r.note("what usually arrives is part of the forecast after %d hours of statistics", leastHours)
		return nil
	}
	p.Group = workqueue.GroupPipeline
	for i := range all.Totals {
		p.Queue = all.Totals[i].Group
		if all.Totals[i].Enqueued == 0 || !r.assigned(p.Queue) {
			continue
		}
		for _, p.Band = range workqueue.BandNames() {
			s, err := store.Series(ctx, p)
			if err != nil {
				return fmt.Errorf("read what arrived in queue %q: %w", p.Queue, err)
			}
			r.addStreams(&s, p.Queue, p.Band, first)
		}
	}
	slices.SortStableFunc(r.streams, func(a, b stream) int { return cmp.Compare(b.total(), a.total()) })
	if len(r.streams) > mostStreams {
		r.note("items of %d kinds arrive; only the %d most frequent are part of the forecast", len(r.streams), mostStreams)
		r.streams = r.streams[:mostStreams]
	}
	return r.readTemplates(ctx, store)
}

// firstEvent returns the first hour in which something was enqueued; zero if nothing was.
func firstEvent(s *workqueue.Series) (first time.Time) {
	for i := range s.Points {
		if p := &s.Points[i]; p.Enqueued > 0 && (first.IsZero() || p.Start.Before(first)) {
			first = p.Start
		}
	}
	return first
}

// hourOfWeek returns the hours since the beginning of Monday, UTC.
func hourOfWeek(at time.Time) int {
	at = at.UTC()
	return (int(at.Weekday())+6)%7*24 + at.Hour()
}

// addStreams adds the streams of a queue and band. Each hour of the week has the mean of the last
// weeks if there are at least two, else each hour of the day has the mean of the last days if there are at
// least two, else all hours have the mean.
func (r *Present) addStreams(s *workqueue.Series, queue, band string, first time.Time) {
	by := map[string]map[time.Time]int64{}
	for i := range s.Points {
		if p := &s.Points[i]; p.Enqueued > 0 && p.Group != "" {
			if by[p.Group] == nil {
				by[p.Group] = map[time.Time]int64{}
			}
			by[p.Group][p.Start] += p.Enqueued
		}
	}
	last := workqueue.ByHour.Start(r.situation.At) // this hour is not over
	hours := max(int(last.Sub(first)/time.Hour), 0)
	for _, pipeline := range slices.Sorted(maps.Keys(by)) {
		counts := by[pipeline]
		r.withoutTasks(counts, queue, pipeline, first)
		one := stream{queue: queue, pipeline: pipeline, band: band}
		period := week
		switch {
		case hours < 2*24:
			period = 1
		case hours < 2*week:
			period = 24
		}
		sums, seen := make([]float64, period), make([]float64, period)
		for at := first; at.Before(last); at = at.Add(time.Hour) {
			k := hourOfWeek(at) % period
			sums[k] += float64(max(counts[at], 0))
			seen[k]++
		}
		for k := range one.rates {
			if n := seen[k%period]; n > 0 {
				one.rates[k] = sums[k%period] / n
			}
		}
		if one.total() > 0 {
			r.streams = append(r.streams, one)
		}
	}
}

// withoutTasks subtracts the items of tasks, which are part of the forecast by their schedules.
func (r *Present) withoutTasks(counts map[time.Time]int64, queue, pipeline string, first time.Time) {
	for i := range r.tasks {
		t := &r.tasks[i]
		if t.Queue != queue || t.Pipeline != pipeline {
			continue
		}
		for n, w := 0, t.Plan().Next(first.Add(-time.Second)); n < mostWindows && !w.At.IsZero() && w.At.Before(r.situation.At); n++ {
			counts[workqueue.ByHour.Start(w.At)] -= int64(len(t.Scopes()))
			w = t.Plan().Next(w.At)
		}
	}
}

// total returns the items of a week.
func (s *stream) total() (sum float64) {
	for _, rate := range s.rates {
		sum += rate
	}
	return sum
}

// readTemplates reads the latest item of each stream. A stream without one is forgotten: what it
// needs is unknown.
func (r *Present) readTemplates(ctx context.Context, store Store) error {
	var kept []stream
	for _, s := range r.streams {
		f := workqueue.ItemFilter{QueueName: s.queue, Pipeline: s.pipeline, Band: bandOf(s.band), Limit: 1}
		items, err := store.Items(ctx, f)
		if err != nil {
			return fmt.Errorf("read the latest item of pipeline %q: %w", s.pipeline, err)
		}
		s.like = workqueue.Item{QueueName: s.queue, IntegrationConfig: s.pipeline, Priority: typicalPriority(s.band)}
		if len(items) > 0 {
			s.like = items[0]
		}
		kept = append(kept, s)
	}
	r.streams = kept
	return nil
}

func bandOf(name string) workqueue.Band {
	switch name {
	case workqueue.BandHigh:
		return workqueue.Band{Min: workqueue.HighPriority + 1, Max: workqueue.EveryPriority.Max}
	case workqueue.BandMedium:
		return workqueue.Band{Min: workqueue.MediumPriority, Max: workqueue.HighPriority}
	}
	return workqueue.Band{Min: workqueue.EveryPriority.Min, Max: workqueue.MediumPriority - 1}
}

// typicalPriority is used for items of which none is left.
func typicalPriority(band string) int {
	switch band {
	case workqueue.BandHigh:
		return workqueue.HighPriority + 1
	case workqueue.BandMedium:
		return workqueue.RequestPriority
	}
	return workqueue.MediumPriority - 1
}

// source is a stream within a forecast.
type source struct {
	*stream
	id int64

	// sums are the expected arrivals until the end of each hour, of which the first begins at the
	// beginning of the forecast.
	sums []float64
	pool int // how many items exist at most
}

// newSource returns the source of a stream, with its rates multiplied by a factor.
func newSource(s *stream, at time.Time, until time.Duration, factor float64) source {
	one := source{stream: s, id: hash(s.queue, s.pipeline, s.band)}
	sum := 0.0
	for from := time.Duration(0); from < until; from += time.Hour {
		// The hour of a forecast begins within an hour of the clock.
		begin := at.Add(from)
		part := begin.Truncate(time.Hour).Add(time.Hour).Sub(begin).Hours()
		rate := part*s.rates[hourOfWeek(begin)] + (1-part)*s.rates[hourOfWeek(begin.Add(time.Hour))]
		sum += rate * factor * min(until-from, time.Hour).Hours()
		one.sums = append(one.sums, sum)
	}
	one.pool = int(math.Ceil(sum + 4*math.Sqrt(sum)))
	return one
}

// when returns when the expected number of arrivals reaches a number; false: not in the forecast.
func (s *source) when(number float64) (time.Duration, bool) {
	hour, _ := slices.BinarySearch(s.sums, number)
	if hour == len(s.sums) {
		return 0, false
	}
	before := 0.0
	if hour > 0 {
		before = s.sums[hour-1]
	}
	part := (number - before) / max(s.sums[hour]-before, 1e-12)
	return time.Duration((float64(hour) + part) * float64(time.Hour)), true
}

// hash returns a number for texts.
func hash(texts ...string) int64 {
	h := fnv.New64a()
	for _, t := range texts {
		_, _ = h.Write([]byte(t))
		_, _ = h.Write([]byte{0})
	}
	return int64(h.Sum64() >> 1) //nolint:gosec // 63 bits
}

// expected returns the item of an arrival, and the law's id and source.
type arrival struct {
	item   assign.SimItem
	id     int64
	source int32
}

// arrivals returns the items of the sources that may arrive, in the order of their expected times.
func (r *Present) arrivals(sources []source, at time.Time) []arrival {
	var list []arrival
	for n := range sources {
		s := &sources[n]
		for k := range s.pool {
			due, ok := s.when(float64(k) + 0.5)
			if !ok {
				due = time.Duration(len(s.sums)) * time.Hour
			}
			list = append(list, arrival{item: likeItem(&s.like, at.Add(due)), id: int64(mix(uint64(s.id)+uint64(k)) >> 1), source: int32(n)}) //nolint:gosec // any bits will do
		}
	}
	slices.SortStableFunc(list, func(a, b arrival) int { return a.item.Due.Compare(b.item.Due) })
	for i := range list {
		list[i].item.ID, list[i].item.Drawn = firstArrivalID+int64(i), true
	}
	return list
}

// likeItem returns a new item like another one.
func likeItem(like *workqueue.Item, due time.Time) assign.SimItem {
	d := workqueue.DueItem{
		Priority: like.Priority, Due: due, Pipeline: like.IntegrationConfig, QueueName: like.QueueName, Labels: like.Labels, Selectors: like.Selectors,
	}
	if like.EstimatedDurationMs != nil {
		d.Estimate = time.Duration(*like.EstimatedDurationMs) * time.Millisecond
	}
	if like.TaskName != nil {
		d.TaskName = *like.TaskName
	}
	if like.NaturalKey != nil {
		d.NaturalKey = *like.NaturalKey
	}
	if like.LimitKey != nil {
		d.LimitKey = *like.LimitKey
	}
	return assign.SimItem{HeldItem: workqueue.HeldItem{DueItem: d}}
}

// taskItems returns the items of the windows of tasks that open before a time.
func (r *Present) taskItems(until time.Time) (list []arrival) {
	at := r.situation.At
	for i := range r.tasks {
		t := &r.tasks[i]
		w := t.Plan().Next(at)
		for n := 0; n < mostWindows && !w.At.IsZero() && w.At.Before(until); n++ {
			priority := tasks.Priority(t.Importance, w.At, w.Deadline(), w.At)
			if q := r.queues[t.Queue]; q != nil {
				priority += q.PriorityOffset
			}
			for scope := range t.Scopes() {
				list = append(list, arrival{
					item: assign.SimItem{HeldItem: workqueue.HeldItem{DueItem: workqueue.DueItem{
						Priority: priority, Due: w.At, Deadline: w.Deadline(), Estimate: time.Duration(t.EstimatedDuration), TaskName: t.Name, Pipeline: t.Pipeline, QueueName: t.Queue,
					}}},
					id: hash(t.Name, w.At.String(), fmt.Sprint(scope)), source: -1,
				})
			}
			w = t.Plan().Next(w.At)
		}
	}
	slices.SortStableFunc(list, func(a, b arrival) int { return a.item.Due.Compare(b.item.Due) })
	for i := range list {
		list[i].item.ID = firstTaskID + int64(i)
	}
	return list
}
