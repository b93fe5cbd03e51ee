package database

import (
	"database/sql"
	"fmt"
	"strings"
)

// OpenReadOnly prepares a pool for reading only. It neither creates the file of a SQLite
// database nor changes its journal mode, and writes nothing into it. If the file does not
// exist, the first use returns an error.
func OpenReadOnly(driver Driver, dsn string) (*sql.DB, error) {
	if driver != SQLite {
		return Open(driver, dsn)
	}
	db, err := sql.Open("sqlite", lookingDSN(dsn))
	if err != nil {
		return nil, fmt.Errorf("open %s database: %w", driver, Redact(err, dsn))
	}
	return db, nil
}

// lookingDSN returns the DSN without the parameters that may change the file. The mode is
// rw, because readers of a write-ahead log write to the index file next to it.
func lookingDSN(dsn string) string {
	path, params, _ := strings.Cut(sqliteDSN(dsn), "?")
	mode, others := "mode=rw", ""
	for param := range strings.SplitSeq(params, "&") {
		switch name, value, _ := strings.Cut(param, "="); {
		case name == "mode" && value != "rwc":
			mode = param
		case name == "immutable", name == "vfs", name == "cache":
			others += "&" + param
		}
	}
	return path + "?" + mode + others + "&_pragma=busy_timeout(5000)&_pragma=query_only(1)"
}
