package database

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// CreateSQLite creates an empty SQLite database file if it does not exist. Only the owner
// can read and write it; SQLite gives the files next to it the same mode. If the DSN
// opens the database read-only, nothing is created.
func CreateSQLite(dsn string) error {
	path := SQLitePath(dsn)
	if path == "" || readOnly(dsn) {
		return nil
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil // if there is a problem, SQLite reports it
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

// ExistingSQLite returns the DSN of a SQLite database for connections that never create
// the file. Otherwise a connection that a pool opens after the file was deleted would
// create a new, empty database.
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
