// Package procid gives a running process an identity that outlives it, so that another
// process can find out later whether that one has ended.
//
// A process id alone is not unique: it is reused, each container has its own process 1,
// and two machines can have the same name. An identity therefore contains a scope, the
// process id, and the start time of the process. The scope identifies the boot of the
// kernel and the namespace of the process ids. Only the states of processes in the same
// scope can be determined.
package procid

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// State is the state of a process.
type State int

const (
	// Unknown means that the state cannot be determined: the process is of another
	// machine, boot or container, or of a system without identities.
	Unknown State = iota

	// Running means that the process has not ended.
	Running

	// Ended means that the process has certainly ended.
	Ended
)

// identity is what Self returns, as fields.
type identity struct {
	scope string // without a slash
	pid   int
	start string // the start time in the system's format
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

// Self returns the identity of this process, of at most 150 characters; "" if the system
// has no identities.
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

// StateOf returns the state of the process with the identity id. It returns Unknown if
// the necessary information cannot be read.
func StateOf(id string) State {
	then, ok := parse(id)
	if !ok {
		return Unknown
	}
	if scope, err := currentScope(); err != nil || scope != then.scope {
		return Unknown
	}
	return state(then)
}
