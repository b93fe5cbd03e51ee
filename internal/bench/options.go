package bench

import "botwork/internal/database"

// Common is what every scenario has to know.
type Common struct {
	Driver database.Driver
	DSN    string // a server on which a scratch schema or database may be made

	// Sync is the synchronous pragma of SQLite: "full" or "normal"; "" leaves
	// what the program uses, full.
	Sync string

	// In names the place to measure in, for servers on which the login may not create one: a
	// schema of PostgreSQL or a file of SQLite. Yes lets it be emptied though it holds items. ""
	// makes a place and removes it.
	In  string
	Yes bool

	// Command is the command line of a worker process: one that calls [Serve].
	Command []string

	// Repeat is how many rounds are measured, after one that only warms up; 0
	// means 3.
	Repeat int

	// Progress is called now and then, and at the end, with how much more of the scenario's Work
	// has been done; may be nil.
	Progress func(more int)

	// For tests: made is called with each scratch place; spoil is called between the measurement
	// and its verification.
	made  func(dsn string)
	spoil func(dsn string, ran *tally) error
}

// defaultRepeat is how many rounds give a median that one bad round does not
// move.
const defaultRepeat = 3

func (c Common) rounds() int {
	if c.Repeat > 0 {
		return c.Repeat
	}
	return defaultRepeat
}

func (c Common) told(more int) {
	if c.Progress != nil && more > 0 {
		c.Progress(more)
	}
}
