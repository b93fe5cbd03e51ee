package sqlstore

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
)

// askMarks reads what earlier passes recorded.
func (v *assignView) askMarks() (*workqueue.PassState, ask) {
	m := &workqueue.PassState{Turns: map[string]int64{}}
	return m, ask{"marks", values{"now": v.s.nowArg()}, func(scan scanner) error {
		var now database.Time
		var name string
		var value int64
		if err := scan(&now, &name, &value); err != nil {
			return err
		}
		m.Now = now.Time
		if scope, ok := strings.CutPrefix(name, markTurn); ok {
			m.Turns[scope] = value
		} else if name == "passes" {
			m.Passes = value
		}
		return nil
	}}
}

// askDistributions reads how each queue distributes its items.
func (v *assignView) askDistributions() (map[string]workqueue.JSONText, ask) {
	list := map[string]workqueue.JSONText{}
	return list, ask{"distributions", nil, func(scan scanner) error {
		var queue string
		var text nullText
		if err := scan(&queue, &text); err != nil {
			return err
		}
		list[queue] = workqueue.JSONText(text)
		return nil
	}}
}

// loadsRead are workers with the items that they hold.
type loadsRead struct {
	list []workqueue.WorkerLoad
	at   map[int64]int
}

// askLoads reads the workers, and then the items that they hold.
func (v *assignView) askLoads(seenWithin time.Duration, heldFrom int, defaultEstimate time.Duration) (*loadsRead, []ask) {
	l := &loadsRead{at: map[int64]int{}}
	return l, []ask{
		{"workers_open", values{"seen_ms": ms(seenWithin), "now": v.s.nowArg()}, l.worker},
		{"workers_held", values{"min_priority": heldFrom, "default_ms": ms(defaultEstimate), "now": v.s.nowArg()}, l.held},
	}
}

func (l *loadsRead) worker(scan scanner) error {
	var w workqueue.WorkerLoad
	var since database.Time
	var labels, channels, queues, overrides nullText
	var s workqueue.WorkerSettings
	var stuck int
	if err := scan(&w.WorkerID, &w.Name, &s.Capacity, &stuck, &s.ReservedSlots, &labels, &channels, &queues, &overrides, &since); err != nil {
		return err
	}
	s.Labels, s.Channels, s.Queues = workqueue.JSONText(labels), workqueue.JSONText(channels), workqueue.JSONText(queues)
	s, w.Fault = s.With(workqueue.JSONText(overrides))
	w.Capacity, w.Reserved, w.Labels, w.Channels, w.Queues, w.AvailableSince = max(s.Capacity-stuck, 0), s.ReservedSlots, s.Labels, s.Channels, s.Queues, since.Time
	l.at[w.WorkerID] = len(l.list)
	l.list = append(l.list, w)
	return nil
}

func (l *loadsRead) held(scan scanner) error {
	var worker, heldMs int64
	var running int
	var h workqueue.HeldWork
	var channel nullText
	var since database.Time
	if err := scan(&worker, &h.Priority, &running, &channel, &h.Count, &heldMs, &since); err != nil {
		return err
	}
	i, ok := l.at[worker]
	if !ok {
		return nil
	}
	h.Running, h.Channel, h.Estimate = running == 1, string(channel), milliseconds(heldMs)
	w := &l.list[i]
	w.Held = append(w.Held, h)
	if since.Valid && since.After(w.AvailableSince) {
		w.AvailableSince = since.Time
	}
	return nil
}

func (l *loadsRead) sorted() []workqueue.WorkerLoad {
	for i := range l.list {
		slices.SortStableFunc(l.list[i].Held, compareHeld)
	}
	return l.list
}

// compareHeld sorts by urgency, then running items first, then by channel.
func compareHeld(a, b workqueue.HeldWork) int {
	running := 0
	if a.Running != b.Running {
		running = 1
		if a.Running {
			running = -1
		}
	}
	return cmp.Or(cmp.Compare(b.Priority, a.Priority), running, cmp.Compare(a.Channel, b.Channel))
}

// dueRead are due items. The limit applies to each part of the statement, and an item may be in
// two parts.
type dueRead struct {
	found     pile[workqueue.DueItem]
	texts     map[string]string
	limit     int
	scheduled int // how many were scheduled for later
}

func (v *assignView) askDue(band workqueue.Band, full workqueue.Full, limit int) (*dueRead, ask, error) {
	d := &dueRead{texts: map[string]string{}, limit: limit}
	queues, err := jsonRows(append([]string{}, full.Queues...))
	if err != nil {
		return d, ask{}, err
	}
	keys, err := jsonRows(append([]workqueue.LimitKey{}, full.Keys...))
	if err != nil {
		return d, ask{}, err
	}
	pipelines, err := jsonRows(append([]string{}, full.Pipelines...))
	return d, ask{"due", values{
		"min_priority": band.Min, "max_priority": band.Max, "limit_rows": limit, "queues": queues, "keys": keys, "pipelines": pipelines,
		"now": v.s.nowArg(),
	}, d.item}, err
}

func (d *dueRead) item(scan scanner) error {
	var later bool
	var byHand int
	it, err := scanDue(scan, d.texts, &later, &byHand)
	if err != nil {
		return err
	}
	it.ByHand = byHand == 1
	if later {
		d.scheduled++
	}
	d.found.add(it)
	return nil
}

// sorted returns the items in their order and drops them from d.
func (d *dueRead) sorted(limit int) []workqueue.DueItem {
	list := d.found.all()
	slices.SortFunc(list, workqueue.CompareDue)
	list = slices.CompactFunc(list, func(a, b workqueue.DueItem) bool { return a.ID == b.ID })
	return workqueue.FirstDue(list, limit)
}

// scanDue reads an item. A million items have mostly the same texts: texts holds each of them
// once. more are further columns of the statement.
func scanDue(scan scanner, texts map[string]string, more ...any) (workqueue.DueItem, error) {
	var d workqueue.DueItem
	var due, deadline database.Time
	var estimateMs *int64
	var limited int
	var pipeline, queue, key, labels, selectors, task, natural nullText
	columns := append(make([]any, 0, 20), &d.ID, &d.Priority, &deadline, &estimateMs, &pipeline, &queue, &limited, &key, &due, &labels, &selectors, &d.Expedite, &task, &natural)
	if err := scan(append(columns, more...)...); err != nil {
		return d, err
	}
	once := func(t nullText) string {
		if t == "" {
			return ""
		}
		kept, ok := texts[string(t)]
		if !ok {
			kept = string(t)
			texts[kept] = kept
		}
		return kept
	}
	d.Due, d.Deadline = due.Time, deadline.Time
	d.Pipeline, d.QueueName, d.TaskName, d.NaturalKey = once(pipeline), once(queue), once(task), string(natural)
	d.Labels, d.Selectors = workqueue.JSONText(once(labels)), workqueue.JSONText(once(selectors))
	if limited == 1 {
		d.Queue, d.LimitKey = d.QueueName, once(key)
	}
	if estimateMs != nil {
		d.Estimate = milliseconds(*estimateMs)
	}
	return d, nil
}
