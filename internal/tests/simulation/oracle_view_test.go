package simulation

import (
	"context"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/storetest/reference"
)

// survey reads for a pass at one instant; the pass writes at a later instant.
func (o *oracle) survey(of context.Context, p *process, read func(context.Context, workqueue.AssignView) error) error {
	if o.assigns() {
		o.meanwhile("survey", 25)
	}
	var view *passView
	return o.step("survey of "+p.instance, func() error {
		return o.store.ReadUnlocked(ctx, func(ctx context.Context, real workqueue.AssignView) error {
			view = &passView{real: real, o: o, model: o.model.Clone()}
			err := read(ctx, view)
			if p.surveyed == nil {
				p.surveyed = map[context.Context]*passView{}
			}
			p.surveyed[of] = view
			view.could = map[int64]bool{}
			for _, d := range view.model.Due(view.band, len(view.model.Items)) {
				view.could[d.ID] = true
			}
			return err
		})
	}, func() string { return view.wrong })
}

// passView compares what a pass reads with the model.
type passView struct {
	real  workqueue.AssignView
	o     *oracle
	model *reference.Model
	wrong string
	band  workqueue.Band // of the due items that the pass has read
	could map[int64]bool // items that the pass could read
}

func (v *passView) addFault(what, wrong string) {
	if v.wrong == "" && wrong != "" {
		v.wrong = what + ": " + wrong
	}
}

func (v *passView) ReadPass(ctx context.Context, q workqueue.PassQuery) (workqueue.PassInput, error) {
	got, err := v.real.ReadPass(ctx, q)
	v.addFault("loads", differ(got.Loads, v.model.Loads(q.SeenWithin, workqueue.Band{Min: q.HeldFrom(), Max: q.Band.Max}, q.DefaultEstimate)))
	if got.DueLimit > 0 {
		v.band = q.Band
		v.addFault("due items of ReadPass", differ(got.Due, v.model.DueExcluding(q.Band, workqueue.Full{}, q.Due)))
	}
	return got, err
}

func (v *passView) PassState(ctx context.Context) (workqueue.PassState, error) {
	return v.real.PassState(ctx)
}

func (v *passView) NeedsSweep(ctx context.Context, assignedFor time.Duration) (bool, error) {
	got, err := v.real.NeedsSweep(ctx, assignedFor)
	m := v.model.Clone()
	rescued, _ := m.Rescue(assignedFor)
	if want := rescued.Rescued+rescued.Released+m.Expire() > 0; want { // there may be outdated candidates, but none may be missing
		v.addFault("NeedsSweep", differ(got, want))
	}
	return got, err
}

func (v *passView) DueItems(ctx context.Context, band workqueue.Band, full workqueue.Full, limit int) ([]workqueue.DueItem, error) {
	got, err := v.real.DueItems(ctx, band, full, limit)
	v.band = band
	v.addFault("due items", differ(got, v.model.DueExcluding(band, full, limit)))
	return got, err
}

func (v *passView) DueOfQueue(ctx context.Context, queue string, band workqueue.Band, full workqueue.Full, limit int) ([]workqueue.DueItem, error) {
	return v.real.DueOfQueue(ctx, queue, band, full, limit)
}

func (v *passView) AssignedItems(ctx context.Context, band workqueue.Band, limit int) ([]workqueue.DueItem, error) {
	got, err := v.real.AssignedItems(ctx, band, limit)
	v.addFault("assigned items", differ(got, v.model.Assigned(band, limit)))
	return got, err
}

func (v *passView) HeldItems(ctx context.Context, limit int) ([]workqueue.HeldItem, error) {
	return v.real.HeldItems(ctx, limit)
}

func (v *passView) LimitUses(ctx context.Context) ([]workqueue.LimitUse, error) {
	return v.real.LimitUses(ctx)
}
