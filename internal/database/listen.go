package database

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// noticeChannel is the PostgreSQL channel for notifications between processes: one for
// each schema. The hash keeps the name short.
const noticeChannel = "'botwork_' || md5(current_schema())"

// leaveListening limits the time to close a listening session.
const leaveListening = time.Second

// Listener is a separate session that receives notifications. It is used by one
// goroutine.
type Listener struct {
	conn *pgx.Conn
	dsn  string
}

// ListenPostgres connects and starts to listen.
func ListenPostgres(ctx context.Context, dsn string) (*Listener, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, Redact(err, dsn)
	}
	// The listener must not use prepared statements, because another server's connection
	// does not have them.
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	config.DialFunc = newDialer().DialContext
	newHosts(config, nil).order(ctx, config)
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("connect to listen: %w", Redact(err, dsn))
	}
	l := &Listener{conn: conn, dsn: dsn}
	var channel string
	if err = conn.QueryRow(ctx, "SELECT "+noticeChannel).Scan(&channel); err == nil {
		_, err = conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize())
	}
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("listen: %w", Redact(err, dsn))
	}
	return l, nil
}

// Next waits for the next notification. After atMost it checks whether the session is
// alive and returns "".
func (l *Listener) Next(ctx context.Context, atMost time.Duration) (string, error) {
	bounded, cancel := context.WithTimeout(ctx, atMost)
	n, err := l.conn.WaitForNotification(bounded)
	cancel()
	if err != nil && ctx.Err() == nil && pgconn.Timeout(err) && !l.conn.IsClosed() {
		// A server that became unreachable sends nothing either.
		bounded, cancel = context.WithTimeout(ctx, max(atMost, leaveListening))
		err = l.conn.Ping(bounded)
		cancel()
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("listen: %w", Redact(err, l.dsn))
	case n == nil:
		return "", nil
	default:
		return n.Payload, nil
	}
}

// Close ends the session.
func (l *Listener) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), leaveListening)
	defer cancel()
	_ = l.conn.Close(ctx) // if this fails, the server detects it
}
