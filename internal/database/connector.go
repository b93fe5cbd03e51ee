package database

import (
	"context"
	"database/sql/driver"
	"sync"
	"time"
)

// connector bounds how long SQL Server takes to make a connection. The driver's own limits
// end with TCP's part: a server that is frozen completes that, and then says nothing.
type connector struct {
	driver.Connector
	within time.Duration
	greet  Greeting // nil: none
	azure  bool     // the server is one of Azure SQL
}

// dialed is the key under which a context has the connections that are dialed with it.
type dialed struct{}

type dialedConns struct {
	ctx    context.Context // the caller's
	within time.Duration

	mu    sync.Mutex
	stops []func() bool
}

// Connect implements driver.Connector.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	d := &dialedConns{ctx: ctx, within: c.within}
	conn, err := c.Connector.Connect(context.WithValue(ctx, dialed{}, d))
	d.mu.Lock()
	for _, stop := range d.stops {
		stop()
	}
	d.mu.Unlock()
	if err == nil && c.greet != nil {
		if err = c.greet(ctx, nil); err != nil {
			_ = conn.Close()
			return nil, err
		}
	}
	return conn, c.loginError(err)
}

// add has a connection closed when it is not ready in time, or when no caller waits for it.
func (d *dialedConns) add(w *watchedConn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stops = append(d.stops, time.AfterFunc(d.within, w.abandon).Stop, context.AfterFunc(d.ctx, w.abandon))
}
