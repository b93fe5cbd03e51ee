package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"botwork/internal/api/auth"
	"botwork/workqueue"
)

func (a *API) registerCheckouts() {
	add := func(verb, summary, doc string) operation {
		return operation{
			id: "checkouts-" + verb, method: http.MethodPost, path: "/checkouts/{id}/" + verb, summary: summary, doc: doc,
			robots: true, bound: true, refuses: []int{http.StatusConflict},
		}
	}
	const again = " A repeated request changes nothing and gets the first answer."
	beat := add("heartbeat", "Extend the lease of an item, and ask whether to go on",
		"The lease ends the given time from now. If the robot no longer holds the item, the answer has continue false and a reason: cancelled by a person, or lease-lost. The robot then stops its work.")
	beat.keepsLease = true
	register(a, beat, a.heartbeat)
	register(a, add("progress", "Record the progress of an item", ""), a.recordProgress)
	register(a, add("succeed", "Complete an item", "Output and analytics must match the queue's schemas; otherwise the robot keeps the item."+again), a.succeed)
	register(a, add("fail", "Fail an item", "The queue's policy decides whether and when it is retried. With the kind business the data is wrong, which most queues do not retry."+again), a.fail)
	register(a, add("postpone", "Release an item until a time", "Counts no failure."+again), a.postpone)
	register(a, add("release", "Release an item", "It is due at once. Counts no failure."+again), a.release)
	register(a, add("change", "Change an item that the robot holds", "A priority applies to its next attempt. The robot needs the right to write."), a.changeHeld)
	register(a, add("delete", "Delete an item that the robot holds", "By the deletion policy of its queue. The robot needs the right to write."+again), a.deleteHeld)
	a.registerCheckoutsMany()
}

// CheckoutPath is the path of an item that a robot holds.
type CheckoutPath struct {
	ID int64 `path:"id" minimum:"1" doc:"the item's id"`
}

// HoldFields prove that the robot holds the item.
type HoldFields struct {
	Fence   int64  `json:"fence" minimum:"1" doc:"the item's fence, as it was taken"`
	LockKey string `json:"lockKey" minLength:"1" maxLength:"200" doc:"the lock key of the checkout"`
}

func (h *HoldFields) hold(ctx context.Context, id int64) workqueue.Hold {
	return workqueue.Hold{Robot: auth.From(ctx).Name, ItemID: id, Fence: h.Fence, LockKey: h.LockKey}
}

// ProgressFields are the progress of an item.
type ProgressFields struct {
	Progress string `json:"progress,omitempty" doc:"a text for people; cut to 1,000 characters"`
	Percent  *int   `json:"percent,omitempty" minimum:"0" maximum:"100"`
}

func (p *ProgressFields) note() workqueue.RobotNote {
	return workqueue.RobotNote{Text: p.Progress, Percent: p.Percent}
}

type heartbeatInput struct {
	CheckoutPath
	Body struct {
		HoldFields
		ProgressFields
		Lease workqueue.Duration `json:"lease,omitempty" doc:"how long from now, at most 24h; default the queue's"`
	}
}

type heartbeatBody struct{ Body Beat }

// Beat is the answer to a heartbeat.
type Beat struct {
	Continue   bool       `json:"continue" doc:"false: stop the work on the item, its result is refused"`
	LeaseUntil *time.Time `json:"leaseUntil,omitempty" doc:"when the lease ends now"`
	Reason     string     `json:"reason,omitempty" enum:"cancelled,lease-lost" doc:"why the robot must stop"`
}

func (a *API) heartbeat(ctx context.Context, in *heartbeatInput) (*heartbeatBody, error) {
	lease, err := checkoutLease(in.Body.Lease)
	if err != nil {
		return nil, err
	}
	beat, err := a.beat(ctx, in.Body.hold(ctx, in.ID), lease, in.Body.note())
	return &heartbeatBody{beat}, err
}

// checkoutLease returns the lease that a heartbeat asks for; 0 means the queue's.
func checkoutLease(asked workqueue.Duration) (time.Duration, error) {
	lease := time.Duration(asked)
	if lease != 0 {
		if err := workqueue.CheckCheckoutLease(lease); err != nil {
			return 0, invalid(&workqueue.ItemFault{Field: "lease", Err: err})
		}
	}
	return lease, nil
}

// beat extends the lease of an item that a robot holds, and records its progress.
func (a *API) beat(ctx context.Context, h workqueue.Hold, lease time.Duration, note workqueue.RobotNote) (b Beat, err error) {
	until, err := a.store.ExtendCheckout(ctx, h, lease)
	if err == nil && note != (workqueue.RobotNote{}) {
		err = a.store.RobotProgress(ctx, h, note)
	}
	switch {
	case err == nil:
		utc := until.UTC()
		b.Continue, b.LeaseUntil = true, &utc
	case errors.Is(err, workqueue.ErrLeaseLost):
		b.Reason, err = a.whyLost(ctx, h)
	}
	return b, err
}

// whyLost returns why a robot no longer holds an item.
func (a *API) whyLost(ctx context.Context, h workqueue.Hold) (string, error) {
	const cancelled, lost = "cancelled", "lease-lost"
	it, err := a.robotItem(ctx, h.ItemID)
	if errors.Is(err, workqueue.ErrNotFound) || err == nil && it.State != workqueue.Cancelled {
		return lost, nil
	}
	if err != nil {
		return "", err
	}
	return cancelled, nil
}

type progressInput struct {
	CheckoutPath
	Body struct {
		HoldFields
		ProgressFields
	}
}

func (a *API) recordProgress(ctx context.Context, in *progressInput) (*itemID, error) {
	note := in.Body.note()
	if note == (workqueue.RobotNote{}) {
		return nil, invalid(errors.New("got nothing to record, want progress or percent"))
	}
	return idOf(in.ID), a.store.RobotProgress(ctx, in.Body.hold(ctx, in.ID), note)
}

type succeedInput struct {
	CheckoutPath
	Body struct {
		HoldFields
		Output    json.RawMessage `json:"output,omitempty" doc:"the result, any JSON"`
		Analytics json.RawMessage `json:"analytics,omitempty" doc:"data about the work, any JSON"`
	}
}

type endedBody struct{ Body workqueue.RobotEnded }

func (a *API) succeed(ctx context.Context, in *succeedInput) (*endedBody, error) {
	ended, err := a.store.FinishCheckout(ctx, in.Body.hold(ctx, in.ID), workqueue.RobotEnd{Output: jsonText(in.Body.Output), Analytics: jsonText(in.Body.Analytics)})
	return &endedBody{ended}, err
}

type failInput struct {
	CheckoutPath
	Body struct {
		HoldFields
		Kind      string          `json:"kind,omitempty" enum:"error,business" doc:"business: the data is wrong; default error"`
		Error     string          `json:"error" minLength:"1" doc:"what went wrong, for people"`
		Analytics json.RawMessage `json:"analytics,omitempty" doc:"data about the work, any JSON"`
	}
}

func (a *API) fail(ctx context.Context, in *failInput) (*endedBody, error) {
	end := workqueue.RobotEnd{Kind: failureKind(in.Body.Kind), Error: in.Body.Error, Analytics: jsonText(in.Body.Analytics)}
	ended, err := a.store.FinishCheckout(ctx, in.Body.hold(ctx, in.ID), end)
	return a.ended(ended, err)
}

func failureKind(kind string) workqueue.ErrorKind {
	return workqueue.ErrorKind(cmp.Or(kind, string(workqueue.KindError)))
}

// ended answers with the end of an item. If it is due again, robots that wait may take it.
func (a *API) ended(e workqueue.RobotEnded, err error) (*endedBody, error) {
	if err == nil && e.State == workqueue.Ready && e.RetryIn == 0 {
		a.waiting.Notice()
	}
	return &endedBody{e}, err
}

type postponeInput struct {
	CheckoutPath
	Body struct {
		HoldFields
		Until  *time.Time         `json:"until,omitempty" doc:"when it is due again"`
		In     workqueue.Duration `json:"in,omitempty" doc:"the same as a duration from now, such as 2h"`
		Reason string             `json:"reason,omitempty" maxLength:"1000" doc:"why; stored with the attempt"`
	}
}

func (a *API) postpone(ctx context.Context, in *postponeInput) (*endedBody, error) {
	p := workqueue.Postponement{In: time.Duration(in.Body.In), Reason: in.Body.Reason}
	if in.Body.Until != nil {
		p.Until = *in.Body.Until
	}
	if p.Until.IsZero() == (p.In == 0) {
		return nil, invalid(errors.New("want until or in, one of them"))
	}
	ended, err := a.store.PostponeCheckout(ctx, in.Body.hold(ctx, in.ID), p)
	return a.ended(ended, err)
}

type releaseInput struct {
	CheckoutPath
	Body struct {
		HoldFields
		Reason string `json:"reason,omitempty" maxLength:"1000" doc:"why; stored with the attempt"`
	}
}

func (a *API) release(ctx context.Context, in *releaseInput) (*endedBody, error) {
	err := a.store.ReleaseCheckout(ctx, in.Body.hold(ctx, in.ID), in.Body.Reason)
	return a.ended(workqueue.RobotEnded{State: workqueue.Ready}, err)
}

type changeHeldInput struct {
	CheckoutPath
	Body struct {
		HoldFields
		RobotChangeFields
	}
}

func (a *API) changeHeld(ctx context.Context, in *changeHeldInput) (*itemID, error) {
	c, err := in.Body.change()
	if err != nil {
		return nil, err
	}
	return idOf(in.ID), a.store.ChangeCheckout(ctx, in.Body.hold(ctx, in.ID), c)
}

func (a *API) deleteHeld(ctx context.Context, in *releaseInput) (*deletedBody, error) {
	out := &deletedBody{}
	out.Body.Deleted = 1
	return out, a.store.DeleteCheckout(because(ctx, in.Body.Reason), in.Body.hold(ctx, in.ID), in.Body.Reason)
}
