package bench

import "botwork/internal/database"

// Common has the options that all scenarios share.
type Common struct {
	Driver database.Driver
	DSN    string // of a server that allows to create a scratch schema or database

	// Sync is the synchronous pragma of SQLite: "full" or "normal". "" keeps the
	// program's default, full.
	Sync string

	// In names the schema of PostgreSQL or the file of SQLite to measure in, for servers
	// on which the login may not create one. Yes allows to remove the items in it. If In
	// is "", the measurement creates a scratch schema or database and removes it.
	In  string
	Yes bool

	// Command is the command line of a worker process: one that calls [Serve].
	Command []string

	// Repeat is the number of measured rounds after the warm-up round; 0 means 3.
	Repeat int

	// Progress is called from time to time, and at the end, with the number of further
	// units of Work that are done; it may be nil.
	Progress func(more int)

	// For tests: made is called with the DSN of each scratch database; spoil is called
	// between the measurement and its verification.
	made  func(dsn string)
	spoil func(dsn string, ran *tally) error
}

// defaultRepeat is enough rounds for a median that one bad round does not change.
const defaultRepeat = 3

func (c Common) rounds() int {
	if c.Repeat > 0 {
		return c.Repeat
	}
	return defaultRepeat
}

func (c Common) progress(more int) {
	if c.Progress != nil && more > 0 {
		c.Progress(more)
	}
}
