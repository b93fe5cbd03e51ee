package workqueue

import (
	"fmt"
	"strings"
)

// State is where an item stands in its life. The numbers are stored.
type State int

// The states. Their order is that of the numbers, not of an item's life.
const (
	Ready     State = 0 // waits for assignment: created by a schedule, released, or to be retried
	Blocked   State = 1 // running under a lease
	Processed State = 2 // finished well
	Cancelled State = 3 // finished badly, kept for inspection
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

// ErrorKind tells failures apart. It is stored with the item and the attempt.
type ErrorKind string

// The kinds of failure.
const (
	KindError     ErrorKind = "error"     // the machinery failed; another attempt may succeed
	KindBusiness  ErrorKind = "business"  // the data is wrong; a person has to mend it
	KindTimeout   ErrorKind = "timeout"   // the attempt took longer than it may
	KindPermanent ErrorKind = "permanent" // no later attempt can succeed
	KindPanic     ErrorKind = "panic"     // a handler panicked
	KindPoison    ErrorKind = "poison"    // released too often by workers that died
	KindCancelled ErrorKind = "cancelled" // a person's word
	KindExpired   ErrorKind = "expired"   // it was not started before its deadline, or in its queue's time to live
)
