package database

import (
	"database/sql"
	"fmt"
	"strings"
)

// OpenToLook prepares a pool for questions alone. The file of a SQLite database
// is neither made nor switched to another journal, and nothing is written into
// it; one that is not there is an error at the first use.
func OpenToLook(driver Driver, dsn string) (*sql.DB, error) {
	if driver != SQLite {
		return Open(driver, dsn)
	}
	db, err := sql.Open("sqlite", lookingDSN(dsn))
	if err != nil {
		return nil, fmt.Errorf("open %s database: %w", driver, Redact(err, dsn))
	}
	return db, nil
}

// lookingDSN is the DSN without the parameters that may change the file. The mode
// is rw, since readers of a write-ahead log have to write into the index beside
// it.
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
