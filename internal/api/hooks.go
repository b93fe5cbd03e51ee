package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/rs/zerolog"

	"botwork/internal/api/hooks"
	"botwork/internal/httpserver"
	"botwork/internal/newitems"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// hookPatience is when a delivery that another process began to handle is handled again.
const hookPatience = 5 * time.Minute

// hookAnswer is the body of the answer to a signed request.
type hookAnswer struct {
	*workqueue.Enqueued        // nil: nothing is enqueued
	WasEnqueued         bool   `json:"enqueued"`
	Reason              string `json:"reason,omitempty"` // why nothing is enqueued
}

// receiveHook makes an item of a signed request. The sender needs no token: the signature is the
// proof. A signature that comes again gets the same answer, and makes no second item.
func (a *API) receiveHook(w http.ResponseWriter, r *http.Request) {
	h := a.hooks[r.PathValue("name")]
	if h == nil {
		a.answer(w, r, problem(http.StatusNotFound, "unknown-hook", "there is no hook of this name"))
		return
	}
	if a.readOnly {
		a.observeHook(h.Name, hooks.Refused)
		a.answer(w, r, readOnly())
		return
	}
	kept, outcome, err := a.handleHook(r, h)
	if err != nil {
		refused := a.hookProblem(r.Context(), h, err)
		outcome := refusedHook(refused.Status)
		a.observeHook(h.Name, outcome)
		if outcome != hooks.Failed { // the reason for that is in the log
			a.log.Warn().Err(err).Str("hook", h.Name).Str("outcome", outcome).Str("address", httpserver.ClientAddress(r.Context())).Str("request", httpserver.RequestID(r.Context())).Msg("refused a request to a webhook")
		}
		a.answer(w, r, refused)
		return
	}
	a.observeHook(h.Name, outcome)
	level := zerolog.DebugLevel
	if outcome == hooks.Repeated || outcome == hooks.Ping {
		level = zerolog.InfoLevel
	}
	a.log.WithLevel(level).Str("hook", h.Name).Str("outcome", outcome).Str("request", httpserver.RequestID(r.Context())).RawJSON("answer", []byte(kept.Body)).Msg("answered a webhook")
	if outcome == hooks.Repeated {
		w.Header().Set(idempotencyReplayed, "true")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(kept.Status)
	_, _ = io.WriteString(w, kept.Body)
}

// refusedHook returns the outcome of a request that was refused with a status.
func refusedHook(status int) string {
	switch {
	case status == http.StatusUnauthorized:
		return hooks.Refused
	case status >= http.StatusInternalServerError:
		return hooks.Failed
	}
	return hooks.Invalid
}

// handleHook answers a request. The signature covers neither the headers nor the address, so only what it
// covers says whether a request is a repeat: an attacker who has seen a request can change the rest. For the
// same reason the answer is kept if nothing was enqueued.
func (a *API) handleHook(r *http.Request, h *hooks.Hook) (kept access.Answer, outcome string, err error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return kept, "", err
	}
	sum, err := h.Form.Verify(h.Secret, r.Header, body, time.Now(), h.Tolerance)
	if err != nil {
		return kept, "", err
	}
	known := access.Answer{Caller: "hook:" + h.Name, Key: access.Hash(sum), RequestHash: access.Hash(string(body))}
	earlier, found, err := a.store.BeginAnswer(r.Context(), known, hookPatience)
	if err != nil || found {
		return earlier, hooks.Repeated, err
	}
	// The sender may hang up: what was begun is finished all the same, so that its next delivery
	// finds the answer.
	ctx := workqueue.WithActor(context.WithoutCancel(r.Context()), workqueue.Actor{Name: known.Caller, Via: workqueue.ViaAPI, Host: httpserver.ClientAddress(r.Context())})
	answer, outcome, err := a.enqueueHook(ctx, r, h, body, known.Key)
	if err != nil {
		return kept, "", errors.Join(err, a.store.DropAnswer(ctx, known.Caller, known.Key))
	}
	text, err := json.Marshal(answer)
	if err != nil {
		return kept, "", err
	}
	if known.Status, known.Body = http.StatusAccepted, string(text); outcome == hooks.Ping {
		known.Status = http.StatusOK
	}
	return known, outcome, a.store.KeepAnswer(ctx, known)
}

// enqueueHook enqueues the item of a signed request, unless the hook makes none of it.
func (a *API) enqueueHook(ctx context.Context, r *http.Request, h *hooks.Hook, body []byte, signature string) (hookAnswer, string, error) {
	read, err := h.Read(r.Context(), r, body)
	if err != nil {
		return hookAnswer{}, "", err
	}
	if read.Outcome != "" {
		return hookAnswer{Reason: read.Reason}, read.Outcome, nil
	}
	if err := a.checkHookItem(&read.Item); err != nil {
		return hookAnswer{}, "", err
	}
	// A process that dies before it keeps the answer has perhaps enqueued the item: the batch says so. It is
	// kept for longer than the answer, and a body that comes again on another day makes another item.
	batch := "hook-" + access.Hash(h.Name + "\x00" + signature + "\x00" + time.Now().UTC().Format(time.DateOnly))[:48]
	made, err := a.enqueue(ctx, workqueue.BatchPart{Key: batch, Part: 1}, []workqueue.NewItem{read.Item})
	if err != nil {
		return hookAnswer{}, "", err
	}
	if made[0].Existing {
		return hookAnswer{Enqueued: &made[0], Reason: "an item with the same natural key exists"}, hooks.Existing, nil
	}
	return hookAnswer{Enqueued: &made[0], WasEnqueued: true}, hooks.Enqueued, nil
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
	if bad, ok := errors.AsType[*hooks.BadRequestError](err); ok {
		return problem(http.StatusUnprocessableEntity, "invalid-request", "%v", bad)
	}
	for err0, code := range map[error]string{hooks.ErrNoSignature: "not-signed", hooks.ErrBadSignature: "bad-signature", hooks.ErrTooOld: "signature-too-old"} {
		if errors.Is(err, err0) {
			return problem(http.StatusUnauthorized, code, "%v", err)
		}
	}
	return a.refuse(ctx, "hook "+h.Name, err)
}
