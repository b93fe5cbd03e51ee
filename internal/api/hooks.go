package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"botwork/internal/api/hooks"
	"botwork/internal/httpserver"
	"botwork/internal/newitems"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// hookPatience is when a delivery that another process began to handle is handled again.
const hookPatience = 5 * time.Minute

// receiveHook makes an item of a signed request. The sender needs no token: the signature is the
// proof. A delivery that comes again gets the same answer, and makes no second item.
func (a *API) receiveHook(w http.ResponseWriter, r *http.Request) {
	h := a.hooks[r.PathValue("name")]
	if h == nil {
		a.answer(w, r, problem(http.StatusNotFound, "unknown-hook", "there is no hook of this name"))
		return
	}
	if a.readOnly {
		a.answer(w, r, readOnly())
		return
	}
	status, body, err := a.handleHook(r, h)
	if err != nil {
		a.answer(w, r, a.hookProblem(r.Context(), h, err))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

func (a *API) handleHook(r *http.Request, h *hooks.Hook) (status int, answer string, err error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return 0, "", err
	}
	delivery, err := h.Form.Verify(h.Secret, r.Header, body, time.Now(), h.Tolerance)
	if err != nil {
		return 0, "", err
	}
	item, err := h.Item(r.Context(), r, body)
	if err != nil {
		return 0, "", err
	}
	known := access.Answer{Caller: "hook:" + h.Name, Key: access.Hash(delivery), RequestHash: access.Hash(string(body))}
	earlier, found, err := a.store.BeginAnswer(r.Context(), known, hookPatience)
	if err != nil || found {
		return earlier.Status, earlier.Body, err
	}
	// The sender may hang up: what was begun is finished all the same, so that its next delivery
	// finds the answer.
	ctx := workqueue.WithActor(context.WithoutCancel(r.Context()), workqueue.Actor{Name: known.Caller, Via: workqueue.ViaAPI, Host: httpserver.ClientAddress(r.Context())})
	var made []workqueue.Enqueued
	if err = a.checkHookItem(&item); err == nil {
		made, err = a.store.Enqueue(ctx, []workqueue.NewItem{item})
	}
	if err != nil {
		return 0, "", errors.Join(err, a.store.DropAnswer(ctx, known.Caller, known.Key))
	}
	text, err := json.Marshal(made[0])
	if err != nil {
		return 0, "", err
	}
	known.Status, known.Body = http.StatusAccepted, string(text)
	return known.Status, known.Body, a.store.KeepAnswer(ctx, known)
}

// checkHookItem compares an item with the pipelines of the project, as for other new items.
func (a *API) checkHookItem(item *workqueue.NewItem) error {
	checker, err := a.itemChecker(false)
	if err != nil {
		a.log.Warn().Err(err).Msg("could not read the project")
		return problem(http.StatusServiceUnavailable, "project-unreadable", "the server cannot read the files of its project").withHeader("Retry-After", "5")
	}
	checker.Anyway = "" // there is no way
	at := newitems.Place{File: "item", Flags: map[string]string{"payload": "payload", "pipeline": "pipeline"}}
	if findings := checker.Check(item, at); len(findings) > 0 {
		return refusedItem(findings)
	}
	return nil
}

// hookProblem returns the answer to a request that made no item.
func (a *API) hookProblem(ctx context.Context, h *hooks.Hook, err error) *Problem {
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return problem(http.StatusRequestEntityTooLarge, "too-large", "the body has more than %d bytes", large.Limit)
	}
	if bad, ok := errors.AsType[*hooks.BadRequestError](err); ok {
		a.log.Warn().Err(err).Str("hook", h.Name).Str("request", httpserver.RequestID(ctx)).Msg("a signed request made no item")
		return problem(http.StatusUnprocessableEntity, "invalid-request", "%v", bad)
	}
	for err0, code := range map[error]string{hooks.ErrNoSignature: "not-signed", hooks.ErrBadSignature: "bad-signature", hooks.ErrTooOld: "signature-too-old"} {
		if errors.Is(err, err0) {
			a.log.Warn().Err(err).Str("hook", h.Name).Str("address", httpserver.ClientAddress(ctx)).Msg("refused a request to a webhook")
			return problem(http.StatusUnauthorized, code, "%v", err)
		}
	}
	return a.refuse(ctx, "hook "+h.Name, err)
}
