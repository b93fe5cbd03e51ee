package sqlstore

import (
	"context"
	"fmt"
	"time"

	"botwork/internal/database"
	"botwork/workqueue"
)

// ReadUnlocked implements workqueue.AssignStore. Each statement reads outside a transaction: a
// transaction would not stop rows from changing before the pass writes.
func (s *assignStore) ReadUnlocked(ctx context.Context, read func(context.Context, workqueue.AssignView) error) error {
	v := &assignView{s: s, on: s.readers, queries: s.reading}
	err := s.retryReading(ctx, "read for an assignment pass", func() error { return read(ctx, v) })
	if err == nil && v.scheduled >= promoteFrom {
		_ = s.promote(ctx) // the pass does not need it; if it fails, the next pass tries again
	}
	return err
}

// assignView is what an assignment pass reads, in a transaction or out of one.
type assignView struct {
	s  *assignStore
	on runner

	queries *queries // prepared on the connection of on

	scheduled int // the largest number of due items that one read found among those scheduled for later
}

// ReadPass implements workqueue.AssignView. It also reads due items if all statements go in one
// round trip, which is never so in a transaction.
func (v *assignView) ReadPass(ctx context.Context, q workqueue.PassQuery) (workqueue.PassInput, error) {
	marks, askMarks := v.askMarks()
	distributions, askDistributions := v.askDistributions()
	loads, askLoads := v.askLoads(q.SeenWithin, q.HeldFrom(), q.DefaultEstimate)
	asks := append([]ask{askMarks, askDistributions}, askLoads...)
	var due *dueRead
	if q.Due > 0 && v.s.engine.oneRoundTrip(v.on) {
		var askDue ask
		var err error
		if due, askDue, err = v.askDue(q.Band, workqueue.Full{}, q.Due); err != nil {
			return workqueue.PassInput{}, err
		}
		asks = append(asks, askDue)
	}
	if err := v.together(ctx, asks...); err != nil {
		return workqueue.PassInput{}, err
	}
	in := workqueue.PassInput{PassState: *marks, Distributions: distributions, Loads: loads.sorted()}
	if due != nil {
		in.Due, in.DueLimit = v.due(due, q.Due), q.Due
	}
	return in, nil
}

// PassState implements workqueue.AssignView.
func (v *assignView) PassState(ctx context.Context) (workqueue.PassState, error) {
	m, ask := v.askMarks()
	err := v.together(ctx, ask)
	return *m, err
}

// NeedsSweep implements workqueue.AssignView.
func (v *assignView) NeedsSweep(ctx context.Context, assignedFor time.Duration) (bool, error) {
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
		ask{"by_hand", values{"limit_rows": 1}, finds},
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

// DueItems implements workqueue.AssignView.
func (v *assignView) DueItems(ctx context.Context, band workqueue.Band, full workqueue.Full, limit int) ([]workqueue.DueItem, error) {
	d, ask, err := v.askDue(band, full, limit)
	if err == nil {
		err = v.together(ctx, ask)
	}
	if err != nil {
		return nil, err
	}
	return v.due(d, limit), nil
}

// DueOfQueue implements workqueue.AssignView.
func (v *assignView) DueOfQueue(ctx context.Context, queue string, band workqueue.Band, full workqueue.Full, limit int) ([]workqueue.DueItem, error) {
	d, ask, err := v.askDue(band, full, limit)
	if err == nil {
		ask.name, ask.values["queue"] = "due_queue", queue
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
		var since, finish database.Time
		var err error
		if h.DueItem, err = scanDue(rows.Scan, texts, &holder, &running, &h.RunOrder, &channel, &since, &finish); err != nil {
			return err
		}
		if holder != nil {
			h.Holder = *holder
		}
		h.Running, h.Channel, h.Since, h.FinishBy = running == 1, string(channel), since.Time, finish.Time
		list = append(list, h)
		return nil
	})
	return list, err
}
