package api

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	"botwork/internal/api/auth"
	"botwork/internal/author/strictyaml"
	"botwork/internal/httpserver"
	"botwork/internal/operations"
	"botwork/workqueue"
	"botwork/workqueue/access"
)

// problemOf returns the problem that an error of a store or of a check is. It returns nil for an
// error that only the log may have.
func problemOf(err error) *Problem {
	if p := problemOfBody(err); p != nil {
		return p
	}
	if p, ok := errors.AsType[*Problem](err); ok {
		return p
	}
	if e, ok := errors.AsType[*workqueue.TransitionError](err); ok {
		return problem(http.StatusConflict, "wrong-state", "%v", e).about(e.ItemID)
	}
	if e, ok := errors.AsType[*workqueue.VersionError](err); ok {
		return problem(http.StatusPreconditionFailed, "version-changed", "%v", e).about(e.ItemID).withHint("read the item again, and decide again")
	}
	if e, ok := errors.AsType[*workqueue.DuplicateError](err); ok {
		return problem(http.StatusConflict, "duplicate-key", "%v", e).about(e.ItemID)
	}
	if e, ok := errors.AsType[*workqueue.AccessError](err); ok {
		p := problem(http.StatusForbidden, "no-right", "%v", e)
		return p
	}
	if e, ok := errors.AsType[*workqueue.ConsumerError](err); ok {
		return problem(http.StatusConflict, "queue-for-workers", "the queue %q gives its items to workers, not to robots", e.Queue).
			withHint("set `consumer: robots` in its definition, or use another queue")
	}
	if e, ok := errors.AsType[*workqueue.StrandedError](err); ok {
		p := problem(http.StatusUnprocessableEntity, "not-confirmed", "%v", e).withHint("confirm: true makes the change")
		p.Errors = []Fault{{Location: "body.confirm", Message: "want true"}}
		return p
	}
	if e, ok := errors.AsType[*workqueue.UnknownQueueError](err); ok {
		return problem(http.StatusUnprocessableEntity, "unknown-queue", "queue %q does not exist", e.Queue).withHint(strictyaml.Suggest(e.Queue, e.Known))
	}
	if e, ok := errors.AsType[*workqueue.UnansweredError](err); ok {
		return problem(http.StatusServiceUnavailable, "outcome-unknown", "the database did not answer, so it is unknown whether the change was made").
			withHint("GET " + Prefix + "/batches/" + e.Key + " shows it; a request that repeats an Idempotency-Key or a batch changes nothing twice")
	}
	if e, ok := errors.AsType[*workqueue.QueueNotEmptyError](err); ok {
		return problem(http.StatusConflict, "queue-not-empty", "%v", e)
	}
	if p := problemOfSignIn(err); p != nil {
		return p
	}
	if e, ok := errors.AsType[*operations.UnknownError](err); ok {
		return problem(http.StatusNotFound, "not-found", "there is no %s %q", e.What, e.Name).withHint(e.Hint)
	}
	if e, ok := errors.AsType[*operations.RefusedError](err); ok {
		return problemOfRefusal(e)
	}
	if e, ok := errors.AsType[*workqueue.PausedError](err); ok {
		return problem(http.StatusConflict, "pipeline-paused", "%v", e).withHint("resume the pipeline first")
	}
	if p := problemOfValue(err); p != nil {
		return p
	}
	if errors.As(err, new(*workqueue.LockedError)) || errors.As(err, new(*workqueue.LockWaitError)) {
		return problem(http.StatusServiceUnavailable, "row-locked", "another session of the database holds the row of an item; nothing was changed").
			withHint("try again later; `botwork items why` and `botwork doctor` name the session")
	}
	if errors.Is(err, workqueue.ErrQueueChanged) {
		return problem(http.StatusPreconditionFailed, "revision-changed", "the queue has another revision: it was changed in the meantime").
			withHint("read the queue again, and decide again")
	}
	for _, known := range []struct {
		err    error
		status int
		code   string
	}{
		{workqueue.ErrEndUnknown, http.StatusConflict, "end-unknown"},
		{workqueue.ErrLeaseLost, http.StatusConflict, "lease-lost"},
		{workqueue.ErrQueueExists, http.StatusConflict, "queue-exists"},
		{workqueue.ErrDefaultQueue, http.StatusConflict, "default-queue"},
		{workqueue.ErrNoWorker, http.StatusConflict, "no-worker"},
		{workqueue.ErrNotFound, http.StatusNotFound, "not-found"},
		{access.ErrNameTaken, http.StatusConflict, "name-in-use"},
		{access.ErrSubjectTaken, http.StatusConflict, "subject-in-use"},
		{access.ErrKeyReused, http.StatusUnprocessableEntity, "idempotency-key-reused"},
		{access.ErrKeyInUse, http.StatusConflict, "idempotency-key-in-use"},
	} {
		if errors.Is(err, known.err) {
			return problem(known.status, known.code, "%v", err)
		}
	}
	return nil
}

// problemOfSignIn returns the problem of an attempt to sign in.
func problemOfSignIn(err error) *Problem {
	if e, ok := errors.AsType[*auth.SignInError](err); ok {
		return problem(http.StatusUnauthorized, "sign-in-failed", "%v", e).withHeader("WWW-Authenticate", "Bearer").retryAfter(e.RetryAfter)
	}
	if e, ok := errors.AsType[*auth.TooManyFailuresError](err); ok {
		return problem(http.StatusTooManyRequests, "too-many-sign-ins", "%v", e).retryAfter(e.RetryAfter)
	}
	if errors.Is(err, auth.ErrBusy) {
		return problem(http.StatusTooManyRequests, "busy", "%v", err).retryAfter(time.Second)
	}
	if _, ok := errors.AsType[*auth.ProviderError](err); ok {
		return problem(http.StatusBadGateway, "provider-failed", "the OpenID provider has refused the sign-in or does not answer").withHint("the log has the reason under the request's id")
	}
	if errors.Is(err, auth.ErrOIDCState) {
		return problem(http.StatusBadRequest, "sign-in-not-begun", "%v", auth.ErrOIDCState).withHint("begin again")
	}
	if errors.Is(err, auth.ErrNoRole) {
		return problem(http.StatusForbidden, "no-role", "%v", auth.ErrNoRole).withHint("ask an administrator for a group that http.oidc.roles names")
	}
	if errors.Is(err, auth.ErrOIDCDisabled) {
		return problem(http.StatusForbidden, "user-disabled", "%v", auth.ErrOIDCDisabled)
	}
	if errors.Is(err, access.ErrLinkUsed) {
		return problem(http.StatusGone, "link-used", "%v", access.ErrLinkUsed).withHint("`botwork users link` creates another one")
	}
	return nil
}

// problemOfRefusal returns the problem of a request about a pipeline.
func problemOfRefusal(e *operations.RefusedError) *Problem {
	status := http.StatusUnprocessableEntity
	switch e.Code {
	case operations.CodeNotFound:
		status = http.StatusNotFound
	case operations.CodeBroken, operations.CodeNoTrigger, operations.CodeNoSchedule, operations.CodeNoVersion:
		status = http.StatusConflict
	}
	p := problem(status, e.Code, "%s", e.Message).withHint(e.Hint)
	for _, f := range e.Findings {
		location := f.File
		if f.Line > 0 {
			location = fmt.Sprintf("%s:%d:%d", f.File, f.Line, f.Column)
		}
		p.Errors = append(p.Errors, Fault{Location: location, Message: f.Message, Code: f.Code, Hint: f.Hint})
	}
	return p
}

// problemOfBody returns the problem of a body that is not read to its end.
func problemOfBody(err error) *Problem {
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return problem(http.StatusRequestEntityTooLarge, "too-large", "the body is larger than %d bytes", large.Limit)
	}
	if errors.Is(err, httpserver.ErrBodyMemory) {
		return problem(http.StatusTooManyRequests, "busy", "%v", httpserver.ErrBodyMemory).retryAfter(time.Second)
	}
	return nil
}

func isNotFound(err error) bool { return errors.Is(err, workqueue.ErrNotFound) }

// problemOfValue returns the problem of data that was refused.
func problemOfValue(err error) *Problem {
	if e, ok := errors.AsType[*workqueue.BadItemError](err); ok {
		p := problem(http.StatusUnprocessableEntity, "invalid-item", "%v", e)
		p.Errors = faultsOf(e.Err)
		return p
	}
	if e, ok := errors.AsType[*workqueue.BadUpdateError](err); ok {
		p := problem(http.StatusUnprocessableEntity, "invalid-update", "%v", e)
		p.Errors = faultsOf(e.Err)
		return p.about(e.ItemID)
	}
	if e, ok := errors.AsType[*workqueue.PostponeError](err); ok {
		return problem(http.StatusUnprocessableEntity, "invalid-request", "%v", e)
	}
	if e, ok := errors.AsType[*workqueue.SchemaError](err); ok {
		return problem(http.StatusUnprocessableEntity, "schema-mismatch", "%v", e)
	}
	if e, ok := errors.AsType[*workqueue.SizeError](err); ok {
		return problem(http.StatusRequestEntityTooLarge, "too-large", "%v", e)
	}
	if e, ok := errors.AsType[*workqueue.QueueError](err); ok {
		return problem(http.StatusUnprocessableEntity, "invalid-queue", "%v", e)
	}
	if e, ok := errors.AsType[*workqueue.WorkerSettingsError](err); ok {
		return problem(http.StatusUnprocessableEntity, "invalid-settings", "%v", e)
	}
	if e, ok := errors.AsType[*auth.BadTokenError](err); ok {
		p := problem(http.StatusUnprocessableEntity, "invalid-request", "the token cannot be created as described")
		p.Errors = faultsOf(e.Err)
		return p
	}
	if e, ok := errors.AsType[*auth.BadUserError](err); ok {
		p := problem(http.StatusUnprocessableEntity, "invalid-request", "the user cannot be stored as described")
		p.Errors = faultsOf(e.Err)
		return p
	}
	if e, ok := errors.AsType[*workqueue.ConflictError](err); ok {
		p := problem(http.StatusConflict, "duplicate-key", "%v", e)
		if len(e.Conflicts) > 0 {
			p = p.about(e.Conflicts[0].ItemID)
		}
		return p
	}
	if e, ok := errors.AsType[*workqueue.BatchMismatchError](err); ok {
		return problem(http.StatusConflict, "batch-mismatch", "%v", e)
	}
	return nil
}

// faultsOf returns the faults of a joined error, each at its field of the body.
func faultsOf(err error) []Fault { return faultsAt("body", ".", err) }

// faultsAt returns the faults of a joined error, each at its field of a location.
func faultsAt(location, separator string, err error) []Fault {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var faults []Fault
		for _, e := range joined.Unwrap() {
			faults = append(faults, faultsAt(location, separator, e)...)
		}
		return faults
	}
	f := Fault{Location: location, Message: err.Error()}
	if e, ok := errors.AsType[*workqueue.ItemFault](err); ok && e.Field != "" {
		f.Location += separator + e.Field
	}
	return []Fault{f}
}

// retryAfter sets the header Retry-After, unless d is 0.
func (p *Problem) retryAfter(d time.Duration) *Problem {
	if d <= 0 {
		return p
	}
	return p.withHeader("Retry-After", fmt.Sprint(int(math.Ceil(d.Seconds()))))
}

func (p *Problem) about(itemID int64) *Problem {
	if itemID != 0 {
		p.ItemID = &itemID
	}
	return p
}

// refuse returns the answer to a request that failed. An unexpected error goes to the log, and
// the caller gets only the request's id.
func (a *API) refuse(ctx context.Context, operation string, err error) *Problem {
	if p := problemOf(err); p != nil {
		p.Instance = httpserver.RequestID(ctx)
		return p
	}
	if ctx.Err() != nil {
		return problem(http.StatusServiceUnavailable, "cancelled", "the request was cancelled")
	}
	id := httpserver.RequestID(ctx)
	a.log.Error().Err(err).Str("request", id).Str("operation", operation).Msg("request failed")
	p := problem(http.StatusInternalServerError, "internal", "the server has failed; its log has the details under the request's id")
	p.Instance = id
	if errors.Is(err, workqueue.ErrDatabaseLost) {
		p.Status, p.Title, p.Code = http.StatusServiceUnavailable, http.StatusText(http.StatusServiceUnavailable), "database-lost"
	}
	return p
}
