package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
	"time"
)

const (
	// lockWait is how long SQLite waits by itself for the lock of its writer before it is
	// asked again. It sleeps ever longer between two looks, up to 100 ms: while several
	// processes write all the time, one that waits would miss most of the moments when the
	// lock is free.
	lockWait = 20 * time.Millisecond

	// lockPause is the pause between two such tries: SQLite may refuse without waiting.
	lockPause = time.Millisecond

	// A lock that took lockSeen to get has others who want it, for contendedFor at least.
	// While no other process writes, the two statements that set how long SQLite waits
	// are left out.
	lockSeen     = 2 * time.Millisecond
	contendedFor = time.Second
)

// writerLock is SQLite's only lock for writers.
type writerLock struct {
	timeout   time.Duration // how long SQLite waits for it by the DSN; set once
	contended atomic.Int64  // when it was last waited for, in nanoseconds of Unix
}

// begin begins a transaction that has the lock from its beginning; end is to be called
// after it.
func (l *writerLock) begin(ctx context.Context, db *sql.DB) (tx *sql.Tx, end func(), err error) {
	if l.timeout <= lockWait { // the DSN waits for little
		tx, err = db.BeginTx(ctx, nil)
		return tx, func() {}, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	end = func() { _ = conn.Close() } // back to the pool
	since := time.Now()
	if since.UnixNano()-l.contended.Load() > int64(contendedFor) {
		tx, err = conn.BeginTx(ctx, nil)
	} else {
		tx, err = l.beginInSteps(ctx, conn)
	}
	if now := time.Now(); now.Sub(since) > lockSeen {
		l.contended.Store(now.UnixNano())
	}
	if err != nil {
		end()
	}
	return tx, end, err
}

func (l *writerLock) beginInSteps(ctx context.Context, conn *sql.Conn) (*sql.Tx, error) {
	if err := setLockTimeout(ctx, conn, lockWait); err != nil {
		return nil, err
	}
	defer func() { _ = setLockTimeout(context.WithoutCancel(ctx), conn, l.timeout) }()
	for until := time.Now().Add(l.timeout); ; {
		tx, err := conn.BeginTx(ctx, nil)
		if err == nil || classify(err) != transientError || time.Now().After(until) {
			return tx, err
		}
		time.Sleep(lockPause)
	}
}

func setLockTimeout(ctx context.Context, conn *sql.Conn, timeout time.Duration) error {
	_, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", timeout.Milliseconds()))
	return err
}

// readTimeout reads how long SQLite waits for a lock by the DSN.
func (l *writerLock) readTimeout(ctx context.Context, db *sql.DB) error {
	var milliseconds int64
	err := db.QueryRowContext(ctx, "PRAGMA busy_timeout").Scan(&milliseconds)
	l.timeout = time.Duration(milliseconds) * time.Millisecond
	return err
}
