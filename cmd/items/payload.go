package items

import (
	"errors"
	"fmt"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

// searched separates the error of a search that left items out, after which its result is still
// printed, from other errors.
func searched(err error) (*workqueue.IncompleteError, error) {
	if incomplete, ok := errors.AsType[*workqueue.IncompleteError](err); ok {
		return incomplete, nil
	}
	return nil, err
}

// reportIncomplete prints how many payloads could not be read, and returns an error if the search
// stopped early: its result may lack items.
func (a *command) reportIncomplete(e *workqueue.IncompleteError) error {
	if e == nil {
		return nil
	}
	a.noteUnreadable(e.Unreadable)
	if e.Below == 0 {
		return nil
	}
	return fmt.Errorf("looked at %s items down to id %d; narrow the filter, or continue with --before %[2]d", thousands(e.Looked), e.Below)
}

// noteUnreadable prints how many items a search by payload passed over because it could not read them.
func (a *command) noteUnreadable(n int) {
	if n > 0 {
		fmt.Fprintf(a.Stderr, "%s passed over: the payload cannot be read, because it is encrypted with a key that this process lacks, or is not JSON\n", cli.ItemCount(n))
	}
}

// thousands formats a number with separators: 100,000.
func thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
