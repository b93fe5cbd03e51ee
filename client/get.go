package client

import (
	"context"
	"net/http"
	"net/url"
)

// Get calls an operation that only reads and for which there is no method, such as /audit. path
// begins after /api/v1; its names must be escaped with url.PathEscape. The answer is decoded into
// into.
func (c *Client) Get(ctx context.Context, path string, query url.Values, into any) error {
	return c.do(ctx, call{method: http.MethodGet, path: path, query: query, into: into})
}

// Patch calls an operation that sets what its body has and for which there is no method, such as
// /workers/{worker}. body is sent as JSON. The answer is decoded into into, unless it is nil. A request
// whose answer was lost is repeated: it sets the same again.
func (c *Client) Patch(ctx context.Context, path string, body, into any) error {
	return c.do(ctx, call{method: http.MethodPatch, path: path, body: body, into: into})
}

// PatchIf is Patch for what has a revision: etag is the ETag that the change is based on, in quotes. The
// error is a *Problem with the code revision-changed if there is a newer one.
func (c *Client) PatchIf(ctx context.Context, path, etag string, body, into any) error {
	return c.do(ctx, call{method: http.MethodPatch, path: path, header: http.Header{"If-Match": {etag}}, body: body, into: into})
}

// Delete calls an operation that removes or ends something and for which there is no method, such as
// /tokens/{id}. body is sent as JSON; nil sends none. The answer is decoded into into, unless it is nil.
// A request whose answer was lost is repeated: it ends the same again.
func (c *Client) Delete(ctx context.Context, path string, body, into any) error {
	return c.do(ctx, call{method: http.MethodDelete, path: path, body: body, into: into})
}

// Post calls an operation that changes something and for which there is no method. It has an
// Idempotency-Key. body is sent as JSON; nil sends none. The answer is decoded into into, unless it
// is nil.
func (c *Client) Post(ctx context.Context, path string, body, into any) error {
	return c.do(ctx, call{method: http.MethodPost, path: path, body: body, into: into, creates: true})
}

// PostOnce is Post with an Idempotency-Key of the caller, so that the caller can repeat the request
// after an *UnansweredError: then the answer is that of the first one.
func (c *Client) PostOnce(ctx context.Context, path, key string, body, into any) error {
	return c.do(ctx, call{method: http.MethodPost, path: path, body: body, into: into, creates: true, key: key})
}
