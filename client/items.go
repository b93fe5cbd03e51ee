package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// Item is an item of a queue. See docs/cli.md for its fields; those that are left out here are in JSON.
type Item struct {
	ID             int64           `json:"id"`
	Queue          string          `json:"queueName"`
	Pipeline       string          `json:"integrationConfig"`
	Status         string          `json:"status"`
	State          string          `json:"stateName"`
	Priority       int             `json:"priority"`
	Payload        json.RawMessage `json:"payload"`
	Output         json.RawMessage `json:"output"`
	Analytics      json.RawMessage `json:"analytics"`
	Key            string          `json:"naturalKey"`
	Tags           []string        `json:"tags"`
	Metadata       json.RawMessage `json:"metadata"` // an object of texts; null if the item is hidden
	Fence          int64           `json:"fence"`
	RetryCount     int             `json:"retryCount"`
	Error          string          `json:"error"`
	ErrorKind      string          `json:"errorKind"`
	IdempotencyKey string          `json:"idempotencyKey"` // identifies the item's work to other systems
	Robot          string          `json:"robot"`
	AvailableAt    time.Time       `json:"availableAt"`
	DeadlineAt     *time.Time      `json:"deadlineAt"`
	FinishBy       *time.Time      `json:"finishBy"`
	LeaseExpiresAt *time.Time      `json:"leaseExpiresAt"`
	CreatedAt      time.Time       `json:"createdAt"`
	StartedAt      *time.Time      `json:"startedAt"`
	FinishedAt     *time.Time      `json:"finishedAt"`

	// JSON is the whole item as the server has sent it.
	JSON json.RawMessage `json:"-"`

	lockKey string
	lease   time.Duration // that was asked for
}

// UnmarshalJSON implements json.Unmarshaler: it keeps the text.
func (it *Item) UnmarshalJSON(text []byte) error {
	type plain Item
	it.JSON = bytes.Clone(text)
	return json.Unmarshal(text, (*plain)(it))
}

// Hold identifies the item and proves that the robot holds it. It is empty unless the item is from
// Take or Enqueue.
func (it *Item) Hold() Hold { return Hold{ItemID: it.ID, Fence: it.Fence, LockKey: it.lockKey} }

// Decode decodes the payload.
func (it *Item) Decode(into any) error {
	if err := json.Unmarshal(it.Payload, into); err != nil {
		return fmt.Errorf("payload of item %d: %w", it.ID, err)
	}
	return nil
}

// Hold identifies an item that the robot holds.
type Hold struct {
	ItemID  int64
	Fence   int64
	LockKey string
}

// Filter selects among the items that are due. An item must meet all conditions; the zero value of
// a field means any.
type Filter struct {
	Key      string            `json:"key,omitempty"`
	Tags     []string          `json:"tags,omitempty"`    // has one of these
	AllTags  []string          `json:"allTags,omitempty"` // has all of these
	Metadata map[string]string `json:"metadata,omitempty"`
	Tries    []string          `json:"tries,omitempty"` // new, failed-once, failed-again
	IDs      []int64           `json:"ids,omitempty"`
}

// Take describes what to take.
type Take struct {
	Max    int           // items at most; 0 means 1
	Filter Filter        // the zero filter selects all
	Lease  time.Duration // how long to hold them; 0 means the queue's
	Wait   time.Duration // how long to wait for an item, up to a minute
}

// checkout is a checkout as the API writes it.
type checkout struct {
	LockKey string  `json:"lockKey"`
	Items   []*Item `json:"items"`
}

// taken returns the items with their lock key.
func (c *checkout) taken(lease time.Duration) []*Item {
	for _, it := range c.Items {
		it.lockKey, it.lease = c.LockKey, lease
	}
	return c.Items
}

// Take checks items of a queue out: the first ones that are due. The list is empty if there are
// none, or if none came within the time to wait.
func (c *Client) Take(ctx context.Context, queue string, t Take) ([]*Item, error) {
	body := struct {
		Max    int    `json:"max,omitempty"`
		Filter Filter `json:"filter"`
		Lease  string `json:"lease,omitempty"`
		Wait   string `json:"wait,omitempty"`
	}{t.Max, t.Filter, durationText(t.Lease), durationText(t.Wait)}
	var got checkout
	err := c.do(ctx, call{method: http.MethodPost, path: "/queues/" + url.PathEscape(queue) + "/take", body: body, into: &got, wait: t.Wait})
	return got.taken(t.Lease), err
}

// NewItem is an item to be enqueued.
type NewItem struct {
	Payload    any               `json:"payload,omitempty"` // encoded as JSON
	Key        string            `json:"key,omitempty"`     // the natural key
	Pipeline   string            `json:"pipeline,omitempty"`
	Priority   *int              `json:"priority,omitempty"` // nil means 1000
	Tags       []string          `json:"tags,omitempty"`
	Metadata   map[string]string `json:"metadata,omitempty"`
	LimitKey   string            `json:"limitKey,omitempty"`
	At         *time.Time        `json:"at,omitempty"` // when it becomes due; nil: at once
	Deadline   *time.Time        `json:"deadline,omitempty"`
	FinishBy   *time.Time        `json:"finishBy,omitempty"`
	In         Span              `json:"in,omitempty"` // like At, from now
	DeadlineIn Span              `json:"deadlineIn,omitempty"`
	FinishIn   Span              `json:"finishIn,omitempty"`
}

// Span is a duration in a request.
type Span time.Duration

// MarshalText writes the duration as the API reads it.
func (s Span) MarshalText() ([]byte, error) { return []byte(time.Duration(s).String()), nil }

// Enqueued is the result for a NewItem.
type Enqueued struct {
	ID       int64 `json:"id"`
	Existing bool  `json:"existing"` // there was an item with its key, and nothing was created
}

// Enqueue enqueues items as a robot. The results are in the order of the items.
func (c *Client) Enqueue(ctx context.Context, queue string, items ...NewItem) ([]Enqueued, error) {
	made, _, err := c.enqueue(ctx, queue, items, nil)
	return made, err
}

// EnqueueAndTake enqueues items and takes the new ones in the same transaction. If the answer is
// lost, the items come back when their lease ends.
func (c *Client) EnqueueAndTake(ctx context.Context, queue string, lease time.Duration, items ...NewItem) ([]Enqueued, []*Item, error) {
	take := map[string]string{}
	if lease != 0 {
		take["lease"] = lease.String()
	}
	made, got, err := c.enqueue(ctx, queue, items, take)
	return made, got.taken(lease), err
}

func (c *Client) enqueue(ctx context.Context, queue string, items []NewItem, take any) ([]Enqueued, *checkout, error) {
	body := struct {
		Items []NewItem `json:"items"`
		Take  any       `json:"take,omitempty"`
	}{items, take}
	var answer struct {
		Items    []Enqueued `json:"items"`
		Checkout checkout   `json:"checkout"`
	}
	err := c.do(ctx, call{method: http.MethodPost, path: "/queues/" + url.PathEscape(queue) + "/items", body: body, into: &answer, creates: true})
	return answer.Items, &answer.Checkout, err
}

// Item returns an item of a queue of the robot. While a robot holds it, it has no payload, output
// and metadata.
func (c *Client) Item(ctx context.Context, id int64) (*Item, error) {
	it := &Item{}
	if err := c.do(ctx, call{method: http.MethodGet, path: fmt.Sprintf("/robots/items/%d", id), into: it}); err != nil {
		return nil, err
	}
	return it, nil
}

// ItemsByKey lists the items of a queue that have a natural key, the newest first.
func (c *Client) ItemsByKey(ctx context.Context, queue, key string) ([]*Item, error) {
	var list struct {
		Items []*Item `json:"items"`
	}
	err := c.do(ctx, call{method: http.MethodGet, path: "/robots/items?" + url.Values{"queue": {queue}, "key": {key}}.Encode(), into: &list})
	return list.Items, err
}

// Change is a change of an item; nil keeps the current value.
type Change struct {
	Priority *int               `json:"priority,omitempty"`
	Key      *string            `json:"key,omitempty"` // "" removes it
	Tags     *[]string          `json:"tags,omitempty"`
	Metadata *map[string]string `json:"metadata,omitempty"`
}

// ChangeItem changes a waiting item.
func (c *Client) ChangeItem(ctx context.Context, id int64, change Change) error {
	return c.do(ctx, call{method: http.MethodPatch, path: fmt.Sprintf("/robots/items/%d", id), body: change})
}

// DeleteByKey deletes the waiting items of a queue that have a natural key, and returns their
// number. reason may be "".
func (c *Client) DeleteByKey(ctx context.Context, queue, key, reason string) (int, error) {
	query := url.Values{"queue": {queue}, "key": {key}}
	if reason != "" {
		query.Set("reason", reason)
	}
	var answer struct {
		Deleted int `json:"deleted"`
	}
	err := c.do(ctx, call{method: http.MethodDelete, path: "/robots/items?" + query.Encode(), into: &answer})
	return answer.Deleted, err
}

// Version returns the version of the server.
func (c *Client) Version(ctx context.Context) (string, error) {
	var answer struct {
		Version string `json:"version"`
	}
	err := c.do(ctx, call{method: http.MethodGet, path: "/version", into: &answer})
	return answer.Version, err
}
