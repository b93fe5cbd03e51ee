package client

import (
	"context"
	"net/http"
	"time"
)

// HoldBeat is a heartbeat for an item, among others.
type HoldBeat struct {
	Hold     Hold
	Progress Progress
}

// ItemBeat is the answer to a HoldBeat.
type ItemBeat struct {
	ID int64 `json:"id"`
	Beat
	Problem *Problem `json:"problem"` // nil, or why nothing is known about the lease
}

// HeartbeatMany is Heartbeat for up to 1,000 items in one request. The answers are in the order of the items.
func (c *Client) HeartbeatMany(ctx context.Context, beats []HoldBeat, lease time.Duration) ([]ItemBeat, error) {
	items := make([]map[string]any, len(beats))
	for i := range beats {
		items[i] = beats[i].Progress.fields()
		beats[i].Hold.addTo(items[i])
	}
	body := map[string]any{"items": items}
	if lease != 0 {
		body["lease"] = lease.String()
	}
	var out struct {
		Items []ItemBeat `json:"items"`
	}
	err := c.do(ctx, call{method: http.MethodPost, path: "/checkouts/heartbeat", body: body, into: &out})
	return out.Items, err
}

// HoldEnd is the end of the work on an item, among others.
type HoldEnd struct {
	Hold      Hold
	Output    any // of a success, encoded as JSON; nil: none
	Analytics any // encoded as JSON; nil: none
	Failure   *Failure
}

// ItemEnd is the answer to a HoldEnd.
type ItemEnd struct {
	ID      int64    `json:"id"`
	Ended   *Ended   `json:"ended"`   // nil if there is a problem
	Problem *Problem `json:"problem"` // why the end is not recorded: the robot still holds the item, unless it has lost it
}

// EndMany is Succeed and Fail for up to 1,000 items in one request. The answers are in the order of the items.
func (c *Client) EndMany(ctx context.Context, ends []HoldEnd) ([]ItemEnd, error) {
	items := make([]map[string]any, len(ends))
	for i := range ends {
		e := &ends[i]
		items[i] = present(map[string]any{"output": e.Output, "analytics": e.Analytics})
		if e.Failure != nil {
			items[i] = present(e.Failure.fields())
		}
		e.Hold.addTo(items[i])
	}
	var out struct {
		Items []ItemEnd `json:"items"`
	}
	err := c.do(ctx, call{method: http.MethodPost, path: "/checkouts/end", body: map[string]any{"items": items}, into: &out})
	return out.Items, err
}

func (h Hold) addTo(fields map[string]any) {
	fields["id"], fields["fence"], fields["lockKey"] = h.ItemID, h.Fence, h.LockKey
}
