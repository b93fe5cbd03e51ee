package database

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// CreateSQLite creates the file of a SQLite database, empty, unless it is there. Only its
// owner may read and write it: SQLite gives the files beside it the same mode. A DSN that
// opens read-only creates nothing.
func CreateSQLite(dsn string) error {
	path := SQLitePath(dsn)
	if path == "" || readOnly(dsn) {
		return nil
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil // what is wrong with it, if anything, SQLite says
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil // another process was faster
	}
	if err != nil {
		return fmt.Errorf("create the database file: %w", err)
	}
	return f.Close()
}

// ExistingSQLite is the DSN of a SQLite database for connections that never create its
// file: a connection that a pool opens after the file was deleted would else begin an
// empty database in its place.
func ExistingSQLite(dsn string) string {
	if SQLitePath(dsn) == "" || readOnly(dsn) {
		return dsn
	}
	path, params, _ := strings.Cut(withSettings(dsn), "?")
	kept := []string{"mode=rw"}
	for param := range strings.SplitSeq(params, "&") {
		if param != "" && !strings.HasPrefix(param, "mode=") {
			kept = append(kept, param)
		}
	}
	return path + "?" + strings.Join(kept, "&")
}

func readOnly(dsn string) bool {
	_, params, _ := strings.Cut(dsn, "?")
	return strings.HasPrefix(dsn, "file:") && (slices.Contains(strings.Split(params, "&"), "mode=ro") || strings.Contains(params, "immutable=1"))
}
