package database

import "strings"

// setting is a parameter of a DSN of SQLite, and how to recognise that the DSN sets it itself.
type setting struct{ marker, param string }

// sqliteDSN adds the settings that several connections and processes need.
// FULL makes a commit durable when it returns; batches make it cheap.
func sqliteDSN(dsn string) string {
	return withSettings(dsn,
		setting{"busy_timeout", "_pragma=busy_timeout(20000)"},
		setting{"journal_mode", "_pragma=journal_mode(WAL)"},
		setting{"synchronous", "_pragma=synchronous(FULL)"},
		setting{"foreign_keys", "_pragma=foreign_keys(1)"},
		setting{"_txlock", "_txlock=immediate"},
	)
}

// JournalsInMemory is the DSN of a SQLite database for connections of which each statement
// changes and sorts no more than memory holds. What a statement changes SQLite keeps aside until
// it has ended, to take it back alone; what is more than 64 KB goes to a temporary file, which is
// created for each statement, and a batch of items is more.
func JournalsInMemory(dsn string) string {
	return withSettings(dsn, setting{"temp_store", "_pragma=temp_store(MEMORY)"})
}

func withSettings(dsn string, settings ...setting) string {
	if !strings.HasPrefix(dsn, "file:") {
		dsn = "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(dsn)
	}
	// Only the parameters count: a folder may be called "synchronous".
	path, params, _ := strings.Cut(dsn, "?")
	for _, s := range settings {
		if strings.Contains(params, s.marker) {
			continue
		}
		if params != "" {
			params += "&"
		}
		params += s.param
	}
	return path + "?" + params
}
