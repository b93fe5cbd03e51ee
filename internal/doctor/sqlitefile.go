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

// sqliteFile checks the database file: its file system, whether the file and its folder can be
// written, and its journal mode.
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
		return fault(folder+" is on "+share, "SQLite can lose data on a file server, because of its locks: move the file to a disk of this machine, or use PostgreSQL or SQL Server")
	} else if share != "" {
		return warning(folder+" is on "+share+", which may be another machine's disk", "make sure that it is a disk of this machine: SQLite can lose data on a file server")
	}
	// SQLite creates and removes the journal next to the file, so the folder must be writable.
	if err := d.writable(folder); errors.Is(err, errUnknown) {
		return []Result{unknownResult(err)}
	} else if err != nil {
		return fault(err.Error(), "allow "+d.whom()+" to create files in the folder: SQLite keeps its journal next to the database")
	}
	for _, file := range []string{path, path + "-wal", path + "-shm"} {
		if err := d.fileWritable(file); errors.Is(err, errUnknown) {
			return []Result{unknownResult(err)}
		} else if err != nil {
			return fault(err.Error(), "allow "+d.whom()+" to write the file; a tool that an administrator ran may have created it")
		}
	}
	return d.journal(ctx, path)
}

// fileWritable returns nil for a file that can be written or does not exist.
func (d *Doctor) fileWritable(path string) error {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if d.account.name != "" {
		return d.account.mayUse(path, toWrite)
	}
	return mayWriteFile(path)
}

// journal reports the journal mode of the file. It uses its own connection, because the check
// "database" may still be waiting.
func (d *Doctor) journal(ctx context.Context, path string) []Result {
	if strings.Contains(strings.ToLower(d.o.DSN), "journal_mode") && !strings.Contains(strings.ToLower(d.o.DSN), "journal_mode(wal)") {
		return warning(path+": database.dsn sets another journal than a write-ahead log", "remove journal_mode from database.dsn: without a write-ahead log, readers and the writer wait for each other")
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return ok(path + " can be created")
	}
	if _, missing := d.file(); missing {
		return skipped("its write-ahead log is missing: opening it would create another")
	}
	db, err := database.OpenReadOnly(d.o.Driver, d.o.DSN)
	if err != nil {
		return d.queryFailed(ctx, err)
	}
	defer db.Close()
	var mode string
	if err := db.QueryRowContext(ctx, d.statement("journal")).Scan(&mode); errors.Is(err, sql.ErrNoRows) {
		mode = "none"
	} else if err != nil {
		return d.queryFailed(ctx, err)
	}
	found := path + " can be written"
	if mode != "wal" {
		return ok(fmt.Sprintf("%s; its journal is %q and becomes a write-ahead log at the next start", found, mode))
	}
	return ok(found + ", with a write-ahead log")
}
