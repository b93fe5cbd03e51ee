package doctor

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"botwork/internal/database"
)

// sqliteFile looks at the file of the queue: where it lies, who may write it and
// the files beside it, and how it keeps its journal.
func (d *Doctor) sqliteFile(ctx context.Context) []Result {
	path := database.SQLitePath(d.o.DSN)
	if path == "" {
		return ok("the database is in memory")
	}
	folder := filepath.Dir(path)
	if r := missingFile(path); r != nil && r[0].State == Fault {
		return r
	}
	if share, sure := remoteShare(folder); sure {
		return fault(folder+" is on "+share, "SQLite loses data where locks are those of a file server: put the file on a disk of this machine, or use PostgreSQL or SQL Server")
	} else if share != "" {
		return warning(folder+" is on "+share+", which may be another machine's disk", "see to it that it is a disk of this machine: SQLite loses data on a file server's")
	}
	// The journal comes and goes beside the file, so the folder has to be writable.
	if err := d.writable(folder); errors.Is(err, errNotKnown) {
		return []Result{notKnown(err)}
	} else if err != nil {
		return fault(err.Error(), "let "+d.whom()+" make files in the folder: SQLite keeps its journal beside the database")
	}
	for _, file := range []string{path, path + "-wal", path + "-shm"} {
		if err := d.fileWritable(file); errors.Is(err, errNotKnown) {
			return []Result{notKnown(err)}
		} else if err != nil {
			return fault(err.Error(), "let "+d.whom()+" write the file; a tool that an administrator ran may have made it")
		}
	}
	return d.journal(ctx, path)
}

// fileWritable returns nil for a file that can be written or is not there.
func (d *Doctor) fileWritable(path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if d.account.name != "" {
		return d.account.mayUse(path, toWrite)
	}
	return mayWriteFile(path)
}

// journal returns the journal mode of the file. It has a connection of its own: the one of the
// check "database" may be waiting.
func (d *Doctor) journal(ctx context.Context, path string) []Result {
	if strings.Contains(strings.ToLower(d.o.DSN), "journal_mode") && !strings.Contains(strings.ToLower(d.o.DSN), "journal_mode(wal)") {
		return warning(path+": database.dsn asks for another journal than a write-ahead log", "leave journal_mode out of database.dsn: without a write-ahead log, readers and the writer wait for each other")
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return ok(path + " can be made")
	}
	db, err := database.OpenToLook(d.o.Driver, d.o.DSN)
	if err != nil {
		return d.unanswered(ctx, err)
	}
	defer db.Close()
	var mode string
	if err := db.QueryRowContext(ctx, d.statement("journal")).Scan(&mode); errors.Is(err, sql.ErrNoRows) {
		mode = "none"
	} else if err != nil {
		return d.unanswered(ctx, err)
	}
	found := path + " can be written"
	if mode != "wal" {
		return ok(fmt.Sprintf("%s; its journal is %q and becomes a write-ahead log at the next start", found, mode))
	}
	return ok(found + ", with a write-ahead log")
}
