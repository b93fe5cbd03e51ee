package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"botwork/internal/api/auth"
	"botwork/internal/httpserver"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// The headers of requests that are processed once.
const (
	idempotencyKey      = "Idempotency-Key"
	idempotencyReplayed = "Idempotency-Replayed"
)

// onceTimeout bounds the processing of a request with an Idempotency-Key, and oncePatience is when
// another request with the key may process it again: later, so that two never do at the same time.
const (
	onceTimeout  = 2 * time.Minute
	oncePatience = onceTimeout + time.Minute
)

// keptAnswer is an answer as it is stored.
type keptAnswer struct {
	Header http.Header     `json:"header,omitempty"`
	Body   json.RawMessage `json:"body,omitempty"`
	Sealed []byte          `json:"sealed,omitempty"` // instead of Body: see onceSecret
}

type onceKey struct{}

// onceRequest is what a handler knows of the Idempotency-Key of its request.
type onceRequest struct {
	batch   string
	instead any // what is kept instead of the answer; nil: the answer
}

// keepInstead keeps this body for repeats of the request instead of its answer, which has a secret
// that must not be stored.
func keepInstead(ctx context.Context, body any) {
	if r, ok := ctx.Value(onceKey{}).(*onceRequest); ok {
		r.instead = body
	}
}

// batchKeyOf returns the key of the batch in which a request changes something: the same for the
// same Idempotency-Key, so that a request whose answer was lost changes nothing twice.
func batchKeyOf(ctx context.Context) string {
	if r, ok := ctx.Value(onceKey{}).(*onceRequest); ok {
		return r.batch
	}
	return workqueue.NewBatchKey()
}

// once is the middleware of operations that create something: a request that repeats the
// Idempotency-Key of an earlier one gets the answer of that. Only successes are kept; a request that
// was refused has changed nothing, and may be corrected and sent again with its key.
func (a *API) once(ctx huma.Context, next func(huma.Context)) {
	key := ctx.Header(idempotencyKey)
	if key == "" {
		next(ctx)
		return
	}
	refuse := func(p *Problem) {
		p.Instance = httpserver.RequestID(ctx.Context())
		a.write(ctx, p)
	}
	if len(key) > access.MaxIdempotencyKey || strings.ContainsFunc(key, func(c rune) bool { return c < ' ' || c > '~' }) {
		p := problem(http.StatusUnprocessableEntity, "invalid-request", "the header %s is not valid", idempotencyKey)
		p.Errors = []Fault{{Location: "header." + idempotencyKey, Message: fmt.Sprintf("want at most %d printable ASCII characters", access.MaxIdempotencyKey)}}
		refuse(p)
		return
	}
	body, err := a.readBody(ctx)
	if err != nil {
		refuse(err)
		return
	}
	p, url := auth.From(ctx.Context()), ctx.URL()
	text := ctx.Method() + "\x00" + url.Path + "?" + url.RawQuery + "\x00" + string(body)
	request := access.Answer{Caller: fmt.Sprintf("%s:%d:%s", p.Kind, p.TokenID, p.Name), Key: key, RequestHash: access.Hash(text)}
	var secret *onceSecret // nil: neither the request nor the answer has a secret
	if op, _ := ctx.Operation().Metadata[permission].(Operation); op.Secret {
		secret = &onceSecret{credential: credential(ctx), key: key}
		request.RequestHash = secret.hash(text)
		if p.Kind == access.BySession {
			request.Caller = fmt.Sprintf("%s:%d:%s", p.Kind, p.SessionID, p.Name)
		}
	}
	kept, found, begun := a.store.BeginAnswer(ctx.Context(), request, oncePatience)
	switch {
	case begun != nil:
		refused := a.refuse(ctx.Context(), ctx.Operation().OperationID, begun)
		if errors.Is(begun, access.ErrKeyInUse) {
			refused = refused.withHeader("Retry-After", "1")
		}
		a.write(ctx, refused)
		return
	case found:
		a.replay(ctx, kept, secret)
		return
	}
	known := &onceRequest{batch: "once-" + access.Hash(request.Caller + "\x00" + key + "\x00" + request.RequestHash)[:48]}
	limited, cancel := context.WithTimeout(context.WithValue(ctx.Context(), onceKey{}, known), onceTimeout)
	defer cancel()
	answer := &capture{humaContext: huma.WithContext(ctx, limited), in: bytes.NewReader(body), header: http.Header{}}
	done := false
	defer func() {
		if !done { // it was refused, or it has panicked
			a.drop(ctx.Context(), request)
		}
	}()
	next(answer)
	if answer.status >= 200 && answer.status < 300 {
		done = true
		a.keep(ctx.Context(), request, answer, known.instead, secret)
	}
	for name, values := range answer.header {
		for _, value := range values {
			ctx.AppendHeader(name, value)
		}
	}
	ctx.SetStatus(answer.status)
	_, _ = ctx.BodyWriter().Write(answer.out.Bytes())
}

// readBody reads the whole body of a request.
func (a *API) readBody(ctx huma.Context) ([]byte, *Problem) {
	most := ctx.Operation().MaxBodyBytes
	body, err := io.ReadAll(io.LimitReader(ctx.BodyReader(), most+1))
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case tooLarge || int64(len(body)) > most:
		return nil, problem(http.StatusRequestEntityTooLarge, "too-large", "the body is larger than %d bytes", most)
	case err != nil:
		return nil, problem(http.StatusRequestTimeout, "request-timeout", "the body could not be read")
	}
	return body, nil
}

// onceStore bounds the calls that must happen even if the client is gone.
const onceStore = 10 * time.Second

// keep stores an answer. If instead is not nil, it stores that in place of the body; if secret is
// not nil, it stores the body encrypted.
func (a *API) keep(ctx context.Context, request access.Answer, answer *capture, instead any, secret *onceSecret) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), onceStore)
	defer cancel()
	kept := keptAnswer{Header: answer.header, Body: bytes.TrimSpace(answer.out.Bytes())}
	var err error
	if instead != nil {
		kept.Body, err = json.Marshal(instead)
	}
	if secret != nil {
		kept.Sealed, err = secret.seal(kept.Body)
		kept.Body = nil
	}
	var text []byte
	if err == nil {
		text, err = json.Marshal(kept)
	}
	if err == nil {
		request.Status, request.Body = answer.status, string(text)
		err = a.store.KeepAnswer(ctx, request)
	}
	if err != nil {
		a.log.Warn().Err(err).Str("request", httpserver.RequestID(ctx)).Msg("could not keep the answer of an Idempotency-Key")
	}
}

func (a *API) drop(ctx context.Context, request access.Answer) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), onceStore)
	defer cancel()
	if err := a.store.DropAnswer(ctx, request.Caller, request.Key); err != nil {
		a.log.Warn().Err(err).Str("request", httpserver.RequestID(ctx)).Msg("could not free an Idempotency-Key")
	}
}

// replay answers with a kept answer.
func (a *API) replay(ctx huma.Context, kept access.Answer, secret *onceSecret) {
	var answer keptAnswer
	err := json.Unmarshal([]byte(kept.Body), &answer)
	if err == nil && secret != nil {
		answer.Body, err = secret.open(answer.Sealed)
	}
	if err != nil {
		a.write(ctx, a.refuse(ctx.Context(), ctx.Operation().OperationID, fmt.Errorf("read the answer of an Idempotency-Key: %w", err)))
		return
	}
	for name, values := range answer.Header {
		for _, value := range values {
			ctx.AppendHeader(name, value)
		}
	}
	ctx.SetHeader(idempotencyReplayed, "true")
	ctx.SetStatus(kept.Status)
	_, _ = ctx.BodyWriter().Write(answer.Body)
}

// humaContext is another name for the interface, whose own is that of one of its methods.
type humaContext = huma.Context

// capture is the context of a request whose body was read, and whose answer is kept back.
type capture struct {
	humaContext
	in     io.Reader
	status int
	header http.Header
	out    bytes.Buffer
}

func (c *capture) BodyReader() io.Reader           { return c.in }
func (c *capture) SetReadDeadline(time.Time) error { return nil }
func (c *capture) SetStatus(status int)            { c.status = status }
func (c *capture) Status() int                     { return c.status }
func (c *capture) SetHeader(name, value string)    { c.header.Set(name, value) }
func (c *capture) AppendHeader(name, value string) { c.header.Add(name, value) }
func (c *capture) BodyWriter() io.Writer           { return &c.out }
