package sqlstore_test

import (
	"context"
	"crypto/rand"
	"database/sql"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/faultproxy"
	"botwork/internal/testdb"
	"botwork/workqueue/sqlstore"
	"botwork/workqueue/storetest"
)

// behindProxy is a store with a faulty connection, and access that bypasses the proxy.
type behindProxy struct {
	*testing.T
	proxy *faultproxy.Proxy
	store *sqlstore.Store    // through the proxy
	way   *sqlstore.Store    // bypasses the proxy
	make  *storetest.Factory // likewise
	hand  *sql.DB            // likewise
	dsn   string             // likewise
	named string             // application name of the proxied store's sessions
}

// stalledAfter is when the server ends a session that does nothing inside a transaction,
// instead of ten seconds. All schemas of the database share the assignment lock, so other tests
// wait for it.
const stalledAfter = "500ms"

// eachProxied runs a test on each engine that supports faulty connections.
func eachProxied(t *testing.T, test func(x *behindProxy)) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		if e.Driver != database.Postgres {
			t.Skip("the test reads the sessions of a faulty connection from PostgreSQL's views")
		}
		dsn := e.DSN(t)
		x := &behindProxy{T: t, way: e.Open(t, dsn), hand: e.SQL(t, dsn), dsn: dsn}
		x.make = storetest.NewFactory(t, x.way)
		test(x.connect())
	})
}

// connect opens a store on the same database through a separate proxy.
func (x *behindProxy) connect() *behindProxy {
	x.Helper()
	c := *x
	c.named = "proxied_" + rand.Text()
	proxy, through := faultproxy.New(x.T, x.dsn+"&idle_in_transaction_session_timeout="+stalledAfter+"&application_name="+c.named)
	proxy.Restore()
	store, err := sqlstore.Open(x.Context(), sqlstore.Options{Driver: string(database.Postgres), DSN: through})
	if err != nil {
		x.Fatal(err)
	}
	x.Cleanup(func() {
		proxy.Cut() // end what a half-open connection still waits for
		if err := store.Close(); err != nil {
			x.Errorf("close store: %v", err)
		}
	})
	c.proxy, c.store = proxy, store
	return &c
}

// count runs a query that returns one number, without the proxy.
func (x *behindProxy) count(query string, args ...any) int {
	x.Helper()
	var n int
	if err := x.hand.QueryRowContext(x.Context(), query, args...).Scan(&n); err != nil {
		x.Fatalf("%s: %v", query, err)
	}
	return n
}

// fresh leaves the store with one new connection that has not been used.
func (x *behindProxy) fresh() {
	x.Helper()
	x.proxy.Set(faultproxy.Fault{})
	x.proxy.Drop()
	x.await("the store to connect again", func() bool {
		ctx, cancel := context.WithTimeout(x.Context(), 5*time.Second)
		defer cancel()
		return x.store.Ping(ctx) == nil
	})
}

// await polls until done; the database sends no notices of changes.
func (x *behindProxy) await(what string, done func() bool) {
	x.Helper()
	patience := testdb.Slow(30 * time.Second)
	ticker := time.NewTicker(5 * time.Millisecond)
	defer ticker.Stop()
	for late := time.After(patience); !done(); {
		select {
		case <-ticker.C:
		case <-late:
			x.Fatalf("waited %v for %s", patience, what)
		}
	}
}

// awaitQuiet waits until the server does nothing more for the proxied store: all requests are
// committed or rolled back.
func (x *behindProxy) awaitQuiet() {
	x.Helper()
	x.await("the server to finish the requests of the proxied store", func() bool {
		return x.count(`SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = $1 AND state <> 'idle'`, x.named) == 0
	})
}
