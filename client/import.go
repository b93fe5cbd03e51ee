package client

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// NewWorkItem is an item that a person or a program enqueues with the token of an operator. Robots
// use [NewItem].
type NewWorkItem struct {
	Queue string `json:"queue,omitempty"` // "" means default, or the only queue of the token
	NewItem

	EstimatedDuration Span            `json:"estimatedDuration,omitempty"`
	Attempts          int             `json:"attempts,omitempty"` // at most; 0: as the pipeline defines
	Timeout           Span            `json:"timeout,omitempty"`
	Backoff           Span            `json:"backoff,omitempty"`
	Resilience        json.RawMessage `json:"resilience,omitempty"` // instead of the three above
	Unique            string          `json:"unique,omitempty"`     // done, or a duration
	Conflict          string          `json:"conflict,omitempty"`   // fail: a key that is in use is an error
	Labels            json.RawMessage `json:"labels,omitempty"`     // an object
	Selectors         json.RawMessage `json:"selectors,omitempty"`  // a list
	Retain            *Span           `json:"retain,omitempty"`     // 0 deletes the item when it succeeds
}

// EnqueueOptions are the options of enqueueing.
type EnqueueOptions struct {
	NoCheck bool // do not compare the items with the pipelines of the server

	// Key makes a repeated call enqueue nothing twice: of EnqueueItem for a day, of EnqueueItems for
	// seven days. It has 8 to 64 letters and digits; "" is a random one.
	Key string

	// Part is the number of a part of a batch, 1 to 1,000,000, that is enqueued by several calls of
	// EnqueueItems with the same Key; 0 means 1. A part has at most 1000 items.
	Part int64

	DryRun bool // only check the items of EnqueueItems
}

// EnqueueItem enqueues an item.
func (c *Client) EnqueueItem(ctx context.Context, it NewWorkItem, o EnqueueOptions) (Enqueued, error) {
	var made Enqueued
	err := c.do(ctx, call{method: http.MethodPost, path: "/items", query: noCheck(o.NoCheck), body: it, into: &made, creates: true, key: o.Key})
	return made, err
}

// LineResult is the result for one of many items.
type LineResult struct {
	Enqueued
	Problem *Problem `json:"problem"` // nil, or why the item was refused
}

// EnqueueItems enqueues many items. Those that are refused do not stop the others: the results are in
// the order of the items. If the connection breaks, the call is repeated and enqueues nothing twice.
// If the server stops before the end, the results are fewer, and there is an error.
func (c *Client) EnqueueItems(ctx context.Context, items []NewWorkItem, o EnqueueOptions) ([]LineResult, error) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false)
	for i := range items {
		if err := enc.Encode(&items[i]); err != nil {
			return nil, fmt.Errorf("item %d: %w", i+1, err)
		}
	}
	query := url.Values{"batch": {cmp.Or(o.Key, strings.ToLower(rand.Text()))}}
	if o.Part > 1 {
		query.Set("part", strconv.FormatInt(o.Part, 10))
	}
	if o.DryRun {
		query.Set("dryRun", "true")
	}
	if o.NoCheck {
		query.Set("noCheck", "true")
	}
	var results []LineResult
	var stopped *Problem
	read := func(text []byte) (err error) {
		results, stopped, err = readResults(text)
		return err
	}
	err := c.do(ctx, call{method: http.MethodPost, path: "/items/batch", query: query, body: lines(body.Bytes()), into: read, wait: partTime})
	if err == nil && stopped != nil {
		err = fmt.Errorf("the server has stopped after %d of %d items: %w", len(results), len(items), stopped)
	}
	if err == nil && len(results) != len(items) {
		err = fmt.Errorf("got the results of %d items, want %d", len(results), len(items))
	}
	return results, err
}

// readResults reads the answer to an import. stopped is why the server has stopped before the end.
func readResults(text []byte) (results []LineResult, stopped *Problem, err error) {
	for line := range bytes.Lines(text) {
		var one struct {
			LineResult
			Summary *struct {
				Complete bool     `json:"complete"`
				Problem  *Problem `json:"problem"`
			} `json:"summary"`
		}
		if err := json.Unmarshal(line, &one); err != nil {
			return nil, nil, err
		}
		if one.Summary == nil {
			results = append(results, one.LineResult)
			continue
		}
		if !one.Summary.Complete {
			stopped = cmp.Or(one.Summary.Problem, &Problem{Detail: "it has not said why"})
		}
		return results, stopped, nil
	}
	return nil, nil, errors.New("it has no summary")
}
