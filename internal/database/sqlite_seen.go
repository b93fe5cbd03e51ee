package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Seen is what the marker of a SQLite database records of it. A database that lacks some of it
// has lost transactions.
type Seen struct {
	Epoch, Item int64  // the highest epoch, and the highest id of an item; 0: none
	Lost        string // why the database lacks transactions; "": unknown
}

// LostLogError reports that the write-ahead log of a SQLite database was deleted or replaced
// while processes that still run have it open.
type LostLogError struct{ Path string }

func (e *LostLogError) Error() string {
	return fmt.Sprintf("the write-ahead log %s was deleted or replaced while other processes have the database open: "+
		"stop all of them, then start them again", e.Path)
}

// Between two looks at a write-ahead log that seems lost: a process that closes the database
// deletes it a moment before it records that, and one that has just started records it a moment
// after it opened it.
const (
	lookPause  = 20 * time.Millisecond
	looksFirst = 5
	looksMost  = 50
)

// Seen returns what was recorded of the database before it is opened. A database that is missing
// or empty is a new one, and what was recorded of an earlier one is dropped. The error is a
// *LostLogError if a process still writes to a log that no longer exists.
func (w *FileWatch) Seen(ctx context.Context, dsn string) (Seen, error) {
	if w == nil || readOnly(dsn) {
		return Seen{}, nil
	}
	if w.opened.Size() == 0 {
		return Seen{}, w.drop()
	}
	m, _ := readMarker(w.path) // without a marker nothing is known
	seen := Seen{Epoch: m.epoch, Item: m.item}
	for look := 1; w.logMissing(); look++ {
		if look > looksFirst {
			epoch, err := w.epochAlone(ctx, dsn)
			if err == nil {
				w.setSuspect()
				seen.Epoch = max(epoch, m.epoch)
				seen.Lost = "the write-ahead log " + w.log.path + " is not the one that was last in use: it was deleted or replaced, or another program has removed it"
				return seen, nil
			}
			if !isBusy(err) {
				return Seen{}, err
			}
			if look > looksMost {
				return Seen{}, &LostLogError{w.log.path}
			}
		}
		select {
		case <-ctx.Done():
			return Seen{}, ctx.Err()
		case <-time.After(lookPause):
		}
	}
	return seen, nil
}

// drop removes what the marker has recorded.
func (w *FileWatch) drop() error {
	if m, err := readMarker(w.path); err != nil || m == (marker{exists: true, file: m.file}) {
		return nil // there is nothing
	}
	return changeMarker(w.path, func(m *marker) { *m = marker{exists: m.exists, file: m.file} })
}

// LogMissing reports whether the write-ahead log that was last in use was deleted or replaced.
// Call it before the database is opened.
func (w *FileWatch) LogMissing() bool {
	if w == nil {
		return false
	}
	for range looksFirst {
		if !w.logMissing() {
			return false
		}
		time.Sleep(lookPause)
	}
	w.setSuspect()
	return true
}

func (w *FileWatch) setSuspect() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.suspect = true
}

// logMissing reports whether the log that the marker records is not at its path, or the index is
// there without a log.
func (w *FileWatch) logMissing() bool {
	number := fileNumber(w.path)
	if number == "" {
		return false
	}
	_, err := os.Stat(w.shm.path) // before the log: SQLite deletes the log last
	index := err == nil
	log := fileNumber(w.log.path)
	m, err := readMarker(w.path)
	if err == nil && m.file == number && m.log != "" {
		return m.log != log
	}
	return index && log == ""
}

// epochAlone returns the epoch of the database if no process has it open. Otherwise isBusy
// reports true for the error.
func (w *FileWatch) epochAlone(ctx context.Context, dsn string) (epoch int64, err error) {
	path, _, _ := strings.Cut(withSettings(dsn), "?")
	db, err := sql.Open("sqlite", path+"?mode=rw&_pragma=locking_mode(EXCLUSIVE)")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1) // another would wait for the first
	tables := 0
	err = db.QueryRowContext(ctx, `SELECT COUNT(*) FROM sqlite_master WHERE name = 'BotInstallation'`).Scan(&tables)
	if err == nil && tables > 0 {
		err = db.QueryRowContext(ctx, `SELECT MAX(Epoch) FROM BotInstallation`).Scan(&epoch)
	}
	return epoch, err
}

func isBusy(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && e.Code()&0xff == sqlite3.SQLITE_BUSY
}

// Record records the epoch and the highest id of an item that this process has seen, and the
// write-ahead log that it has open. It returns the error of Check: of a lost file nothing is
// recorded.
func (w *FileWatch) Record(epoch, item int64) error {
	if err := w.Check(); err != nil || w == nil {
		return err
	}
	log := ""
	w.mu.Lock()
	if w.log.opened != nil {
		log = numberOf(w.log.opened)
	}
	w.suspect = false
	w.mu.Unlock()
	return changeMarker(w.path, func(m *marker) {
		m.use(w.path)
		if log != "" {
			m.log = log
		}
		m.epoch, m.item = max(m.epoch, epoch), max(m.item, item)
	})
}

// RecordLoss records that this process has written to a write-ahead log that was deleted.
func (w *FileWatch) RecordLoss(epoch, item int64) error {
	if now, err := os.Stat(w.path); err != nil || !os.SameFile(now, w.opened) {
		return nil // the marker is that of another file
	}
	return changeMarker(w.path, func(m *marker) {
		m.use(w.path)
		m.log = lostLog
		m.epoch, m.item = max(m.epoch, epoch), max(m.item, item)
	})
}

// Closed records that SQLite has deleted the write-ahead log, if it has. Call it when all
// connections of this process are closed.
func (w *FileWatch) Closed() error {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	suspect := w.suspect
	w.mu.Unlock()
	if suspect {
		return nil // the next process has to know
	}
	gone := func(m marker) bool {
		return m.log != "" && m.log != lostLog && m.log != fileNumber(w.log.path)
	}
	if m, err := readMarker(w.path); err != nil || !gone(m) {
		return nil
	}
	return changeMarker(w.path, func(m *marker) {
		if gone(*m) {
			m.log = ""
		}
	})
}
