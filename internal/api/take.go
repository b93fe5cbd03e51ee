package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"botwork/internal/api/auth"
	"botwork/internal/api/longpoll"
	"botwork/internal/httpserver"
	"botwork/workqueue"
)

// maxWait bounds the wait of a robot for items.
const maxWait = time.Minute

// checkoutTime bounds a checkout, which goes on if its client is gone.
const checkoutTime = 30 * time.Second

// answerTime is how long a client that has waited may take to receive its answer.
const answerTime = time.Minute

func (a *API) registerTake() {
	register(a, operation{
		id: "checkouts-take", method: http.MethodPost, path: "/queues/{queue}/take", summary: "Check items out", robots: true, bound: true,
		refuses: []int{http.StatusNotFound, http.StatusConflict},
		doc: "Gives the robot the first due items that match the filter: by priority, then deadline, then id. No other robot gets them until their lease ends. " +
			"If there are none, the request waits for the time of wait; the list is empty if none came, if the queue is paused or at its limits, or if the server is shutting down.",
	}, a.takeItems)
}

// TakeFilter selects among the items that are due. An item must meet all conditions.
type TakeFilter struct {
	Key      string            `json:"key,omitempty" minLength:"1" maxLength:"400" doc:"the natural key"`
	Tags     []string          `json:"tags,omitempty" maxItems:"100" nullable:"false" doc:"has one of these tags"`
	AllTags  []string          `json:"allTags,omitempty" maxItems:"100" nullable:"false" doc:"has all of these tags"`
	Metadata map[string]string `json:"metadata,omitempty" doc:"has all of these pairs; encrypted items have none"`
	Tries    []string          `json:"tries,omitempty" maxItems:"4" nullable:"false" enum:"new,failed-once,failed-again,any" doc:"by the number of earlier failures"`
	IDs      []int64           `json:"ids,omitempty" maxItems:"1000" nullable:"false" doc:"has one of these ids"`
}

type takeInput struct {
	QueuePath
	Body *struct {
		Max    int                `json:"max,omitempty" minimum:"1" maximum:"1000" doc:"how many items at most; default 1"`
		Filter TakeFilter         `json:"filter,omitzero"`
		Lease  workqueue.Duration `json:"lease,omitempty" doc:"how long the robot holds the items, at most 24h; default the queue's"`
		Wait   workqueue.Duration `json:"wait,omitempty" doc:"how long to wait for an item, at most 1m0s; default not at all"`
	}
}

type takenBody struct{ Body TakenItems }

// TakenItems is the answer to a robot that takes items.
type TakenItems struct {
	LockKey string           `json:"lockKey" doc:"proves in later requests that the robot holds the items; shown only here, empty without items"`
	Items   []workqueue.Item `json:"items" nullable:"false" doc:"with their payloads"`
}

// params returns the parameters of the checkout.
func (in *takeInput) params(robot string) (p workqueue.CheckoutParams, wait time.Duration, err error) {
	p = workqueue.CheckoutParams{Robot: robot, Queue: in.Queue}
	if in.Body == nil {
		p, err = p.Normal()
		return p, 0, err
	}
	b, f := in.Body, &in.Body.Filter
	p.Max, p.Lease, wait = b.Max, time.Duration(b.Lease), time.Duration(b.Wait)
	p.Filter = workqueue.CheckoutFilter{Key: f.Key, TagsAny: f.Tags, TagsAll: f.AllTags, Metadata: f.Metadata, IDs: f.IDs}
	for _, t := range f.Tries {
		p.Filter.Tries = append(p.Filter.Tries, workqueue.Tries(t))
	}
	errs := []error{emptyText("filter.tags", f.Tags), emptyText("filter.allTags", f.AllTags)}
	if wait < 0 || wait > maxWait {
		errs = append(errs, &workqueue.ItemFault{Field: "wait", Err: errors.New("want 0s to 1m0s")})
	}
	if p.Lease != 0 {
		if err := workqueue.CheckCheckoutLease(p.Lease); err != nil {
			errs = append(errs, &workqueue.ItemFault{Field: "lease", Err: err})
		}
	}
	if err := errors.Join(errs...); err != nil {
		return p, wait, err
	}
	p, err = p.Normal()
	return p, wait, err
}

func (a *API) takeItems(ctx context.Context, in *takeInput) (*takenBody, error) {
	if err := mayQueue(ctx, in.Queue); err != nil {
		return nil, err
	}
	p, wait, err := in.params(auth.From(ctx).Name)
	if err != nil {
		return nil, invalid(err)
	}
	q, err := a.cachedQueue(ctx, in.Queue)
	if err != nil {
		return nil, err
	}
	if err := q.RobotMay(p.Robot, workqueue.RightRead); err != nil {
		return nil, err
	}
	if err := q.CheckRobotConsumer(); err != nil {
		return nil, err
	}
	out := &takenBody{TakenItems{Items: []workqueue.Item{}}}
	take := func() (bool, error) {
		if err := stillLetIn(ctx); err != nil {
			return false, err
		}
		taken, err := a.checkout(ctx, p)
		if err != nil || len(taken.Items) == 0 {
			return false, err
		}
		out.Body = TakenItems{LockKey: taken.LockKey, Items: taken.Items}
		return true, nil
	}
	if wait == 0 {
		_, err := take()
		if ctx.Err() != nil {
			return out, nil // the client has gone
		}
		return out, err
	}
	filter, err := json.Marshal(p.Filter)
	if err != nil {
		return nil, err
	}
	err = a.waiting.Wait(ctx, longpoll.Request{
		Queue: q.Name, Filter: string(filter), Wait: wait, Take: take,
		Waits: func() { httpserver.Waits(ctx) },
	})
	httpserver.WritesFor(ctx, answerTime)
	if errors.Is(err, longpoll.ErrTooMany) {
		return nil, problem(http.StatusTooManyRequests, "too-many-waiting", "as many requests wait as may").
			withHint("try again after the time of the header Retry-After, or raise http.limits.waiting").withHeader("Retry-After", "5")
	}
	if err != nil && ctx.Err() != nil {
		return out, nil // the client has gone
	}
	return out, err
}

// checkout checks items out. If the client has gone meanwhile, it releases them at once instead of
// letting them wait for the end of their lease.
func (a *API) checkout(ctx context.Context, p workqueue.CheckoutParams) (workqueue.Checkout, error) {
	if err := ctx.Err(); err != nil {
		return workqueue.Checkout{}, err
	}
	// The statement does not end with the request: whether a cancelled one was committed would be unknown.
	going, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkoutTime)
	defer cancel()
	taken, err := a.store.Checkout(going, p)
	if err != nil || ctx.Err() == nil || len(taken.Items) == 0 {
		return taken, err
	}
	for _, it := range taken.Items {
		h := workqueue.Hold{Robot: p.Robot, ItemID: it.ID, Fence: it.Fence, LockKey: taken.LockKey}
		if err := a.store.ReleaseCheckout(going, h, "the robot's connection was lost before it got the item"); err != nil {
			a.log.Warn().Err(err).Int64("item_id", it.ID).Str("robot", p.Robot).Msg("could not release an item whose robot is gone; its lease must end first")
		}
	}
	a.waiting.NoticeOf(p.Queue)
	return workqueue.Checkout{}, ctx.Err()
}

// hearNotices wakes waiting robots when items become due in this process, and on PostgreSQL in
// others, and when this process ends an item of their queue, because that may free a limit. Before the first robot waits, it needs no connection for that.
func (a *API) hearNotices(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-a.waiting.Used():
	}
	err := a.store.Listen(ctx, func(n workqueue.Notice) {
		for _, queue := range n.Ended {
			a.waiting.NoticeOf(queue)
		}
		if len(n.Ended) == 0 && len(n.Workers) == 0 {
			a.waiting.Notice()
		}
	}, func(err error) {
		if err != nil {
			a.log.Debug().Err(err).Msg("no notices from other processes; robots that wait look once a second")
		}
	})
	if err != nil && ctx.Err() == nil {
		a.log.Warn().Err(err).Msg("no notices of new items; robots that wait look once a second")
	}
}
