package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"crypto/tls"

	"botwork/client"
	"botwork/workqueue"
)

// Error is a problem that the server has answered, as commands print it.
type Error struct{ Problem *client.Problem }

func (e *Error) Error() string {
	parts := []string{e.Problem.Detail}
	for i := range e.Problem.Errors {
		parts = append(parts, e.Problem.Errors[i].String())
	}
	if e.Problem.Hint != "" {
		parts = append(parts, "hint: "+e.Problem.Hint)
	}
	if e.Problem.Status >= http.StatusInternalServerError && e.Problem.Instance != "" {
		parts = append(parts, "the request is "+e.Problem.Instance)
	}
	return strings.Join(parts, "; ")
}

// Unwrap returns the problem.
func (e *Error) Unwrap() error { return e.Problem }

// Is reports whether the problem is one of the store's errors.
func (e *Error) Is(target error) bool {
	switch e.Problem.Code {
	case client.ErrNotFound:
		return target == workqueue.ErrNotFound
	case "queue-exists":
		return target == workqueue.ErrQueueExists
	case "revision-changed":
		return target == workqueue.ErrQueueChanged
	default:
		return false
	}
}

// RefusesItem reports whether the problem is about one item, so that others may be changed.
func (e *Error) RefusesItem() bool {
	switch e.Problem.Code {
	case client.ErrNotFound, client.ErrWrongState, client.ErrVersionChanged, client.ErrDuplicateKey:
		return true
	case client.ErrInvalidUpdate:
		return e.Problem.ItemID != 0
	default:
		return false
	}
}

// failed returns the error of a request as commands print it.
func (s *Server) failed(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	if p, ok := errors.AsType[*client.Problem](err); ok {
		if strings.HasPrefix(string(p.Code), "http-") {
			return fmt.Errorf("server %s: %s; hint: check the address; a proxy may have answered", s.address, p.Detail)
		}
		return &Error{p}
	}
	if wrong, ok := errors.AsType[*client.NotBotworkError](err); ok {
		return fmt.Errorf("server %s: %w; hint: check the address; a proxy may have answered", s.address, wrong)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("server %s: no answer within %v", s.address, timeout)
	}
	cause, hint := err, ""
	if in, ok := errors.AsType[*url.Error](err); ok {
		cause = in.Err // without the URL and its parameters
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		hint = "; hint: --ca-file names the file with the certificate of an authority that the system does not know"
	}
	if errors.Is(err, http.ErrSchemeMismatch) {
		hint = "; hint: the server does not use TLS at this address"
	}
	return fmt.Errorf("server %s: %w%s", s.address, cause, hint)
}

// unanswered is failed for a part of a batch. It returns an *workqueue.UnansweredError if the part may
// have been done: then the same call is safe and finds out.
func (s *Server) unanswered(part workqueue.BatchPart, err error) error {
	if _, unsure := errors.AsType[*client.UnansweredError](err); unsure {
		return &workqueue.UnansweredError{BatchPart: part, Err: s.failed(err)}
	}
	return s.failed(err)
}

// reason returns the reason of a change: that of the change, or else that of the command.
func reason(ctx context.Context, ofChange string) string {
	if ofChange != "" {
		return ofChange
	}
	return workqueue.ActorFrom(ctx).Reason
}
