package workqueue

import (
	"fmt"
	"strings"
)

// MaxPayloadSearch is how many items one call looks at when its filter selects by payload.
const MaxPayloadSearch = 100_000

// IncompleteError is returned by Items and CountItems, together with what they found, when a
// search by payload, or one that is bounded by LookAt, did not look at all items that the rest of the filter selects.
type IncompleteError struct {
	Looked int // items whose payloads were read; without a payload, how many ids were looked at

	// Below is the id of the last item that the search looked at before it reached
	// its bound: to continue, set it as ItemFilter.BeforeID. 0: it did not reach it.
	Below int64

	// Unreadable counts the items that were looked at and whose payload this process cannot
	// read: it is encrypted with a key that is missing, or is not JSON. They do not match.
	Unreadable int
}

func (e *IncompleteError) Error() string {
	var parts []string
	if e.Below > 0 {
		parts = append(parts, fmt.Sprintf("looked at %d items down to id %d and stopped there", e.Looked, e.Below))
	}
	if e.Unreadable > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d payloads could not be read", e.Unreadable, e.Looked))
	}
	return "search: " + strings.Join(parts, "; ")
}
