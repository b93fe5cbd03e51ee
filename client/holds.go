package client

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"time"
)

// Beat is the answer to a heartbeat.
type Beat struct {
	// Continue is false if the robot must stop its work: its result would be refused. Reason is
	// ErrCancelled or ErrLeaseLost then.
	Continue bool `json:"continue"`
	Reason   Code `json:"reason"`

	LeaseUntil time.Time `json:"leaseUntil"` // by the server's clock
}

// Progress is the progress of the work on an item.
type Progress struct {
	Text    string // for people
	Percent *int   // 0 to 100; nil keeps what was recorded
}

func (p Progress) fields() map[string]any {
	fields := map[string]any{}
	if p.Text != "" {
		fields["progress"] = p.Text
	}
	if p.Percent != nil {
		fields["percent"] = *p.Percent
	}
	return fields
}

// Ended is the state of an item after the robot has ended its work.
type Ended struct {
	State  string `json:"stateName"` // Processed, Ready (it is tried again) or Cancelled
	Copied bool   `json:"copied"`    // a new item tries again

	// RetryIn is the wait before the next attempt, such as 1m30s; "" if there is none.
	RetryIn string `json:"retryIn"`
}

// held calls an operation of an item that the robot holds.
func (c *Client) held(ctx context.Context, h Hold, verb string, fields map[string]any, into any) error {
	body := map[string]any{"fence": h.Fence, "lockKey": h.LockKey}
	maps.Copy(body, fields)
	return c.do(ctx, call{method: http.MethodPost, path: fmt.Sprintf("/checkouts/%d/%s", h.ItemID, verb), body: body, into: into})
}

// Heartbeat sets the lease of an item to end this long from now; 0 means the queue's lease. It may
// report the progress, too.
func (c *Client) Heartbeat(ctx context.Context, h Hold, lease time.Duration, p Progress) (Beat, error) {
	fields := p.fields()
	if lease != 0 {
		fields["lease"] = lease.String()
	}
	var b Beat
	err := c.held(ctx, h, "heartbeat", fields, &b)
	return b, err
}

// Progress records the progress of the work on an item.
func (c *Client) Progress(ctx context.Context, h Hold, p Progress) error {
	return c.held(ctx, h, "progress", p.fields(), nil)
}

// Succeed completes an item. output and analytics are encoded as JSON; nil: none. Data that does
// not match the schemas of the queue is refused with ErrSchemaMismatch: the robot keeps the item.
func (c *Client) Succeed(ctx context.Context, h Hold, output, analytics any) (Ended, error) {
	return c.end(ctx, h, "succeed", map[string]any{"output": output, "analytics": analytics})
}

// Failure is why the work on an item failed.
type Failure struct {
	Error    string // what went wrong
	Business bool   // the data is wrong: most queues do not try again

	Analytics any // encoded as JSON; nil: none
}

// Fail ends an item that failed. The queue's policy decides whether it is tried again.
func (c *Client) Fail(ctx context.Context, h Hold, f Failure) (Ended, error) {
	return c.end(ctx, h, "fail", f.fields())
}

func (f *Failure) fields() map[string]any {
	kind := "error"
	if f.Business {
		kind = "business"
	}
	return map[string]any{"kind": kind, "error": f.Error, "analytics": f.Analytics}
}

// Postpone releases an item until a time from now. No failure is counted.
func (c *Client) Postpone(ctx context.Context, h Hold, in time.Duration, reason string) (Ended, error) {
	return c.end(ctx, h, "postpone", map[string]any{"in": in.String(), "reason": reason})
}

// Release releases an item, which is due at once. No failure is counted.
func (c *Client) Release(ctx context.Context, h Hold, reason string) (Ended, error) {
	return c.end(ctx, h, "release", map[string]any{"reason": reason})
}

func (c *Client) end(ctx context.Context, h Hold, verb string, fields map[string]any) (Ended, error) {
	var e Ended
	err := c.held(ctx, h, verb, present(fields), &e)
	return e, err
}

// present removes the fields that have no value.
func present(fields map[string]any) map[string]any {
	maps.DeleteFunc(fields, func(_ string, value any) bool { return value == nil || value == "" })
	return fields
}

// ChangeHeld changes an item that the robot holds. A priority applies to its next attempt.
func (c *Client) ChangeHeld(ctx context.Context, h Hold, change Change) error {
	fields := map[string]any{}
	if change.Priority != nil {
		fields["priority"] = *change.Priority
	}
	if change.Key != nil {
		fields["key"] = *change.Key
	}
	if change.Tags != nil {
		fields["tags"] = *change.Tags
	}
	if change.Metadata != nil {
		fields["metadata"] = *change.Metadata
	}
	return c.held(ctx, h, "change", fields, nil)
}

// DeleteHeld deletes an item that the robot holds.
func (c *Client) DeleteHeld(ctx context.Context, h Hold, reason string) error {
	fields := map[string]any{}
	if reason != "" {
		fields["reason"] = reason
	}
	return c.held(ctx, h, "delete", fields, nil)
}
