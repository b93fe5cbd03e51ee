package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Action is what a person asks for an item.
type Action string

// The actions.
const (
	RunNow  Action = "run"     // due at once; a finished item gets one more attempt
	Cancel  Action = "cancel"  // also stops a running item
	Archive Action = "archive" // set aside
	Repeat  Action = "repeat"  // run a finished item again from the start
	Clone   Action = "clone"   // create a copy
	Delete  Action = "delete"
)

// ChangeOptions are the options of a change of one item.
type ChangeOptions struct {
	Reason    string // for the audit log
	IfVersion int64  // change the item only if it has this version; 0: any
	NewKey    string // the natural key of a clone; "": that of the item
	From      string // the path of the step at which a repeated item begins; "": the first one
	NoCheck   bool   // do not compare a new payload with the pipelines of the server

	// Key is the Idempotency-Key: for a day, a call with the same key and values changes nothing
	// again. "" is a random one.
	Key string
}

// header returns the headers of the options.
func (o *ChangeOptions) header() http.Header {
	if o.IfVersion == 0 {
		return nil
	}
	return http.Header{"If-Match": {strconv.Quote(strconv.FormatInt(o.IfVersion, 10))}}
}

// Changed is an item after a change.
type Changed struct {
	ID      int64  `json:"id"`      // of the copy, for a clone
	Status  string `json:"status"`  // "" if the item was removed for good, or could not be read after the change
	Version int64  `json:"version"` // likewise 0
}

// Act applies an action to an item. [ErrWrongState]: its state does not allow the action.
func (c *Client) Act(ctx context.Context, id int64, action Action, o ChangeOptions) (Changed, error) {
	r := call{method: http.MethodPost, path: fmt.Sprintf("/items/%d/%s", id, action), header: o.header(), creates: true, key: o.Key}
	if action == Delete {
		r.method, r.path = http.MethodDelete, fmt.Sprintf("/items/%d", id)
	}
	if o.Reason != "" || o.NewKey != "" || o.From != "" {
		r.body = struct {
			Reason string `json:"reason,omitempty"`
			NewKey string `json:"newKey,omitempty"`
			From   string `json:"from,omitempty"`
		}{o.Reason, o.NewKey, o.From}
	}
	var done Changed
	r.into = &done
	return done, c.do(ctx, r)
}

// ReleaseItem takes an item away from the robot that holds it.
func (c *Client) ReleaseItem(ctx context.Context, id int64, reason string) error {
	return c.do(ctx, call{method: http.MethodPost, path: fmt.Sprintf("/items/%d/release", id), body: reasonBody{reason}, creates: true})
}

// reasonBody is the body of a change that needs nothing but a reason.
type reasonBody struct {
	Reason string `json:"reason,omitempty"`
}

// Update has the new values of items by their names in PATCH /items/{id}, such as priority. What it
// lacks stays, and nil removes a value.
type Update map[string]any

// UpdateItem changes values of an item. [ErrVersionChanged]: it does not have IfVersion.
func (c *Client) UpdateItem(ctx context.Context, id int64, u Update, o ChangeOptions) (Changed, error) {
	body := Update{}
	maps.Copy(body, u)
	if o.Reason != "" {
		body["reason"] = o.Reason
	}
	var done Changed
	err := c.do(ctx, call{method: http.MethodPatch, path: fmt.Sprintf("/items/%d", id), query: noCheck(o.NoCheck), header: o.header(), body: body, into: &done, creates: true, key: o.Key})
	return done, err
}

func noCheck(is bool) url.Values {
	if !is {
		return nil
	}
	return url.Values{"noCheck": {"true"}}
}

// ManyOptions are the options of a change of the items of a selection.
type ManyOptions struct {
	Selection Selection
	All       bool // all items, with the zero Selection
	Yes       bool // confirms All, and RunNow with a selection of waiting and finished items
	Reason    string
	DryRun    bool // change nothing
	NoCheck   bool // for an update

	// Batch is the key under which the changes are recorded, 8 to 64 letters and digits; "" is a
	// random one. Continue is Next of the previous part.
	Batch, Continue string

	Key string // the Idempotency-Key of one part; "": a random one
}

// ManyResult is the result of a change of many items.
type ManyResult struct {
	Batch      string  `json:"batch"`
	Changed    int     `json:"changed"`
	Refused    int     `json:"refused"`    // the new values do not fit
	KeysTaken  int     `json:"keysTaken"`  // another item has their unique key
	Unreadable int     `json:"unreadable"` // a search by payload could not read theirs
	Skipped    []Skip  `json:"skipped"`    // the first refused items
	Clones     []int64 `json:"clones"`
	Next       string  `json:"next"`     // Continue of the next part; "": all items are done
	DoneFrom   int64   `json:"doneFrom"` // the items with this id and larger ones are done; 0: not known
}

// Skip is an item that was refused.
type Skip struct {
	ItemID  int64  `json:"itemId"`
	Message string `json:"message"`
}

// ActPart applies an action to the items of a selection for about 15 seconds, the newest first. With
// Next of its result, another call continues.
func (c *Client) ActPart(ctx context.Context, action Action, o ManyOptions) (ManyResult, error) {
	return c.changePart(ctx, "/items/actions/"+url.PathEscape(string(action)), nil, o)
}

// UpdatePart is ActPart for new values.
func (c *Client) UpdatePart(ctx context.Context, u Update, o ManyOptions) (ManyResult, error) {
	return c.changePart(ctx, "/items/update", u, o)
}

// ActMany applies an action to all items of a selection. After an error, the result is that of the
// parts that are done, and GET /batches/{key} has the numbers of the whole batch.
func (c *Client) ActMany(ctx context.Context, action Action, o ManyOptions) (ManyResult, error) {
	return parts(o, func(o ManyOptions) (ManyResult, error) { return c.ActPart(ctx, action, o) })
}

// UpdateMany is ActMany for new values.
func (c *Client) UpdateMany(ctx context.Context, u Update, o ManyOptions) (ManyResult, error) {
	return parts(o, func(o ManyOptions) (ManyResult, error) { return c.UpdatePart(ctx, u, o) })
}

// parts calls part until all items are done, and returns the sum.
func parts(o ManyOptions, part func(ManyOptions) (ManyResult, error)) (sum ManyResult, err error) {
	for {
		got, err := part(o)
		sum.Batch, sum.Next, sum.DoneFrom = cmp.Or(got.Batch, sum.Batch), got.Next, cmp.Or(got.DoneFrom, sum.DoneFrom)
		sum.Changed += got.Changed
		sum.Refused += got.Refused
		sum.KeysTaken += got.KeysTaken
		sum.Unreadable += got.Unreadable
		sum.Skipped = append(sum.Skipped, got.Skipped...)
		sum.Clones = append(sum.Clones, got.Clones...)
		if err != nil || got.Next == "" {
			return sum, err
		}
		o.Continue, o.Key = got.Next, ""
	}
}

// partTime is how long a server changes items before it answers, about.
const partTime = 20 * time.Second

func (c *Client) changePart(ctx context.Context, path string, u Update, o ManyOptions) (ManyResult, error) {
	body := struct {
		Filter   *Selection `json:"filter,omitempty"`
		Update   Update     `json:"update,omitempty"`
		All      bool       `json:"all,omitempty"`
		Yes      bool       `json:"yes,omitempty"`
		Reason   string     `json:"reason,omitempty"`
		DryRun   bool       `json:"dryRun,omitempty"`
		Batch    string     `json:"batch,omitempty"`
		Continue string     `json:"continue,omitempty"`
	}{nil, u, o.All, o.Yes, o.Reason, o.DryRun, cmp.Or(o.Batch, strings.ToLower(rand.Text())), o.Continue}
	if !o.All {
		body.Filter = &o.Selection
	}
	result := ManyResult{Batch: body.Batch}
	err := c.do(ctx, call{method: http.MethodPost, path: path, query: noCheck(o.NoCheck), body: body, into: &result, wait: partTime, creates: true, key: o.Key})
	return result, err
}

// List is a list of values as the API sends them, with all their fields.
type List []json.RawMessage

// Attempts lists the attempts of an item that did not simply succeed.
func (c *Client) Attempts(ctx context.Context, id int64) (List, error) {
	return c.list(ctx, fmt.Sprintf("/items/%d/attempts", id), nil)
}

// History lists the latest changes of an item on request, the newest first, at most limit.
func (c *Client) History(ctx context.Context, id int64, limit int) (List, error) {
	return c.list(ctx, fmt.Sprintf("/items/%d/history", id), url.Values{"limit": {strconv.Itoa(limit)}})
}

// Why is the reason why an item is not running.
type Why struct {
	Kind   string          `json:"kind"` // in one word
	Text   string          `json:"text"`
	Change string          `json:"change"` // what would change it
	JSON   json.RawMessage `json:"-"`      // the whole answer
}

// Why returns why an item is not running, and when it is expected to start.
func (c *Client) Why(ctx context.Context, id int64) (*Why, error) {
	var w Why
	if err := c.do(ctx, call{method: http.MethodGet, path: fmt.Sprintf("/items/%d/why", id), into: &w.JSON, wait: partTime}); err != nil {
		return nil, err
	}
	return &w, json.Unmarshal(w.JSON, &w)
}

// list reads the items of an answer.
func (c *Client) list(ctx context.Context, path string, query url.Values) (List, error) {
	var answer struct {
		Items List `json:"items"`
	}
	err := c.Get(ctx, path, query, &answer)
	return answer.Items, err
}
