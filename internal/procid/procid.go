// Package procid gives a running process an identity that outlives it, so that another
// process can find out later whether that one has ended.
//
// A process id alone identifies nothing: it is used again, each container has its own
// process 1, and two machines can have one name. An identity therefore holds a scope,
// which names the kernel since its boot and the process ids that it shows to the
// process, the process id, and when the process started. Only processes of the same
// scope can be judged; of all others nothing is known.
package procid

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// State is what is known of a process.
type State int

const (
	// Unknown is a process that cannot be judged from here: of another machine,
	// another boot or another container, or of a system that gives no identities.
	Unknown State = iota

	// Running is a process that has not ended.
	Running

	// Ended is a process that has ended for certain and runs no code any more.
	Ended
)

// identity is what Self returns, as fields.
type identity struct {
	scope string // a slash is not part of it
	pid   int
	start string // when the process started, as the system counts
}

func (i identity) String() string { return fmt.Sprintf("%s/%d/%s", i.scope, i.pid, i.start) }

func parse(text string) (identity, bool) {
	fields := strings.Split(text, "/")
	if len(fields) != 3 || fields[0] == "" || fields[2] == "" {
		return identity{}, false
	}
	pid, err := strconv.Atoi(fields[1])
	return identity{fields[0], pid, fields[2]}, err == nil && pid > 0
}

// Self returns the identity of this process, at most 150 characters; "" when the system
// does not give one.
func Self() string {
	scope, err := currentScope()
	if err != nil {
		return ""
	}
	start, err := startOf(os.Getpid())
	if err != nil {
		return ""
	}
	return identity{scope, os.Getpid(), start}.String()
}

// Look returns what is known of the process with the identity id. It is Unknown when
// anything that has to be read cannot be.
func Look(id string) State {
	then, ok := parse(id)
	if !ok {
		return Unknown
	}
	if scope, err := currentScope(); err != nil || scope != then.scope {
		return Unknown
	}
	return look(then)
}
