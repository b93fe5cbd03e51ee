package workqueue

import (
	"fmt"
	"time"
)

// StalledSession is the connection of a process that has stopped in the middle of a
// transaction, such as one whose machine was suspended. The locks that it holds keep
// other workers from their items, or from the assignment of any.
type StalledSession struct {
	ID            int64 // the server's number of the session
	Host          string
	PID           int64 // of the process; 0 if the client did not tell
	Program       string
	Login         string
	HasAssignment bool          // it holds the assignment lock
	Unchanged     time.Duration // for how long it was seen to do nothing

	// Ended reports that the session was ended. If not, Err says why: most often the login
	// lacks the right to.
	Ended bool
	Err   error
}

// String describes the session without its end.
func (s StalledSession) String() string {
	what := "locks on items"
	if s.HasAssignment {
		what = "the assignment lock"
	}
	return fmt.Sprintf("session %d of %s, process %d on host %q, login %s, holds %s and has done nothing for %s",
		s.ID, s.Program, s.PID, s.Host, s.Login, what, s.Unchanged.Round(time.Second))
}
