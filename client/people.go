package client

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Queue is a queue. See docs/cli.md for its fields; those that are left out here are in JSON.
type Queue struct {
	Name     string          `json:"name"`
	Paused   bool            `json:"paused"`
	Consumer string          `json:"consumer"` // workers or robots
	JSON     json.RawMessage `json:"-"`
}

// UnmarshalJSON implements json.Unmarshaler: it keeps the text.
func (q *Queue) UnmarshalJSON(text []byte) error {
	type plain Queue
	q.JSON = append(q.JSON[:0], text...)
	return json.Unmarshal(text, (*plain)(q))
}

// Queues lists the queues that the token may see, by name.
func (c *Client) Queues(ctx context.Context) ([]Queue, error) {
	var list struct {
		Items []Queue `json:"items"`
	}
	err := c.Get(ctx, "/queues", nil, &list)
	return list.Items, err
}

// Queue returns a queue.
func (c *Client) Queue(ctx context.Context, name string) (*Queue, error) {
	q := &Queue{}
	if err := c.Get(ctx, "/queues/"+url.PathEscape(name), nil, q); err != nil {
		return nil, err
	}
	return q, nil
}

// PauseQueue pauses a queue; changed is false if it was paused before.
func (c *Client) PauseQueue(ctx context.Context, name, reason string) (changed bool, err error) {
	return c.change(ctx, "/queues/"+url.PathEscape(name)+"/pause", reason)
}

// ResumeQueue ends the pause of a queue.
func (c *Client) ResumeQueue(ctx context.Context, name, reason string) (changed bool, err error) {
	return c.change(ctx, "/queues/"+url.PathEscape(name)+"/resume", reason)
}

func (c *Client) change(ctx context.Context, path, reason string) (bool, error) {
	var answer struct {
		Changed bool `json:"changed"`
	}
	err := c.Post(ctx, path, reasonBody{reason}, &answer)
	return answer.Changed, err
}

// Worker is a worker. See docs/cli.md for its fields; those that are left out here are in JSON.
type Worker struct {
	ID         int64           `json:"id"`
	Name       string          `json:"name"`
	Host       string          `json:"host"`
	Version    string          `json:"version"`
	State      string          `json:"state"` // active, draining or stopped
	Gone       bool            `json:"gone"`  // its process ended without stopping
	Capacity   int             `json:"capacity"`
	StartedAt  time.Time       `json:"startedAt"`
	LastSeenAt time.Time       `json:"lastSeenAt"`
	JSON       json.RawMessage `json:"-"`
}

// UnmarshalJSON implements json.Unmarshaler: it keeps the text.
func (w *Worker) UnmarshalJSON(text []byte) error {
	type plain Worker
	w.JSON = append(w.JSON[:0], text...)
	return json.Unmarshal(text, (*plain)(w))
}

// Workers lists all workers that have ever registered, by name.
func (c *Client) Workers(ctx context.Context) ([]Worker, error) {
	var list struct {
		Items []Worker `json:"items"`
	}
	err := c.Get(ctx, "/workers", nil, &list)
	return list.Items, err
}

// DrainWorker lets a worker finish its running items and start no more, until it is resumed or, with
// untilRestart, until its process ends.
func (c *Client) DrainWorker(ctx context.Context, name string, untilRestart bool, reason string) error {
	body := struct {
		UntilRestart bool   `json:"untilRestart,omitempty"`
		Reason       string `json:"reason,omitempty"`
	}{untilRestart, reason}
	return c.Post(ctx, "/workers/"+url.PathEscape(name)+"/drain", body, nil)
}

// ResumeWorker lets a drained worker take items again; changed is false if it was not drained.
func (c *Client) ResumeWorker(ctx context.Context, name, reason string) (changed bool, err error) {
	return c.change(ctx, "/workers/"+url.PathEscape(name)+"/resume", reason)
}

// Pipeline is a pipeline of the server's project. What is left out here is in JSON.
type Pipeline struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	File        string          `json:"file"`
	Hash        string          `json:"hash"`
	JSON        json.RawMessage `json:"-"`
}

// UnmarshalJSON implements json.Unmarshaler: it keeps the text.
func (p *Pipeline) UnmarshalJSON(text []byte) error {
	type plain Pipeline
	p.JSON = append(p.JSON[:0], text...)
	return json.Unmarshal(text, (*plain)(p))
}

// Pipelines lists the pipelines of the server's project.
func (c *Client) Pipelines(ctx context.Context) ([]Pipeline, error) {
	var list struct {
		Items []Pipeline `json:"items"`
	}
	err := c.Get(ctx, "/pipelines", nil, &list)
	return list.Items, err
}

// RunPipeline asks the workers to run a system pipeline now, and returns the id of the request:
// GET /run-requests/{id} shows what became of it.
func (c *Client) RunPipeline(ctx context.Context, name, reason string) (request int64, err error) {
	var answer struct {
		Request int64 `json:"request"`
	}
	err = c.Post(ctx, "/pipelines/"+url.PathEscape(name)+"/run", reasonBody{reason}, &answer)
	return answer.Request, err
}

// PausePipeline pauses a system pipeline on all workers; changed is false if it was paused before.
func (c *Client) PausePipeline(ctx context.Context, name, reason string) (changed bool, err error) {
	return c.change(ctx, "/pipelines/"+url.PathEscape(name)+"/pause", reason)
}

// ResumePipeline ends the pause of a system pipeline.
func (c *Client) ResumePipeline(ctx context.Context, name, reason string) (changed bool, err error) {
	return c.change(ctx, "/pipelines/"+url.PathEscape(name)+"/resume", reason)
}

// Run is a run of a system pipeline, or a planned or requested one that has not taken place. What is
// left out here is in JSON.
type Run struct {
	ID         *int64          `json:"id"` // nil if it has not taken place
	Pipeline   string          `json:"pipeline"`
	Outcome    string          `json:"outcome"`
	StartedAt  *time.Time      `json:"startedAt"`
	FinishedAt *time.Time      `json:"finishedAt"`
	Error      string          `json:"error"`
	JSON       json.RawMessage `json:"-"`
}

// UnmarshalJSON implements json.Unmarshaler: it keeps the text.
func (r *Run) UnmarshalJSON(text []byte) error {
	type plain Run
	r.JSON = append(r.JSON[:0], text...)
	return json.Unmarshal(text, (*plain)(r))
}

// RunQuery selects runs; the zero value of a field means any.
type RunQuery struct {
	Pipeline     string
	Outcomes     []string // such as failed, late or missed
	Since, Until time.Time
	Limit        int // at most; 0: all
}

// Runs lists runs page by page, the latest first. The loop ends after an error.
func (c *Client) Runs(ctx context.Context, q RunQuery) iter.Seq2[*Run, error] {
	query := url.Values{}
	if q.Pipeline != "" {
		query.Set("pipeline", q.Pipeline)
	}
	if len(q.Outcomes) > 0 {
		query.Set("outcome", strings.Join(q.Outcomes, ","))
	}
	for name, at := range map[string]time.Time{"since": q.Since, "until": q.Until} {
		if !at.IsZero() {
			query.Set(name, at.UTC().Format(time.RFC3339Nano))
		}
	}
	return Pages[Run](ctx, c, "/runs", query, q.Limit)
}

// Pages lists the items of a list for which there is no method and whose answers have items and next,
// such as /audit, page by page; at most limit, 0 means all. The loop ends after an error.
func Pages[T any](ctx context.Context, c *Client, path string, query url.Values, limit int) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		query := maps.Clone(query)
		if query == nil {
			query = url.Values{}
		}
		for left := limit; ; {
			most := PageSize
			if left > 0 {
				most = min(left, PageSize)
			}
			query.Set("limit", strconv.Itoa(most))
			var page struct {
				Items []*T    `json:"items"`
				Next  *string `json:"next"`
			}
			if err := c.do(ctx, call{method: http.MethodGet, path: path, query: query, into: &page}); err != nil {
				yield(nil, err)
				return
			}
			for _, it := range page.Items {
				if !yield(it, nil) {
					return
				}
			}
			if left > 0 {
				if left -= len(page.Items); left <= 0 {
					return
				}
			}
			if page.Next == nil {
				return
			}
			next, err := url.Parse(*page.Next)
			if err != nil {
				yield(nil, err)
				return
			}
			query = next.Query()
		}
	}
}
