package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/expr-lang/expr/types"

	"botwork/internal/bounded"
	"botwork/workqueue"
)

// Hook makes an item of each signed request to /hooks/ and its name.
type Hook struct {
	Name      string
	Form      Form
	Secret    string
	Tolerance time.Duration // how old a signature may be

	Queue, Pipeline string
	Priority        int
	Tags            []string

	// KeyHeader is the header that has the natural key of the item; "": it has none.
	KeyHeader string

	payload *bounded.Program // nil: the body
}

// variables are what the expression for the payload reads.
var variables = types.Map{"body": types.Any, "headers": types.Map{types.Extra: types.String}, "query": types.Map{types.Extra: types.String}}

// CompilePayload checks an expression for the payload.
func CompilePayload(text string) (*bounded.Program, error) { return bounded.Compile(text, variables) }

// New returns a hook with an expression for the payload; "" means the body.
func New(h Hook, payload string) (*Hook, error) {
	if payload != "" {
		var err error
		if h.payload, err = CompilePayload(payload); err != nil {
			return nil, err
		}
	}
	return &h, nil
}

// BadRequestError is returned for a request that is signed and still makes no item.
type BadRequestError struct{ Err error }

func (e *BadRequestError) Error() string { return e.Err.Error() }

func (e *BadRequestError) Unwrap() error { return e.Err }

func badRequest(format string, args ...any) error {
	return &BadRequestError{fmt.Errorf(format, args...)}
}

// Item returns the item of a request whose signature was checked.
func (h *Hook) Item(ctx context.Context, r *http.Request, body []byte) (workqueue.NewItem, error) {
	it := workqueue.NewItem{
		QueueName: h.Queue, IntegrationConfig: h.Pipeline, State: workqueue.Pending, Priority: h.Priority, Tags: h.Tags, CreatedBy: "hook:" + h.Name,
	}
	if h.KeyHeader != "" {
		if it.NaturalKey = r.Header.Get(h.KeyHeader); it.NaturalKey == "" {
			return it, badRequest("the header %s is missing: it has the natural key", h.KeyHeader)
		}
	}
	decoded, err := decode(body)
	if err != nil {
		return it, err
	}
	if h.payload == nil {
		it.Payload = workqueue.JSONText(body)
		return it, nil
	}
	it.Payload, err = h.mapped(ctx, r, decoded)
	return it, err
}

// decode decodes the body with numbers as they are.
func decode(body []byte) (any, error) {
	var v any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, badRequest("the body is not JSON: %v", err)
	}
	if d.More() {
		return nil, badRequest("the body has more than one JSON value")
	}
	return plain(v), nil
}

// plain turns numbers into those of expressions: whole numbers stay exact.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return int(n)
		}
		f, _ := v.Float64() // the decoder has checked it; too large is infinite, and no payload
		return f
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = plain(v[key])
		}
	}
	return v
}

// mapped evaluates the expression.
func (h *Hook) mapped(ctx context.Context, r *http.Request, body any) (workqueue.JSONText, error) {
	headers, query := map[string]string{}, map[string]string{}
	for name := range r.Header {
		if name != "Authorization" && name != "Cookie" && name != h.Form.Header() {
			headers[strings.ToLower(name)] = r.Header.Get(name)
		}
	}
	for name := range r.URL.Query() {
		query[name] = r.URL.Query().Get(name)
	}
	var m bounded.Machine
	m.Start(ctx)
	v, err := m.Run(h.payload, map[string]any{"body": body, "headers": headers, "query": query})
	if err != nil {
		return "", badRequest("the expression for the payload failed: %v", err)
	}
	text, err := workqueue.MarshalPlain(v)
	if err != nil {
		return "", badRequest("the payload cannot be written as JSON: %v", err)
	}
	return workqueue.JSONText(text), nil
}
