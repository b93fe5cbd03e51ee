package workqueue

import (
	"fmt"
	"strings"
)

// State is the state of an item. The numbers are stored.
type State int

// The states. Their order is that of the numbers, not of an item's life.
const (
	Ready     State = 0 // waits for assignment: created by a schedule, released, or to be retried
	Blocked   State = 1 // running under a lease
	Processed State = 2 // succeeded
	Cancelled State = 3 // failed or was cancelled, kept for inspection
	Pending   State = 4 // waits for assignment: created on request
	Assigned  State = 5 // given to a worker, not started
)

var stateNames = [...]string{"Ready", "Blocked", "Processed", "Cancelled", "Pending", "Assigned"}

// States lists all states in the order of their numbers.
func States() []State { return []State{Ready, Blocked, Processed, Cancelled, Pending, Assigned} }

func (s State) String() string {
	if s < 0 || int(s) >= len(stateNames) {
		return fmt.Sprintf("State(%d)", int(s))
	}
	return stateNames[s]
}

// ParseState reads a state's name, in any case, or its number.
func ParseState(text string) (State, error) {
	for i, name := range stateNames {
		if strings.EqualFold(text, name) || text == fmt.Sprint(i) {
			return State(i), nil
		}
	}
	return 0, fmt.Errorf("state %q: want one of %s", text, strings.Join(stateNames[:], ", "))
}

// ErrorKind is the kind of a failure. It is stored with the item and the attempt.
type ErrorKind string

// The kinds of failure.
const (
	KindError     ErrorKind = "error"     // a technical failure; another attempt may succeed
	KindBusiness  ErrorKind = "business"  // the data is wrong; a user must correct it
	KindTimeout   ErrorKind = "timeout"   // the attempt exceeded its timeout
	KindPermanent ErrorKind = "permanent" // no later attempt can succeed
	KindPanic     ErrorKind = "panic"     // a handler panicked
	KindPoison    ErrorKind = "poison"    // released too often by workers that died
	KindCancelled ErrorKind = "cancelled" // cancelled by a user
	KindExpired   ErrorKind = "expired"   // not started before its deadline or within its queue's time to live, or not finished in time
)

// FailureKinds lists all kinds of failure.
func FailureKinds() []ErrorKind {
	return []ErrorKind{KindError, KindBusiness, KindTimeout, KindPermanent, KindPanic, KindPoison, KindCancelled, KindExpired}
}
