package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"sync/atomic"
	"time"
)

const (
	// lockWait is how long SQLite itself waits for the write lock in each try. Its internal
	// waits grow up to 100 ms: while several processes write continuously, a waiting process
	// would miss most of the moments when the lock is free.
	lockWait = 20 * time.Millisecond

	// lockPause is the pause between two tries, because SQLite may refuse without waiting.
	lockPause = time.Millisecond

	// If the lock took longer than lockSeen, other processes are assumed to write for
	// contendedFor. While no other process writes, the two statements that set SQLite's timeout
	// are left out.
	lockSeen     = 2 * time.Millisecond
	contendedFor = time.Second
)

// writerLock is SQLite's only write lock.
type writerLock struct {
	timeout   time.Duration // SQLite's busy timeout according to the DSN; set once
	contended atomic.Int64  // when a caller last waited for it, in Unix nanoseconds
}

// begin begins a transaction that holds the lock from its beginning. The caller calls end after
// it.
func (l *writerLock) begin(ctx context.Context, db *sql.DB) (tx *sql.Tx, end func(), err error) {
	if l.timeout <= lockWait { // the DSN sets a short timeout
		tx, err = db.BeginTx(ctx, nil)
		return tx, func() {}, err
	}
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	end = func() { _ = conn.Close() } // return it to the pool
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

// readTimeout reads the busy timeout that the DSN has set.
func (l *writerLock) readTimeout(ctx context.Context, db *sql.DB) error {
	var milliseconds int64
	err := db.QueryRowContext(ctx, "PRAGMA busy_timeout").Scan(&milliseconds)
	l.timeout = time.Duration(milliseconds) * time.Millisecond
	return err
}
