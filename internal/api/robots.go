package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"botwork/internal/api/auth"
	"botwork/workqueue"
)

// A robot works under the name of its token. Only tokens with the role robot take items: the
// rights of a queue name robots, and a person's token has no name among them.

func (a *API) registerRobots() {
	a.registerTake()
	a.registerCheckouts()
	a.registerRobotItems()
}

func (a *API) registerRobotItems() {
	register(a, operation{
		id: "robot-items-enqueue", method: http.MethodPost, path: "/queues/{queue}/items", summary: "Enqueue items as a robot", robots: true, bound: true, once: true,
		status: http.StatusCreated, refuses: []int{http.StatusNotFound, http.StatusConflict},
		doc: "The items' creator is the robot. With take, the robot also checks the new items out, in the same transaction. " +
			"With an Idempotency-Key, a repeated request creates nothing and gets the first answer, but no lock key: that is not stored.",
	}, a.enqueueAsRobot)
	register(a, operation{
		id: "robot-items-list", method: http.MethodGet, path: "/robots/items", summary: "List the items of a queue that have a natural key", robots: true, bound: true,
		refuses: []int{http.StatusNotFound}, doc: "The newest first. Items that a robot has checked out have no payload, output and metadata.",
	}, a.listByKey)
	register(a, operation{
		id: "robot-items-get", method: http.MethodGet, path: "/robots/items/{id}", summary: "Get an item of a robot's queue", robots: true, bound: true,
		refuses: []int{http.StatusNotFound}, doc: "An item that a robot has checked out has no payload, output and metadata.",
	}, a.getRobotItem)
	register(a, operation{
		id: "robot-items-change", method: http.MethodPatch, path: "/robots/items/{id}", summary: "Change a waiting item as a robot", robots: true, bound: true,
		refuses: []int{http.StatusNotFound, http.StatusConflict}, doc: "The robot needs the right to write.",
	}, a.changeAsRobot)
	register(a, operation{
		id: "robot-items-delete", method: http.MethodDelete, path: "/robots/items", summary: "Delete the waiting items of a queue that have a natural key", robots: true, bound: true,
		refuses: []int{http.StatusNotFound, http.StatusConflict}, doc: "At most 500 at a time. The robot needs the right to write; a queue may let robots delete only their own items.",
	}, a.deleteByKey)
}

// RobotItem is a new item of a robot.
type RobotItem struct {
	Payload    json.RawMessage    `json:"payload,omitempty" doc:"any JSON"`
	Key        string             `json:"key,omitempty" minLength:"1" maxLength:"400" doc:"the natural key"`
	Pipeline   string             `json:"pipeline,omitempty" doc:"for a queue whose items workers run"`
	Priority   *int               `json:"priority,omitempty" minimum:"-2147483648" maximum:"2147483647" doc:"larger runs first; default 1000"`
	Tags       []string           `json:"tags,omitempty" maxItems:"100" nullable:"false"`
	Metadata   map[string]string  `json:"metadata,omitempty"`
	LimitKey   string             `json:"limitKey,omitempty" maxLength:"200" doc:"the key for the queue's limits per key"`
	At         *time.Time         `json:"at,omitempty" doc:"when it becomes due"`
	In         workqueue.Duration `json:"in,omitempty" doc:"the same as a duration from now, such as 90s"`
	Deadline   *time.Time         `json:"deadline,omitempty" doc:"when it is cancelled if it has not started"`
	DeadlineIn workqueue.Duration `json:"deadlineIn,omitempty" doc:"the same as a duration from now"`
	FinishBy   *time.Time         `json:"finishBy,omitempty" doc:"when it is cancelled if it has not finished"`
	FinishIn   workqueue.Duration `json:"finishIn,omitempty" doc:"the same as a duration from now"`
}

// newItem returns the item for the store.
func (it *RobotItem) newItem(queue string) workqueue.NewItem {
	made := workqueue.NewItem{
		QueueName: queue, State: workqueue.Pending, Priority: workqueue.RequestPriority, IntegrationConfig: it.Pipeline, Payload: jsonText(it.Payload),
		NaturalKey: it.Key, Tags: it.Tags, Metadata: it.Metadata, LimitKey: it.LimitKey,
		In: time.Duration(it.In), DeadlineIn: time.Duration(it.DeadlineIn), FinishIn: time.Duration(it.FinishIn),
	}
	if it.Priority != nil {
		made.Priority = *it.Priority
	}
	for to, from := range map[*time.Time]*time.Time{&made.At: it.At, &made.Deadline: it.Deadline, &made.FinishBy: it.FinishBy} {
		if from != nil {
			*to = *from
		}
	}
	return made
}

// jsonText returns a JSON value of a request without its spaces; none for null.
func jsonText(raw json.RawMessage) workqueue.JSONText {
	var text bytes.Buffer
	if err := json.Compact(&text, raw); err != nil || text.String() == "null" {
		return "" // huma has refused what is not JSON
	}
	return workqueue.JSONText(text.String())
}

type robotEnqueue struct {
	QueuePath
	Body struct {
		Items []RobotItem `json:"items" minItems:"1" maxItems:"1000" nullable:"false"`
		Take  *struct {
			Lease workqueue.Duration `json:"lease,omitempty" doc:"how long the robot holds the items; default the queue's"`
		} `json:"take,omitempty" doc:"check the new items out"`
	}
}

type robotEnqueued struct{ Body RobotEnqueued }

// RobotEnqueued is the answer to an enqueueing robot.
type RobotEnqueued struct {
	Items    []workqueue.Enqueued `json:"items" nullable:"false" doc:"in the order of the request"`
	Checkout TakenItems           `json:"checkout" doc:"with take: the items that were checked out, without those that existed before or must wait because of the queue's limits"`
}

func (a *API) enqueueAsRobot(ctx context.Context, in *robotEnqueue) (*robotEnqueued, error) {
	robot := auth.From(ctx).Name
	items := make([]workqueue.NewItem, len(in.Body.Items))
	for i := range in.Body.Items {
		items[i] = in.Body.Items[i].newItem(in.Queue)
		if refused := mayReach(ctx, &items[i], "path.queue"); refused != nil {
			return nil, refused
		}
		if refused := a.mayInline(ctx, items[i].IntegrationConfig); refused != nil {
			refused.Errors = []Fault{{Location: fmt.Sprintf("body.items[%d].pipeline", i), Message: "want the name of a pipeline"}}
			return nil, refused
		}
	}
	var take *workqueue.CheckoutOnEnqueue
	if in.Body.Take != nil {
		take = &workqueue.CheckoutOnEnqueue{Lease: time.Duration(in.Body.Take.Lease)}
	}
	if err := workqueue.CheckRobotEnqueue(robot, items, take); err != nil {
		return nil, invalid(err)
	}
	var made workqueue.RobotEnqueued
	part := workqueue.BatchPart{Key: batchKeyOf(ctx), Part: 1}
	err := runPart(ctx, func(ctx context.Context) (err error) {
		made, err = a.store.RobotEnqueue(ctx, robot, part, items, take)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := RobotEnqueued{Items: made.Items, Checkout: TakenItems{LockKey: made.Checkout.LockKey, Items: made.Checkout.Items}}
	out.Checkout.Items = append([]workqueue.Item{}, out.Checkout.Items...)
	keepInstead(ctx, RobotEnqueued{Items: out.Items, Checkout: TakenItems{Items: []workqueue.Item{}}}) // without the lock key
	return &robotEnqueued{out}, nil
}

// invalid returns the problem of parameters that a check below has refused.
func invalid(err error) error {
	if p := problemOf(err); p != nil {
		return p
	}
	p := problem(http.StatusUnprocessableEntity, "invalid-request", "the request has invalid values")
	p.Errors = faultsOf(err)
	return p
}

// KeyQuery selects the items of a queue that have a natural key.
type KeyQuery struct {
	Queue string `query:"queue" required:"true" minLength:"1" maxLength:"200" doc:"the queue's name"`
	Key   string `query:"key" required:"true" minLength:"1" maxLength:"400" doc:"the natural key"`
}

type keyList struct {
	KeyQuery
	Before int64 `query:"before" minimum:"1" doc:"only items with a smaller id: the next page"`
	Limit  int   `query:"limit" minimum:"1" maximum:"500" default:"100" doc:"how many items at most"`
}

type robotItemBody struct{ Body workqueue.Item }

// hidden returns an item as a robot that does not hold it sees it.
func hidden(it workqueue.Item) workqueue.Item {
	if it.CheckedOut() {
		it.Hide()
	}
	return it
}

func (a *API) listByKey(ctx context.Context, in *keyList) (*pageOf[workqueue.Item], error) {
	if err := mayQueue(ctx, in.Queue); err != nil {
		return nil, err
	}
	q, err := a.store.Queue(ctx, in.Queue)
	if err != nil {
		return nil, err
	}
	if err := q.RobotMay(auth.From(ctx).Name, workqueue.RightRead); err != nil {
		return nil, err
	}
	items, err := a.store.Items(ctx, workqueue.ItemFilter{QueueName: q.Name, NaturalKey: in.Key, BeforeID: in.Before, Limit: in.Limit + 1})
	out := &pageOf[workqueue.Item]{}
	out.Body.Items = []workqueue.Item{}
	if len(items) > in.Limit {
		items = items[:in.Limit]
		out.Body.Next = out.nextPage("/robots/items", url.Values{}, "queue", in.Queue, "key", in.Key, "before", fmt.Sprint(items[in.Limit-1].ID), "limit", fmt.Sprint(in.Limit))
	}
	for _, it := range items {
		redactFor(auth.From(ctx), &q, &it)
		out.Body.Items = append(out.Body.Items, hidden(it))
	}
	return out, err
}

// RobotItemPath is the path of an item.
type RobotItemPath struct {
	ID int64 `path:"id" minimum:"1" doc:"the item's id"`
}

// robotItem reads an item of one of the caller's queues.
func (a *API) robotItem(ctx context.Context, id int64) (workqueue.Item, error) {
	it, err := a.store.RobotItem(ctx, workqueue.Hold{Robot: auth.From(ctx).Name, ItemID: id})
	if err == nil && mayQueue(ctx, it.QueueName) != nil {
		return workqueue.Item{}, workqueue.ErrNotFound
	}
	return it, err
}

func (a *API) getRobotItem(ctx context.Context, in *struct{ RobotItemPath }) (*robotItemBody, error) {
	it, err := a.robotItem(ctx, in.ID)
	if err == nil {
		_, err = a.hideData(ctx, &it)
	}
	return &robotItemBody{it}, err
}

// RobotChangeFields are the changes of an item by a robot.
type RobotChangeFields struct {
	Priority *int               `json:"priority,omitempty" minimum:"-2147483648" maximum:"2147483647" doc:"the queue's offset is added"`
	Key      *string            `json:"key,omitempty" maxLength:"400" doc:"the natural key; an empty text removes it"`
	Tags     *[]string          `json:"tags,omitempty" doc:"replace all tags"`
	Metadata *map[string]string `json:"metadata,omitempty" doc:"replace all metadata"`
}

func (c *RobotChangeFields) change() (workqueue.RobotChange, error) {
	if *c == (RobotChangeFields{}) {
		return workqueue.RobotChange{}, invalid(errors.New("got nothing to change, want priority, key, tags or metadata"))
	}
	return workqueue.RobotChange{Priority: c.Priority, NaturalKey: c.Key, Tags: c.Tags, Metadata: c.Metadata}, nil
}

type robotItemChange struct {
	RobotItemPath
	Body RobotChangeFields
}

// itemID is the answer to a change.
type itemID struct {
	Body struct {
		ID int64 `json:"id"`
	}
}

func idOf(id int64) *itemID {
	out := &itemID{}
	out.Body.ID = id
	return out
}

func (a *API) changeAsRobot(ctx context.Context, in *robotItemChange) (*itemID, error) {
	c, err := in.Body.change()
	if err != nil {
		return nil, err
	}
	if _, err := a.robotItem(ctx, in.ID); err != nil {
		return nil, err
	}
	return idOf(in.ID), a.store.RobotChange(ctx, auth.From(ctx).Name, in.ID, c)
}

type keyDelete struct {
	KeyQuery
	Reason string `query:"reason" maxLength:"1000" doc:"why; stored with the items if the queue keeps deleted items"`
}

type deletedBody struct {
	Body struct {
		Deleted int `json:"deleted"`
	}
}

func (a *API) deleteByKey(ctx context.Context, in *keyDelete) (*deletedBody, error) {
	if err := mayQueue(ctx, in.Queue); err != nil {
		return nil, err
	}
	n, err := a.store.RobotDelete(because(ctx, in.Reason), auth.From(ctx).Name, in.Queue, in.Key, in.Reason)
	out := &deletedBody{}
	out.Body.Deleted = n
	return out, err
}

// queueAge is how long the definition of a queue is used without reading it again. What a robot
// may do is checked again when it takes items.
const queueAge = 2 * time.Second

// queueCache keeps the definitions of the queues that robots ask for, so that robots that ask
// again and again cost no query each.
type queueCache struct {
	mu    sync.Mutex
	known map[string]knownQueue
}

type knownQueue struct {
	queue workqueue.Queue
	until time.Time
}

func (a *API) cachedQueue(ctx context.Context, name string) (workqueue.Queue, error) {
	c := &a.queues
	c.mu.Lock()
	k, ok := c.known[name]
	c.mu.Unlock()
	if ok && time.Now().Before(k.until) {
		return k.queue, nil
	}
	q, err := a.store.Queue(ctx, name)
	if err != nil {
		return q, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) > 1000 {
		c.known = map[string]knownQueue{}
	}
	c.known[name] = knownQueue{q, time.Now().Add(queueAge)}
	return q, nil
}

// emptyText returns an error if a list has empty texts: an unset variable in a script must not
// select everything.
func emptyText(field string, texts []string) error {
	if slices.Contains(texts, "") {
		return &workqueue.ItemFault{Field: field, Err: errors.New(`got "", want text`)}
	}
	return nil
}
