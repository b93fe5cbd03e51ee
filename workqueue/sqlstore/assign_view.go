package sqlstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
)

// Survey implements workqueue.AssignStore. Each statement reads by itself: a
// transaction would keep nothing from changing before the pass writes.
func (s *Store) Survey(ctx context.Context, read func(context.Context, workqueue.AssignView) error) error {
	v := &assignView{s: s, on: s.readers, queries: s.reading}
	err := s.retry(ctx, "read for an assignment pass", func() error {
		s.reading.warm(ctx)
		return read(ctx, v)
	})
	if err == nil && v.scheduled >= promoteFrom {
		_ = s.promote(ctx) // what was read holds without; the next pass finds as many
	}
	return err
}

// assignView is what an assignment pass reads, in a transaction or out of one.
type assignView struct {
	s  *Store
	on runner

	queries *queries // prepared where on is

	scheduled int // the most due items that a reading has found among those scheduled for later
}

// Marks implements workqueue.AssignView.
func (v *assignView) Marks(ctx context.Context) (workqueue.Marks, error) {
	m := workqueue.Marks{Turns: map[string]int64{}}
	rows, err := v.queries.query(ctx, v.on, "marks", values{"now": v.s.nowArg()})
	if err != nil {
		return m, fmt.Errorf("read what passes remember: %w", err)
	}
	err = eachRow(rows, func() error {
		var now utcTime
		var name string
		var value int64
		if err := rows.Scan(&now, &name, &value); err != nil {
			return err
		}
		m.Now = now.Time
		if scope, ok := strings.CutPrefix(name, markTurn); ok {
			m.Turns[scope] = value
		} else if name == "passes" {
			m.Passes = value
		}
		return nil
	})
	return m, err
}

// Sweepable implements workqueue.AssignView.
func (v *assignView) Sweepable(ctx context.Context, p workqueue.RescueParams) (bool, error) {
	stale, err := v.stale(ctx, p, 1)
	if err != nil || len(stale) > 0 {
		return len(stale) > 0, err
	}
	expired, err := v.queries.ids(ctx, v.on, "expired", values{"limit_rows": 1, "now": v.s.nowArg()})
	return len(expired) > 0, err
}

func (v *assignView) stale(ctx context.Context, p workqueue.RescueParams, limit int) ([]staleRow, error) {
	rows, err := v.queries.query(ctx, v.on, "stale", values{
		"assigned_ms": ms(p.AssignedFor), "limit_rows": limit, "now": v.s.nowArg(),
	})
	if err != nil {
		return nil, err
	}
	var stale []staleRow
	err = eachRow(rows, func() error {
		var r staleRow
		if err := rows.Scan(&r.ItemID, &r.ItemFence, &r.state, &r.workerID, &r.failures, &r.priority); err != nil {
			return err
		}
		stale = append(stale, r)
		return nil
	})
	return stale, err
}

// Distributions implements workqueue.AssignView.
func (v *assignView) Distributions(ctx context.Context) (map[string]workqueue.JSONText, error) {
	rows, err := v.queries.query(ctx, v.on, "distributions", nil)
	if err != nil {
		return nil, fmt.Errorf("read how queues give out their items: %w", err)
	}
	list := map[string]workqueue.JSONText{}
	err = eachRow(rows, func() error {
		var queue string
		var text nullText
		if err := rows.Scan(&queue, &text); err != nil {
			return err
		}
		list[queue] = workqueue.JSONText(text)
		return nil
	})
	return list, err
}

// WorkerLoads implements workqueue.AssignView.
func (v *assignView) WorkerLoads(ctx context.Context, seenWithin time.Duration, band workqueue.Band, defaultEstimate time.Duration) ([]workqueue.WorkerLoad, error) {
	rows, err := v.queries.query(ctx, v.on, "workers_open", values{"seen_ms": ms(seenWithin), "now": v.s.nowArg()})
	if err != nil {
		return nil, fmt.Errorf("read workers: %w", err)
	}
	var loads []workqueue.WorkerLoad
	at := map[int64]int{}
	err = eachRow(rows, func() error {
		var l workqueue.WorkerLoad
		var since utcTime
		var labels, channels, queues nullText
		if err := rows.Scan(&l.WorkerID, &l.Name, &l.Capacity, &l.Reserved, &labels, &channels, &queues, &since); err != nil {
			return err
		}
		l.Labels, l.Channels, l.Queues, l.AvailableSince = workqueue.JSONText(labels), workqueue.JSONText(channels), workqueue.JSONText(queues), since.Time
		at[l.WorkerID] = len(loads)
		loads = append(loads, l)
		return nil
	})
	if err != nil || len(loads) == 0 {
		return loads, err
	}
	rows, err = v.queries.query(ctx, v.on, "workers_held", values{"min_priority": band.Min, "default_ms": ms(defaultEstimate)})
	if err != nil {
		return nil, fmt.Errorf("read what workers hold: %w", err)
	}
	err = eachRow(rows, func() error {
		var worker, heldMs int64
		var running int
		var h workqueue.HeldWork
		var channel nullText
		var since utcTime
		if err := rows.Scan(&worker, &h.Priority, &running, &channel, &h.Count, &heldMs, &since); err != nil {
			return err
		}
		i, ok := at[worker]
		if !ok {
			return nil
		}
		h.Running, h.Channel, h.Estimate = running == 1, string(channel), milliseconds(heldMs)
		l := &loads[i]
		l.Held = append(l.Held, h)
		if since.Valid && since.After(l.AvailableSince) {
			l.AvailableSince = since.Time
		}
		return nil
	})
	for i := range loads {
		slices.SortFunc(loads[i].Held, compareHeld)
	}
	return loads, err
}

// compareHeld puts the most urgent first, then what runs, then by channel.
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

// DueItems implements workqueue.AssignView: index ranges, merged.
func (v *assignView) DueItems(ctx context.Context, band workqueue.Band, full workqueue.Full, limit int) ([]workqueue.DueItem, error) {
	queues, err := jsonRows(append([]string{}, full.Queues...))
	if err != nil {
		return nil, err
	}
	keys, err := jsonRows(append([]workqueue.LimitKey{}, full.Keys...))
	if err != nil {
		return nil, err
	}
	rows, err := v.queries.query(ctx, v.on, "due", values{
		"min_priority": band.Min, "max_priority": band.Max, "limit_rows": limit, "queues": queues, "keys": keys, "now": v.s.nowArg(),
	})
	if err != nil {
		return nil, fmt.Errorf("read due items: %w", err)
	}
	texts := map[string]string{}
	var due []workqueue.DueItem
	scheduled := 0
	err = eachRow(rows, func() error {
		var later bool
		d, err := scanDue(rows.Scan, texts, &later)
		if err != nil {
			return err
		}
		if later {
			scheduled++
		}
		due = append(due, d)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read due items: %w", err)
	}
	v.scheduled = max(v.scheduled, scheduled)
	slices.SortFunc(due, compareDue)
	due = slices.CompactFunc(due, func(a, b workqueue.DueItem) bool { return a.ID == b.ID })
	return due[:min(len(due), limit)], nil
}

func compareDue(a, b workqueue.DueItem) int {
	if a.Priority != b.Priority {
		return cmp.Compare(b.Priority, a.Priority)
	}
	if a.Expedite != b.Expedite {
		if a.Expedite {
			return -1
		}
		return 1
	}
	deadline := a.Deadline.Compare(b.Deadline)
	if a.Deadline.IsZero() != b.Deadline.IsZero() {
		deadline = -deadline // the zero time means none, and none comes last
	}
	return cmp.Or(deadline, cmp.Compare(a.ID, b.ID))
}

// AssignedItems implements workqueue.AssignView.
func (v *assignView) AssignedItems(ctx context.Context, band workqueue.Band, limit int) ([]workqueue.DueItem, error) {
	rows, err := v.queries.query(ctx, v.on, "assigned_items", values{
		"min_priority": band.Min, "max_priority": band.Max, "limit_rows": limit,
	})
	if err != nil {
		return nil, fmt.Errorf("read assigned items: %w", err)
	}
	texts := map[string]string{}
	var list []workqueue.DueItem
	err = eachRow(rows, func() error {
		var holder int64
		d, err := scanDue(rows.Scan, texts, &holder)
		if err != nil {
			return err
		}
		d.Holder = holder
		list = append(list, d)
		return nil
	})
	return list, err
}

// scanDue reads an item. A million of them say mostly the same: texts keeps each
// text once. last is the statement's last column.
func scanDue(scan func(to ...any) error, texts map[string]string, last any) (workqueue.DueItem, error) {
	var d workqueue.DueItem
	var due, deadline utcTime
	var estimateMs *int64
	var limited int
	var pipeline, queue, key, labels, selectors, task, natural nullText
	if err := scan(&d.ID, &d.Priority, &deadline, &estimateMs, &pipeline, &queue, &limited, &key, &due, &labels, &selectors, &d.Expedite, &task, &natural, last); err != nil {
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
