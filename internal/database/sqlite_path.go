package database

import (
	"net/url"
	"runtime"
	"strings"
)

// SQLitePath returns the file path in a SQLite DSN; "" for a database in memory.
func SQLitePath(dsn string) string {
	rest, isURI := strings.CutPrefix(dsn, "file:")
	if !isURI {
		if strings.HasPrefix(dsn, ":memory:") {
			return ""
		}
		return dsn
	}
	path, params, _ := strings.Cut(rest, "?")
	if path == "" || strings.HasPrefix(path, ":memory:") || strings.Contains(params, "mode=memory") {
		return ""
	}
	return fromURI(path)
}

// fromURI returns the path of a URI without scheme and parameters.
func fromURI(path string) string {
	path = strings.TrimPrefix(path, "//") // an empty host; SQLite accepts no other
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	if runtime.GOOS == "windows" && len(path) > 2 && path[0] == '/' && path[2] == ':' {
		path = path[1:]
	}
	return path
}
