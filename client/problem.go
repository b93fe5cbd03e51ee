package client

import (
	"fmt"
	"strings"
)

// Problem is the answer of the API to a request that it has refused.
type Problem struct {
	Status   int     `json:"status"`
	Code     Code    `json:"code"`   // what is wrong, for programs
	Detail   string  `json:"detail"` // what is wrong, for people
	Hint     string  `json:"hint"`   // what to do about it
	Instance string  `json:"instance"`
	Errors   []Fault `json:"errors"` // the faults in the request
	ItemID   int64   `json:"itemId"` // the item that the problem is about; 0: none
}

// Fault is one fault in a request.
type Fault struct {
	Location string `json:"location"` // such as body.filter.tags
	Message  string `json:"message"`
	Hint     string `json:"hint"` // "" if none
}

func (f *Fault) String() string {
	text := strings.TrimPrefix(f.Location+": "+f.Message, ": ")
	if f.Hint != "" {
		text += " (" + f.Hint + ")"
	}
	return text
}

func (p *Problem) Error() string {
	text := fmt.Sprintf("%s [%s, HTTP %d]", p.Detail, p.Code, p.Status)
	var faults []string
	for _, f := range p.Errors {
		faults = append(faults, f.String())
	}
	if len(faults) > 0 {
		text += ": " + strings.Join(faults, "; ")
	}
	if p.Hint != "" {
		text += "; hint: " + p.Hint
	}
	return text
}

// Is reports whether target is the problem's code.
func (p *Problem) Is(target error) bool {
	code, ok := target.(Code)
	return ok && code == p.Code
}

// Code is the code of a problem, for errors.Is.
type Code string

func (c Code) Error() string { return string(c) }

// Codes that a caller may meet; docs/api.md lists all of them.
const (
	ErrLeaseLost       = Code("lease-lost")        // the robot no longer holds the item: stop working on it
	ErrCancelled       = Code("cancelled")         // a person has cancelled the item; only as the cause of a handler's context
	ErrNotFound        = Code("not-found")         // there is no such item or queue
	ErrNoRight         = Code("no-right")          // the queue does not give the robot this right
	ErrQueueNotAllowed = Code("queue-not-allowed") // the token is not for this queue
	ErrQueueForWorkers = Code("queue-for-workers") // the queue gives its items to workers
	ErrInvalidToken    = Code("invalid-token")
	ErrTokenRevoked    = Code("token-revoked")
	ErrTokenExpired    = Code("token-expired")
	ErrSchemaMismatch  = Code("schema-mismatch") // the data does not match a schema of the queue
	ErrTooLarge        = Code("too-large")
	ErrDuplicateKey    = Code("duplicate-key")
	ErrWrongState      = Code("wrong-state")
	ErrTooManyWaiting  = Code("too-many-waiting")
	ErrRoleNotAllowed  = Code("role-not-allowed") // the role of the token may not call the operation; the hint names those that may
	ErrVersionChanged  = Code("version-changed")  // the item was changed since it was read
	ErrInvalidItem     = Code("invalid-item")     // a new item was refused
	ErrInvalidUpdate   = Code("invalid-update")   // the item cannot have the new values
)
