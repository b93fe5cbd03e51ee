package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"

	"botwork/workqueue"
)

// manyAtOnce is how many checkouts of one request are worked on at the same time. The store lets those share
// transactions.
const manyAtOnce = 100

func (a *API) registerCheckoutsMany() {
	register(a, operation{
		id: "checkouts-heartbeat-many", method: http.MethodPost, path: "/checkouts/heartbeat", summary: "Extend the leases of items, and ask whether to go on",
		doc:    "Like a heartbeat for each of the items. What one of them is refused, its problem says.",
		robots: true, bound: true, tag: "checkouts", keepsLease: true,
	}, a.heartbeatMany)
	register(a, operation{
		id: "checkouts-end-many", method: http.MethodPost, path: "/checkouts/end", summary: "Complete and fail items",
		doc: "Like a success for each of the items, or a failure if it has an error. What one of them is refused, its problem says; the robot keeps that item. " +
			"A repeated request changes nothing and gets the first answer.",
		robots: true, bound: true, tag: "checkouts",
	}, a.endMany)
}

// HeldItem names an item that a robot holds, among others.
type HeldItem struct {
	ID int64 `json:"id" minimum:"1" doc:"the item's id"`
	HoldFields
}

func (h *HeldItem) held(ctx context.Context) workqueue.Hold { return h.hold(ctx, h.ID) }

// HeldBeat is a heartbeat for an item, among others.
type HeldBeat struct {
	HeldItem
	ProgressFields
}

type heartbeatManyInput struct {
	Body struct {
		Items []HeldBeat         `json:"items" minItems:"1" maxItems:"1000" nullable:"false"`
		Lease workqueue.Duration `json:"lease,omitempty" doc:"how long from now, at most 24h; default those of the queues"`
	}
}

// BeatItem is the answer to a HeldBeat.
type BeatItem struct {
	ID int64 `json:"id"`
	Beat
	Problem *lineProblem `json:"problem,omitempty" doc:"why nothing is known about the lease"`
}

type heartbeatManyBody struct {
	Body struct {
		Items []BeatItem `json:"items" nullable:"false" doc:"in the order of the request"`
	}
}

func (a *API) heartbeatMany(ctx context.Context, in *heartbeatManyInput) (*heartbeatManyBody, error) {
	lease, err := checkoutLease(in.Body.Lease)
	if err != nil {
		return nil, err
	}
	items := in.Body.Items
	out := &heartbeatManyBody{}
	out.Body.Items = make([]BeatItem, len(items))
	each(len(items), func(i int) {
		beat, err := a.beat(ctx, items[i].held(ctx), lease, items[i].note())
		out.Body.Items[i] = BeatItem{items[i].ID, beat, a.refusedOne(ctx, "checkouts-heartbeat-many", err)}
	})
	return out, nil
}

// HeldEnd is the end of an item, among others.
type HeldEnd struct {
	HeldItem
	Output    json.RawMessage `json:"output,omitempty" doc:"the result of a success, any JSON"`
	Analytics json.RawMessage `json:"analytics,omitempty" doc:"data about the work, any JSON"`
	Kind      string          `json:"kind,omitempty" enum:"error,business" doc:"of a failure; business: the data is wrong; default error"`
	Error     string          `json:"error,omitempty" doc:"what went wrong, for people; without it the item has succeeded"`
}

type endManyInput struct {
	Body struct {
		Items []HeldEnd `json:"items" minItems:"1" maxItems:"1000" nullable:"false"`
	}
}

// EndedItem is the answer to a HeldEnd.
type EndedItem struct {
	ID      int64                 `json:"id"`
	Ended   *workqueue.RobotEnded `json:"ended,omitempty"`
	Problem *lineProblem          `json:"problem,omitempty" doc:"why the end is not recorded"`
}

type endManyBody struct {
	Body struct {
		Items []EndedItem `json:"items" nullable:"false" doc:"in the order of the request"`
	}
}

func (a *API) endMany(ctx context.Context, in *endManyInput) (*endManyBody, error) {
	items := in.Body.Items
	out := &endManyBody{}
	out.Body.Items = make([]EndedItem, len(items))
	each(len(items), func(i int) {
		it := &items[i]
		out.Body.Items[i].ID = it.ID
		end := workqueue.RobotEnd{Output: jsonText(it.Output), Analytics: jsonText(it.Analytics)}
		var err error
		switch {
		case it.Error != "" && len(it.Output) > 0:
			err = invalid(errors.New("got output and error, want one of them"))
		case it.Kind != "" && it.Error == "":
			err = invalid(errors.New("got kind without error, want both for a failure"))
		case it.Error != "":
			end.Kind, end.Error = failureKind(it.Kind), it.Error
		}
		var ended *endedBody
		if err == nil {
			ended, err = a.ended(a.store.FinishCheckout(ctx, it.held(ctx), end))
		}
		if err != nil {
			out.Body.Items[i].Problem = a.refusedOne(ctx, "checkouts-end-many", err)
			return
		}
		out.Body.Items[i].Ended = &ended.Body
	})
	return out, nil
}

// each calls do for the numbers below n, some at the same time. It panics if do does: the server recovers
// in the goroutine of the request only.
func each(n int, do func(i int)) {
	var all sync.WaitGroup
	var fault atomic.Pointer[any]
	defer func() {
		if p := fault.Load(); p != nil {
			panic(*p)
		}
	}()
	free := make(chan struct{}, manyAtOnce)
	for i := range n {
		free <- struct{}{}
		all.Go(func() {
			defer func() {
				if p := recover(); p != nil {
					fault.Store(&p)
				}
				<-free
			}()
			do(i)
		})
	}
	all.Wait()
}

// refusedOne returns the problem of one of several items; nil if err is nil.
func (a *API) refusedOne(ctx context.Context, operation string, err error) *lineProblem {
	if err == nil {
		return nil
	}
	return shortProblem(a.refuse(ctx, operation, err))
}
