package database

import "strings"

// setting is a parameter of a SQLite DSN, and the marker by which to recognise that the
// DSN already sets it.
type setting struct{ marker, param string }

// sqliteDSN adds the settings that are needed for several connections and processes. With
// FULL, a commit is durable when it returns; batches make it cheap.
func sqliteDSN(dsn string) string {
	return withSettings(dsn,
		setting{"busy_timeout", "_pragma=busy_timeout(20000)"},
		setting{"journal_mode", "_pragma=journal_mode(WAL)"},
		setting{"synchronous", "_pragma=synchronous(FULL)"},
		setting{"foreign_keys", "_pragma=foreign_keys(1)"},
		setting{"_txlock", "_txlock=immediate"},
	)
}

// JournalsInMemory returns the DSN of a SQLite database for connections whose statements
// change and sort only as much as memory can hold. SQLite saves the changes of a
// statement until it has ended, so that it can undo that statement alone. Data over 64 KB
// would go to a temporary file, which SQLite creates for each statement; a batch of items
// is larger than that.
func JournalsInMemory(dsn string) string {
	return withSettings(dsn, setting{"temp_store", "_pragma=temp_store(MEMORY)"})
}

func withSettings(dsn string, settings ...setting) string {
	if !strings.HasPrefix(dsn, "file:") {
		dsn = "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(dsn)
	}
	// Only the parameters matter: a folder may be named "synchronous".
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
