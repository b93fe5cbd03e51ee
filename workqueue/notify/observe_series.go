package notify

import (
	"context"
	"fmt"
	"time"

	"botwork/workqueue"
)

// gaugesAge is how old the latest sample of a backlog may be.
const gaugesAge = 3 * time.Minute

// observeSeries compares the statistics over time with the bounds of a rule.
func (r *Rule) observeSeries(ctx context.Context, store Store, o observations, now time.Time) error {
	p := workqueue.SeriesParams{By: workqueue.ByMinute, From: now.Add(-gaugesAge), Until: now, Group: workqueue.SeriesGroup(r.GroupBy[0])}
	if r.Event == FailureRate {
		p.From = now.Add(-r.Bounds.Within)
	}
	series, err := store.Series(ctx, p)
	if err != nil {
		return err
	}
	if r.Event == FailureRate {
		for i := range series.Totals {
			r.observeRate(o, &series.Totals[i])
		}
		return nil
	}
	latest := map[string]*workqueue.SeriesPoint{}
	var sampled time.Time // the start of the last period with a sample
	for i := range series.Points {
		point := &series.Points[i]
		if point.Gauges == nil || point.Gauges.Samples == 0 {
			continue
		}
		latest[point.Group] = point
		if point.Start.After(sampled) {
			sampled = point.Start
		}
	}
	for _, point := range latest {
		if point.Start.Equal(sampled) {
			r.observeGauges(o, point)
		}
	}
	return nil
}

// of returns the labels of a point; ok is false if the rule is not about it.
func (r *Rule) of(point *workqueue.SeriesPoint) (l labels, ok bool) {
	l = labels{r.GroupBy[0]: point.Group}
	if r.GroupBy[0] == LabelQueue && point.Group == workqueue.NotificationQueue {
		return l, false
	}
	return l, r.Filter.matches(l)
}

func (r *Rule) observeRate(o observations, point *workqueue.SeriesPoint) {
	l, ok := r.of(point)
	attempts := point.Failed + point.Succeeded
	if !ok || attempts < int64(r.Bounds.Least) || attempts == 0 {
		return
	}
	if percent := 100 * float64(point.Failed) / float64(attempts); percent > r.Bounds.Percent {
		one := o.at(r, l, nil)
		one.active, one.about = true, addName(nil, point.Group)
		one.title = fmt.Sprintf("%.0f %% of the attempts%s failed in %s", percent, ofNames(one.about), workqueue.Duration(r.Bounds.Within))
		one.text = fmt.Sprintf("%d of %d attempts failed in %s (%.0f %%, bound %g %%)", point.Failed, attempts, workqueue.Duration(r.Bounds.Within), percent, r.Bounds.Percent)
	}
}

func (r *Rule) observeGauges(o observations, point *workqueue.SeriesPoint) {
	l, ok := r.of(point)
	if !ok {
		return
	}
	g, about := point.Gauges, addName(nil, point.Group)
	switch {
	case r.Event == Backlog && g.Backlog > float64(r.Bounds.Items):
		one := o.at(r, l, nil)
		one.active, one.about, one.text = true, about, fmt.Sprintf("%.0f due items wait (bound %d)", g.Backlog, r.Bounds.Items)
		one.title = fmt.Sprintf("%.0f due items%s wait", g.Backlog, ofNames(about))
	case r.Event == Oldest && g.OldestWaiting > workqueue.Duration(r.Bounds.Age):
		one := o.at(r, l, nil)
		waited := workqueue.Duration(time.Duration(g.OldestWaiting).Round(time.Second))
		one.active, one.about, one.text = true, about, fmt.Sprintf("the oldest due item has waited for %s (bound %s)", waited, workqueue.Duration(r.Bounds.Age))
		one.title = fmt.Sprintf("The oldest due item%s has waited for %s", ofNames(about), waited)
	}
}
