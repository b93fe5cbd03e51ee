package sqlstore

import (
	"context"
	"fmt"
	"time"

	"botwork/workqueue"
)

// Survey implements workqueue.AssignStore. Each statement reads by itself: a
// transaction would keep nothing from changing before the pass writes.
func (s *Store) Survey(ctx context.Context, read func(context.Context, workqueue.AssignView) error) error {
	v := &assignView{s: s, on: s.readers, queries: s.reading}
	err := s.retry(ctx, "read for an assignment pass", func() error {
		s.reading.warm(ctx)
		v.foreseen = foreseen{}
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

	foreseen foreseen

	scheduled int // the most due items that a reading has found among those scheduled for later
}

// foreseen are answers to questions that have not been asked yet; each is given once.
type foreseen struct {
	of            workqueue.Foresight
	marks         *workqueue.Marks
	distributions map[string]workqueue.JSONText
	loads         *loadsRead
	due           *dueRead
}

// take is what a place holds, which is empty from then on.
func take[T any](place **T) *T {
	held := *place
	*place = nil
	return held
}

// Foresee implements workqueue.AssignView. Inside of a transaction, and where a
// statement is no round trip, it does nothing.
func (v *assignView) Foresee(ctx context.Context, f workqueue.Foresight) error {
	if !v.pipelines() {
		return nil
	}
	// The marks come first: what another pass changes from then on is noticed by them.
	marks, askMarks := v.askMarks()
	distributions, askDistributions := v.askDistributions()
	loads, askLoads := v.askLoads(f.SeenWithin, f.Band, f.DefaultEstimate)
	asks := append([]ask{askMarks, askDistributions}, askLoads...)
	var due *dueRead
	if f.Due > 0 {
		var askDue ask
		var err error
		if due, askDue, err = v.askDue(f.Band, workqueue.Full{}, f.Due); err != nil {
			return err
		}
		asks = append(asks, askDue)
	}
	if err := v.together(ctx, asks...); err != nil {
		return err
	}
	v.foreseen = foreseen{of: f, marks: marks, distributions: distributions, loads: loads, due: due}
	return nil
}

// Marks implements workqueue.AssignView.
func (v *assignView) Marks(ctx context.Context) (workqueue.Marks, error) {
	if m := take(&v.foreseen.marks); m != nil {
		return *m, nil
	}
	m, ask := v.askMarks()
	err := v.together(ctx, ask)
	return *m, err
}

// Sweepable implements workqueue.AssignView.
func (v *assignView) Sweepable(ctx context.Context, assignedFor time.Duration) (bool, error) {
	found := false
	finds := func(scanner) error {
		found = true
		return nil
	}
	one := values{"limit_rows": 1, "now": v.s.nowArg()}
	err := v.together(ctx,
		ask{"stale", values{"assigned_ms": ms(assignedFor), "limit_rows": 1, "now": one["now"]}, finds},
		ask{"expired", one, finds},
		ask{"withheld", one, finds},
	)
	return found, err
}

func (v *assignView) stale(ctx context.Context, assignedFor time.Duration, limit int) ([]staleRow, error) {
	rows, err := v.queries.query(ctx, v.on, "stale", values{
		"assigned_ms": ms(assignedFor), "limit_rows": limit, "now": v.s.nowArg(),
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
	if list := v.foreseen.distributions; list != nil {
		v.foreseen.distributions = nil
		return list, nil
	}
	list, ask := v.askDistributions()
	err := v.together(ctx, ask)
	return list, err
}

// WorkerLoads implements workqueue.AssignView.
func (v *assignView) WorkerLoads(ctx context.Context, seenWithin time.Duration, band workqueue.Band, defaultEstimate time.Duration) ([]workqueue.WorkerLoad, error) {
	if l := take(&v.foreseen.loads); l != nil && v.foreseen.of.SeenWithin == seenWithin && v.foreseen.of.Band == band && v.foreseen.of.DefaultEstimate == defaultEstimate {
		return l.sorted(), nil
	}
	l, asks := v.askLoads(seenWithin, band, defaultEstimate)
	err := v.together(ctx, asks...)
	return l.sorted(), err
}

// DueItems implements workqueue.AssignView.
func (v *assignView) DueItems(ctx context.Context, band workqueue.Band, full workqueue.Full, limit int) ([]workqueue.DueItem, error) {
	if d := take(&v.foreseen.due); d != nil && v.foreseen.of.Band == band && len(full.Queues)+len(full.Keys)+len(full.Pipelines) == 0 && d.suffices(limit) {
		return v.due(d, limit), nil
	}
	d, ask, err := v.askDue(band, full, limit)
	if err == nil {
		err = v.together(ctx, ask)
	}
	if err != nil {
		return nil, err
	}
	return v.due(d, limit), nil
}

func (v *assignView) due(d *dueRead, limit int) []workqueue.DueItem {
	v.scheduled = max(v.scheduled, d.scheduled)
	return d.sorted(limit)
}

// AssignedItems implements workqueue.AssignView.
func (v *assignView) AssignedItems(ctx context.Context, band workqueue.Band, limit int) ([]workqueue.DueItem, error) {
	rows, err := v.queries.query(ctx, v.on, "assigned_items", values{
		"min_priority": band.Min, "max_priority": band.Max, "limit_rows": limit, "now": v.s.nowArg(),
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

// HeldItems implements workqueue.AssignView.
func (v *assignView) HeldItems(ctx context.Context, limit int) ([]workqueue.HeldItem, error) {
	rows, err := v.queries.query(ctx, v.on, "held_items", values{"limit_rows": limit, "now": v.s.nowArg()})
	if err != nil {
		return nil, fmt.Errorf("read held items: %w", err)
	}
	texts := map[string]string{}
	var list []workqueue.HeldItem
	err = eachRow(rows, func() error {
		var h workqueue.HeldItem
		var holder *int64
		var running int
		var channel nullText
		var since utcTime
		var err error
		if h.DueItem, err = scanDue(rows.Scan, texts, &holder, &running, &h.RunOrder, &channel, &since); err != nil {
			return err
		}
		if holder != nil {
			h.Holder = *holder
		}
		h.Running, h.Channel, h.Since = running == 1, string(channel), since.Time
		list = append(list, h)
		return nil
	})
	return list, err
}
