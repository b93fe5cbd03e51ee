package hooks

import (
	"context"
	"net/http"
	"time"

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

	keyHeader          string // "": key has the natural key
	when, payload, key *bounded.Program
}

// Expressions are the texts of a hook's expressions over body, headers and query.
type Expressions struct {
	When    string // "": each request makes an item
	Payload string // "": the payload is the body

	// Key has the natural key: the name of a header, or an expression such as body.id. "": there is none.
	Key string
}

// New returns a hook with these expressions. Its errors are *ExpressionError.
func New(h Hook, texts Expressions) (_ *Hook, err error) {
	if h.when, err = compile("when", texts.When); err != nil {
		return nil, err
	}
	if h.payload, err = compile("payload", texts.Payload); err != nil {
		return nil, err
	}
	if headerName.MatchString(texts.Key) {
		h.keyHeader = texts.Key
		return &h, nil
	}
	h.key, err = compile("key", texts.Key)
	return &h, err
}

// UnsignedKey reports whether the natural key depends on a part of the request that the signature does
// not cover.
func (h *Hook) UnsignedKey() bool {
	return h.keyHeader != "" || h.key != nil && !readsBodyOnly(h.key.Source())
}

// Reading is what a hook makes of a signed request.
type Reading struct {
	Item workqueue.NewItem

	// Outcome is Skipped or Ping, and Reason says why nothing is enqueued; "": the item is.
	Outcome, Reason string
}

// Read reads a request whose signature was checked.
func (h *Hook) Read(ctx context.Context, r *http.Request, data []byte) (Reading, error) {
	if h.Form == GitHub && r.Header.Get("X-GitHub-Event") == "ping" {
		return Reading{Outcome: Ping, Reason: "the request is a ping; the signature is right"}, nil
	}
	read := Reading{Item: workqueue.NewItem{
		QueueName: h.Queue, IntegrationConfig: h.Pipeline, State: workqueue.Pending, Priority: h.Priority, Tags: h.Tags, CreatedBy: "hook:" + h.Name,
	}}
	body, err := decode(data, r.Header.Get("Content-Type"))
	if err != nil {
		return read, err
	}
	e := h.evaluation(ctx, r, body.value)
	if h.when != nil {
		wanted, err := e.condition(h.when)
		if err != nil {
			return read, err
		}
		if !wanted {
			return Reading{Outcome: Skipped, Reason: "the condition \"when\" of the hook is false for this request"}, nil
		}
	}
	if read.Item.NaturalKey, err = h.naturalKey(r, e); err != nil {
		return read, err
	}
	read.Item.Payload = body.text
	if h.payload != nil {
		read.Item.Payload, err = e.payload(h.payload)
	}
	return read, err
}

func (h *Hook) naturalKey(r *http.Request, e *evaluation) (string, error) {
	if h.key != nil {
		return e.key(h.key)
	}
	if h.keyHeader == "" {
		return "", nil
	}
	key := r.Header.Get(h.keyHeader)
	if key == "" {
		return "", badRequest("the header %s is missing: it has the natural key", h.keyHeader)
	}
	return key, nil
}
