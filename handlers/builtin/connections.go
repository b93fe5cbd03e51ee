package builtin

import (
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"
	"botwork/internal/database"
)

// Connection defines a database that pipelines use by name. Driver is sqlite, sqlserver or
// postgres.
type Connection struct {
	Driver string
	DSN    string
}

// Connections are the databases that SQL steps may use. Each is opened at its first use and
// stays open until Close; all methods may run at the same time. A nil *Connections has no
// databases.
type Connections struct {
	known map[string]Connection // immutable

	mu     sync.Mutex
	pools  map[string]*sql.DB // guarded by mu
	closed bool               // guarded by mu
}

// NewConnections returns the connections by name. It opens no connection; an unknown driver is
// an error.
func NewConnections(known map[string]Connection) (*Connections, error) {
	var wrong []error
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if _, err := database.ParseDriver(known[name].Driver); err != nil {
			wrong = append(wrong, fmt.Errorf("connection %q: %w", name, err))
		}
	}
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	return &Connections{known: maps.Clone(known), pools: map[string]*sql.DB{}}, nil
}

// check returns an error if the name is unknown, without connecting.
func (c *Connections) check(name string) error {
	if c == nil || len(c.known) == 0 {
		return fmt.Errorf("unknown connection %q: none are configured; name some under connections in the configuration", name)
	}
	if _, ok := c.known[name]; ok {
		return nil
	}
	names := slices.Sorted(maps.Keys(c.known))
	hint := strictyaml.Suggest(name, names)
	if hint == "" {
		hint = "the configuration names " + strings.Join(names, ", ")
	}
	return fmt.Errorf("unknown connection %q; %s", name, hint)
}

// open returns the pool and the engine of a connection.
func (c *Connections) open(name string) (*sql.DB, database.Driver, error) {
	if err := c.check(name); err != nil {
		return nil, "", handlers.Permanent(err)
	}
	driver := database.Driver(c.known[name].Driver)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, "", fmt.Errorf("connection %q: the connections are closed", name)
	}
	if db, ok := c.pools[name]; ok {
		return db, driver, nil
	}
	db, err := database.Open(driver, c.known[name].DSN)
	if err != nil {
		// The DSN is invalid, so no later attempt can succeed.
		return nil, "", handlers.Permanent(fmt.Errorf("connection %q: %w", name, err))
	}
	c.pools[name] = db
	return db, driver, nil
}

// explain adds the connection's name to err and removes its password.
func (c *Connections) explain(name string, err error) error {
	return fmt.Errorf("connection %q: %w", name, database.Redact(err, c.known[name].DSN))
}

// Close closes all pools. Steps that run then fail; it may be called twice.
func (c *Connections) Close() error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	var errs []error
	for name, db := range c.pools {
		if err := db.Close(); err != nil {
			errs = append(errs, fmt.Errorf("close connection %q: %w", name, err))
		}
	}
	clear(c.pools)
	return errors.Join(errs...)
}
