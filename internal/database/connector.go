package database

import (
	"context"
	"database/sql/driver"
	"sync"
	"time"
)

// connector limits how long a connection to SQL Server may take. The driver's own limits
// cover only the TCP connection: a frozen server still accepts that, and then sends
// nothing.
type connector struct {
	driver.Connector
	within time.Duration
	greet  Greeting // nil: no greeting
	azure  bool     // the server belongs to Azure SQL
}

// dialed is the context key for the connections that were dialed with the context.
type dialed struct{}

type dialedConns struct {
	ctx    context.Context // the context of the caller
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

// add registers a connection that is closed if it is not ready in time, or if the caller
// no longer waits for it.
func (d *dialedConns) add(w *watchedConn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.stops = append(d.stops, time.AfterFunc(d.within, w.abandon).Stop, context.AfterFunc(d.ctx, w.abandon))
}
