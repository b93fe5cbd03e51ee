package database

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// noticeChannel is the channel of PostgreSQL for notices between processes: one for each schema,
// and short, whatever that is called.
const noticeChannel = "'botwork_' || md5(current_schema())"

// leaveListening bounds the goodbye of a session that listens.
const leaveListening = time.Second

// Listener is a session of its own that hears what others notify. It is used by
// one goroutine.
type Listener struct {
	conn *pgx.Conn
	dsn  string
}

// ListenPostgres connects and listens.
func ListenPostgres(ctx context.Context, dsn string) (*Listener, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, Redact(err, dsn)
	}
	// Statements with names would be lost on another server's connection.
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

// Next waits for what is notified next. After atMost it asks whether the session
// is alive and returns "".
func (l *Listener) Next(ctx context.Context, atMost time.Duration) (string, error) {
	bounded, cancel := context.WithTimeout(ctx, atMost)
	n, err := l.conn.WaitForNotification(bounded)
	cancel()
	if err != nil && ctx.Err() == nil && pgconn.Timeout(err) && !l.conn.IsClosed() {
		// A server that has vanished without a word is silent, too.
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
	_ = l.conn.Close(ctx) // the server notices by itself
}
