package simulation

import (
	"fmt"
	"slices"

	"botwork/workqueue"
	"botwork/workqueue/storetest/reference"
)

func (o *oracle) queues() (queues []workqueue.Queue, err error) {
	return o.store.Queues(ctx)
}

func (o *oracle) enqueue(n workqueue.NewItem) (id int64) {
	_ = o.step("enqueue", func() error {
		enqueued, err := o.store.Enqueue(ctx, []workqueue.NewItem{n})
		if err == nil {
			id = enqueued[0].ID
		}
		return err
	}, func() string {
		o.model.Enqueue([]int64{id}, n)
		return ""
	})
	return id
}

func (o *oracle) register(spec workqueue.WorkerSpec) (worker workqueue.Worker, err error) {
	err = o.step("register "+spec.InstanceID, func() (err error) {
		worker, err = o.store.RegisterWorker(ctx, spec)
		return err
	}, func() string {
		want := o.model.Register(worker.ID, spec)
		if (want == nil) != (worker.ID == 0) {
			return fmt.Sprintf("got worker %d, want the name to be free: %t", worker.ID, want != nil)
		}
		return ""
	})
	if err == nil {
		o.w.judge.log(spec.InstanceID, "RegisterWorker: replaces %q", spec.Replaces)
	}
	return worker, err
}

func (o *oracle) workers() (workers []workqueue.Worker, err error) {
	return o.store.Workers(ctx)
}

func (o *oracle) drain(name, instance string) error {
	return o.step("drain "+name, func() error { return o.store.DrainWorker(ctx, name, instance) }, func() string {
		_ = o.model.Drain(name, instance)
		return ""
	})
}

func (o *oracle) stop(id int64, instance string) error {
	return o.step("stop "+instance, func() error { return o.store.StopWorker(ctx, id, instance) }, func() string {
		_ = o.model.Stop(reference.Process{Worker: id, Instance: instance})
		return ""
	})
}

func (o *oracle) releaseAssigned(id int64, instance string) (n int, err error) {
	err = o.step("release "+instance, func() (err error) {
		n, err = o.store.ReleaseAssigned(ctx, id, instance)
		return err
	}, func() string {
		return differ(n, o.model.ReleaseAssigned(reference.Process{Worker: id, Instance: instance}))
	})
	return n, err
}

func (o *oracle) claim(p workqueue.ClaimParams) (items []workqueue.Item, err error) {
	o.meanwhile("claim", 15)
	err = o.step("claim "+p.InstanceID, func() (err error) {
		items, err = o.store.Claim(ctx, p)
		return err
	}, func() string {
		if wrong := o.started(o.model.Item, items); wrong != "" {
			return wrong
		}
		return differ(refsOf(items), refsOf(o.model.Claim(p)))
	})
	if len(items) > 0 {
		o.w.judge.log(p.InstanceID, "Claim %v: %v", p.Band, refsOf(items))
	}
	return items, err
}

func (o *oracle) begin(p workqueue.BeginParams) (refused []int64, err error) {
	by, asked := reference.Process{Worker: p.WorkerID, Instance: p.InstanceID}, p.Items
	err = o.step("begin "+p.InstanceID, func() (err error) {
		free, locked, lost := divide(o, by, asked, sameRef)
		p.Items = free
		refused, err = o.store.Begin(ctx, p)
		refused = slices.Concat(refused, locked, lost)
		return err
	}, func() string {
		return differ(sorted(refused), sorted(o.model.Begin(by, asked)))
	})
	o.w.judge.log(p.InstanceID, "Begin %v: refused %v", asked, refused)
	for _, ref := range asked {
		if err == nil {
			o.w.judge.beginAsked(ref, !slices.Contains(refused, ref.ItemID))
		}
	}
	return refused, err
}

func (o *oracle) beat(p workqueue.BeatParams) (result workqueue.BeatResult, err error) {
	asked := p
	err = o.step("beat "+p.InstanceID, func() (err error) {
		by := reference.Process{Worker: p.WorkerID, Instance: p.InstanceID}
		free, locked, lost := divide(o, by, p.Held, sameRef)
		p.Held = free
		p.Started, _, _ = divide(o, by, p.Started, sameRef)
		result, err = o.store.Beat(ctx, p)
		if err == nil {
			result.Lost, result.Locked = append(result.Lost, lost...), locked
		}
		return err
	}, func() string {
		want, _ := o.model.Beat(asked)
		return differ(fmt.Sprint(result.State, sorted(result.Lost)), fmt.Sprint(want.State, sorted(want.Lost)))
	})
	o.w.judge.checkBegun(p.InstanceID, p.Started)
	o.w.judge.log(p.InstanceID, "Beat: %v, lost %v, locked %v, stuck %d, %v", result.State, sorted(result.Lost), sorted(result.Locked), p.Stuck, err)
	return result, err
}

func (o *oracle) progress(worker int64, instance string, notes []workqueue.ProgressNote) (lost []int64, err error) {
	by := reference.Process{Worker: worker, Instance: instance}
	var locked []int64
	err = o.step("progress "+instance, func() (err error) {
		free, held, gone := divide(o, by, notes, func(n workqueue.ProgressNote) workqueue.ItemRef { return n.ItemRef })
		locked = held
		lost, err = o.store.Progress(ctx, worker, instance, free)
		lost = append(lost, gone...)
		return err
	}, func() string {
		return differ(sorted(lost), sorted(o.model.Progress(by, notes)))
	})
	return lost, passedOver(locked, err)
}

func (o *oracle) lost(worker int64, instance string, held []workqueue.ItemRef) (lost []int64, err error) {
	err = o.step("lost "+instance, func() (err error) {
		lost, err = o.store.Lost(ctx, worker, instance, held)
		return err
	}, func() string {
		return differ(sorted(lost), sorted(o.model.Lost(reference.Process{Worker: worker, Instance: instance}, held)))
	})
	return lost, err
}

func (o *oracle) finish(worker int64, instance string, ends []workqueue.Finish) (lost []int64, err error) {
	by := reference.Process{Worker: worker, Instance: instance}
	var free []workqueue.Finish
	var locked, gone []int64
	err = o.step("finish "+instance, func() (err error) {
		free, locked, gone = divide(o, by, ends, claimOfEnd)
		lost, err = o.store.Finish(ctx, worker, instance, free)
		lost = append(lost, gone...)
		return err
	}, func() string {
		if wrong := o.uncounted(worker, instance, free); wrong != "" {
			return wrong
		}
		if wrong := o.endSteps(by, free); wrong != "" {
			return wrong
		}
		return differ(sorted(lost), sorted(append(o.model.Finish(by, free), gone...)))
	})
	for _, f := range ends {
		if !slices.Contains(locked, f.ItemID) {
			o.w.judge.written(instance, f, slices.Contains(lost, f.ItemID))
		}
	}
	return lost, passedOver(locked, err)
}

func (o *oracle) stranded(worker int64) (band workqueue.Band, found bool, err error) {
	err = o.step("stranded", func() (err error) {
		band, found, err = o.store.AbandonedBand(ctx, worker)
		return err
	}, func() string {
		wantBand, want := o.model.Stranded(worker)
		return differ(fmt.Sprint(band, found), fmt.Sprint(wantBand, want))
	})
	return band, found, err
}

func (o *oracle) ready(worker int64, band workqueue.Band) (r workqueue.Readiness, err error) {
	err = o.step("ready", func() (err error) {
		r, _, err = o.store.Ready(ctx, worker, band)
		return err
	}, func() string {
		switch due := len(o.model.Due(band, 1)) > 0; {
		case due && r != workqueue.ItemsDue && r != workqueue.ItemsAssigned && r != workqueue.ItemsWait:
			return fmt.Sprintf("the answer is %d although an item is due", r)
		case !due && (r == workqueue.ItemsDue || r == workqueue.ItemsWait):
			return fmt.Sprintf("the answer is %d although no item is due", r)
		}
		return ""
	})
	return r, err
}

func (o *oracle) claimFiring(f workqueue.Firing) (claim workqueue.FiringClaim, err error) {
	err = o.step("claim firing", func() (err error) {
		claim, err = o.store.ClaimFiring(ctx, f)
		return err
	}, func() string {
		if claim.Won && f.PlannedAt.After(o.clock) {
			return fmt.Sprintf("%s of %s was won %s before its time", f.Schedule, f.PlannedAt, f.PlannedAt.Sub(o.clock))
		}
		return ""
	})
	return claim, err
}

// uncounted returns a fault if an end releases a run that has not begun, and changes the item.
func (o *oracle) uncounted(worker int64, instance string, ends []workqueue.Finish) string {
	for _, f := range ends {
		ref := workqueue.ItemRef{ItemID: f.ItemID, Fence: f.Fence}
		if !o.model.Holds(reference.Process{Worker: worker, Instance: instance}, ref) || o.w.judge.hasBegun(ref) {
			continue
		}
		if before := o.model.Items[f.ItemID].RetryCount; f.State != workqueue.Ready || f.RetryCount != before {
			return fmt.Sprintf("item %d has not begun, and is released as %v after %d failures, want %v after %d",
				f.ItemID, f.State, f.RetryCount, workqueue.Ready, before)
		}
	}
	return ""
}

// item returns the model's row of an existing item.
func (o *oracle) item(id int64) workqueue.Item {
	o.mu.Lock()
	defer o.mu.Unlock()
	return *o.model.Items[id]
}

// leased reports whether a claim has a lease that has not expired.
func (o *oracle) leased(ref workqueue.ItemRef) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	it := o.model.Items[ref.ItemID]
	return it != nil && it.State == workqueue.Blocked && it.Fence == ref.Fence && it.LeaseExpiresAt != nil && !it.LeaseExpiresAt.Before(o.now())
}

// differ returns a fault if two answers differ.
func differ[T any](got, want T) string {
	if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
		return fmt.Sprintf("the answer is %s, want %s", g, w)
	}
	return ""
}

func sorted(ids []int64) []int64 { return slices.Compact(slices.Sorted(slices.Values(ids))) }

func claimOfEnd(f workqueue.Finish) workqueue.ItemRef {
	return workqueue.ItemRef{ItemID: f.ItemID, Fence: f.Fence}
}

// claimsOf returns the claims of items.
func claimsOf(items []workqueue.Item) (refs []workqueue.ItemRef) {
	for _, it := range items {
		refs = append(refs, workqueue.ItemRef{ItemID: it.ID, Fence: it.Fence})
	}
	return refs
}

// refsOf returns claims in the form item/fence.
func refsOf(items []workqueue.Item) []string {
	refs := make([]string, len(items))
	for i, it := range items {
		refs[i] = fmt.Sprintf("%d/%d", it.ID, it.Fence)
	}
	return refs
}
