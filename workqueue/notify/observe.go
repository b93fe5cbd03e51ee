package notify

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
)

// Store is what an evaluation reads and writes.
type Store interface {
	workqueue.NotificationStore

	Workers(ctx context.Context) ([]workqueue.Worker, error)
	Series(ctx context.Context, p workqueue.SeriesParams) (workqueue.Series, error)
	SampleGauges(ctx context.Context) (sampled bool, err error)
	Runs(ctx context.Context, f workqueue.RunFilter) ([]workqueue.PipelineRun, error)
}

// observation is what one evaluation finds for a group of a rule.
type observation struct {
	labels labels

	// active is set if a condition is true now, since a time if that is known.
	active bool
	since  time.Time

	// count is the number of events, from first to last.
	count       int64
	first, last time.Time

	text    string
	title   string   // of a condition
	about   []string // the names that a title has, sorted
	samples []Sample

	// failed are the latest failed runs by pipeline.
	failed map[string]int64
}

// maxSamples bounds the samples of a message.
const maxSamples = 5

// observations are those of one rule by group.
type observations map[string]*observation

// at returns the observation of the group of an occurrence.
func (o observations) at(r *Rule, l labels, open map[string]bool) *observation {
	group := r.group(l)
	if one := o[group]; one != nil {
		return one
	}
	if group != "" && !open[group] && len(o)+len(open) >= maxGroups {
		group = OtherGroups
		if one := o[group]; one != nil {
			return one
		}
	}
	one := &observation{labels: labels{}, failed: map[string]int64{}}
	for _, label := range r.GroupBy {
		if group != OtherGroups {
			one.labels[label] = l[label]
		}
	}
	o[group] = one
	return one
}

// event adds an event.
func (o *observation) event(h *workqueue.Happening) {
	if o.count == 0 || h.At.Before(o.first) {
		o.first = h.At
	}
	if h.At.After(o.last) {
		o.last = h.At
	}
	o.count++
	if len(o.samples) < maxSamples {
		o.samples = append(o.samples, sampleOf(h))
	}
}

// sampleOf returns a happening as a message shows it.
func sampleOf(h *workqueue.Happening) Sample {
	s := Sample{At: h.At, Text: cut(strings.Join(strings.Fields(h.Text), " "), 300), ItemID: h.ItemID, Queue: h.Queue, Pipeline: cut(h.Pipeline, 100), Step: h.Step, Worker: h.Worker}
	switch h.Source {
	case workqueue.FromItems:
		s.Error = h.Kind
	case workqueue.FromRuns:
		s.RunID = h.ID
	case workqueue.FromLateRuns:
		s.RunID, s.Text = h.ID, fmt.Sprintf("started %s late", workqueue.Duration(h.At.Sub(h.PlannedAt).Round(time.Second)))
	case workqueue.FromMissed:
		s.Text = cmp.Or(s.Text, "did not run") + ", planned for " + h.PlannedAt.UTC().Format(time.RFC3339)
	}
	return s
}

// labelsOf returns the labels of a happening.
func labelsOf(h *workqueue.Happening) labels {
	return labels{LabelQueue: h.Queue, LabelPipeline: h.Pipeline, LabelWorker: h.Worker, LabelError: h.Kind}
}

// about reports whether a rule is about a happening.
func (r *Rule) about(h *workqueue.Happening) bool {
	l := labelsOf(h)
	switch r.Event {
	case ItemCancelled:
		// What a person has cancelled is no news, unless the rule asks for it.
		if h.Source != workqueue.FromItems || len(r.Filter.Errors) == 0 && h.Kind == string(workqueue.KindCancelled) {
			return false
		}
	case PoisonItem:
		if h.Source != workqueue.FromItems || h.Kind != string(workqueue.KindPoison) {
			return false
		}
	case RunFailed:
		if h.Source != workqueue.FromRuns {
			return false
		}
	case RunMissed:
		late := h.Source == workqueue.FromLateRuns && h.At.Sub(h.PlannedAt) > r.Bounds.Delay
		if h.Source != workqueue.FromMissed && !late {
			return false
		}
	case DiskLow, Escalation:
		if h.Source != workqueue.FromEvents || h.Kind != string(r.Event) {
			return false
		}
	default:
		return false
	}
	return r.Filter.matches(l)
}

// texts of events, for one and for several.
var eventTexts = map[Event][2]string{
	ItemCancelled: {"an item ended without success", "%d items ended without success"},
	PoisonItem:    {"an item was cancelled as poison: workers died with it", "%d items were cancelled as poison: workers died with them"},
	RunFailed:     {"a run failed", "%d runs failed"},
	RunMissed:     {"a run was missed or late", "%d runs were missed or late"},
	DiskLow:       {"little free space on a disk", "little free space on disks"},
	Escalation:    {"an item was escalated", "%d items were escalated"},
}

// countText says how many events there were.
func (e Event) countText(n int64) string {
	texts := eventTexts[e]
	if n == 1 || !strings.Contains(texts[1], "%d") {
		return texts[min(int(n-1), 1)]
	}
	return fmt.Sprintf(texts[1], n)
}

// observeEvents adds the happenings that a rule is about.
func (r *Rule) observeEvents(o observations, happenings []workqueue.Happening, open map[string]bool) {
	for i := range happenings {
		h := &happenings[i]
		if !r.about(h) {
			continue
		}
		one := o.at(r, labelsOf(h), open)
		one.event(h)
		one.about = addName(one.about, r.Event.aboutOf(h))
		if r.Event == RunFailed {
			one.failed[h.Pipeline] = max(one.failed[h.Pipeline], h.ID)
		}
	}
	for _, one := range o {
		one.text = r.Event.countText(max(one.count, 1))
	}
}

// observeWorkers finds lost and stuck workers, and queues that no worker serves.
func (r *Rule) observeWorkers(o observations, workers []workqueue.Worker, now time.Time, absent time.Time) {
	found := map[*observation][]string{}
	add := func(l labels, name string) *observation {
		one := o.at(r, l, nil)
		one.active = true
		one.about = append(one.about, l[LabelWorker]+l[LabelQueue])
		found[one] = append(found[one], name)
		return one
	}
	defer func() {
		for _, one := range o {
			slices.Sort(one.about)
			one.title = conditionTitle(r.Event, one.about)
		}
	}()
	switch r.Event {
	case WorkerLost:
		for i := range workers {
			w := &workers[i]
			l := labels{LabelWorker: w.Name}
			if w.Gone(now) && now.Sub(w.LastSeenAt) < LostFor && r.Filter.matches(l) {
				one := add(l, fmt.Sprintf("%s on %s, last seen %s", w.Name, w.Host, w.LastSeenAt.UTC().Format(time.DateTime+" UTC")))
				if one.since.IsZero() || w.LastSeenAt.Before(one.since) {
					one.since = w.LastSeenAt
				}
			}
		}
		tell(found, "worker lost: ", "workers lost: ")
	case WorkerStuck:
		for i := range workers {
			w := &workers[i]
			l := labels{LabelWorker: w.Name}
			if w.StuckSlots > 0 && w.State != workqueue.WorkerStopped && !w.Gone(now) && r.Filter.matches(l) {
				add(l, fmt.Sprintf("%s (%d of %d slots)", w.Name, w.StuckSlots, w.Capacity))
			}
		}
		tell(found, "a handler does not stop on the worker ", "handlers do not stop on the workers ")
	case NoWorker:
		if len(r.Filter.Queues) == 0 {
			if one := o.alone(r, workers, now, absent); one != nil {
				one.text = "no worker is alive"
				if !absent.IsZero() {
					one.text = fmt.Sprintf("no worker was alive from %s to %s", absent.UTC().Format(time.DateTime), now.UTC().Format(time.DateTime+" UTC"))
				}
			}
			return
		}
		for _, queue := range r.Filter.Queues {
			if !slices.ContainsFunc(workers, func(w workqueue.Worker) bool { return works(&w, now) && serves(&w, queue) }) {
				add(labels{LabelQueue: queue}, queue)
			}
		}
		tell(found, "no worker is alive that serves the queue ", "no worker is alive that serves the queues ")
	}
}

// alone adds an observation if no worker is alive, or if none was while no process evaluated the
// notifications, which is since absent.
func (o observations) alone(r *Rule, workers []workqueue.Worker, now, absent time.Time) *observation {
	for i := range workers {
		if w := &workers[i]; works(w, now) && (absent.IsZero() || w.StartedAt.Before(absent)) {
			return nil
		}
	}
	one := o.at(r, labels{}, nil)
	one.active, one.since = true, absent
	return one
}

// works reports whether a worker takes items.
func works(w *workqueue.Worker, now time.Time) bool {
	return w.State == workqueue.WorkerActive && !w.Gone(now)
}

// serves reports whether a worker serves a queue. Settings that cannot be read serve nothing.
func serves(w *workqueue.Worker, queue string) bool {
	queues, err := workqueue.ParseServed(w.Queues)
	return err == nil && (len(queues) == 0 || slices.ContainsFunc(queues, func(q string) bool { return workqueue.FoldQueueName(q) == workqueue.FoldQueueName(queue) }))
}

// tell writes the texts of observations.
func tell(found map[*observation][]string, one, several string) {
	for o, names := range found {
		slices.Sort(names)
		if len(names) == 1 {
			o.text = one + names[0]
			continue
		}
		text := strings.Join(names[:min(len(names), 10)], "; ")
		if more := len(names) - 10; more > 0 {
			text += fmt.Sprintf("; and %d more", more)
		}
		o.text = several + text
	}
}

// observeRisk adds the items whose deadline is near.
func (r *Rule) observeRisk(o observations, near []workqueue.Happening, now time.Time) {
	for i := range near {
		h := &near[i]
		if h.At.Sub(now) > r.Bounds.Within || !r.Filter.matches(labelsOf(h)) {
			continue
		}
		one := o.at(r, labelsOf(h), nil)
		one.active = true
		one.about = addName(one.about, h.Queue)
		one.count++
		if len(one.samples) < maxSamples {
			s := sampleOf(h)
			s.Text = "has not started"
			one.samples = append(one.samples, s)
		}
	}
	for _, one := range o {
		n, verb := fmt.Sprint(one.count), "have"
		if one.count >= workqueue.MaxHappenings {
			n += " or more"
		}
		if one.count == 1 {
			verb = "has"
		}
		one.text = fmt.Sprintf("%s waiting item(s) %s a deadline within %s", n, verb, workqueue.Duration(r.Bounds.Within))
		one.title = n + " items" + ofNames(one.about) + " may miss their deadlines"
		if one.count == 1 {
			one.title = countOf(1, "item", one.samples[0].ItemID) + ofNames(one.about) + " may miss its deadline"
		}
		one.count = 0 // it is a condition, not a number of events
	}
}
