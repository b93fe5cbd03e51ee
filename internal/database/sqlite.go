package database

import "strings"

// sqliteDSN adds the settings that several connections and processes need.
// FULL makes a commit durable when it returns; batches make it cheap.
func sqliteDSN(dsn string) string {
	if !strings.HasPrefix(dsn, "file:") {
		dsn = "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(dsn)
	}
	// Only the parameters count: a folder may be called "synchronous".
	path, params, _ := strings.Cut(dsn, "?")
	for _, setting := range []struct{ marker, param string }{
		{"busy_timeout", "_pragma=busy_timeout(20000)"},
		{"journal_mode", "_pragma=journal_mode(WAL)"},
		{"synchronous", "_pragma=synchronous(FULL)"},
		{"foreign_keys", "_pragma=foreign_keys(1)"},
		{"_txlock", "_txlock=immediate"},
	} {
		if strings.Contains(params, setting.marker) {
			continue
		}
		if params != "" {
			params += "&"
		}
		params += setting.param
	}
	return path + "?" + params
}
