package workqueue

import (
	"fmt"
	"time"
)

// StalledSession is the connection of a process that has stopped in the middle of a
// transaction, for example because its machine was suspended. The locks that it holds
// block other workers from its items, or from any assignment.
type StalledSession struct {
	ID            int64 // the server's session number
	Host          string
	PID           int64 // of the process; 0 if the client did not report it
	Program       string
	Login         string
	HasAssignment bool          // it holds the assignment lock
	Unchanged     time.Duration // how long it has done nothing

	// Ended reports that the session was ended. If not, Err is the reason: most often
	// the login lacks the permission.
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
