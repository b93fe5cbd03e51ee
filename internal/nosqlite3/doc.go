// Package sqlite3 replaces the cgo driver of SQLite, which gorm's dialect imports so that
// it registers itself. Botwork passes the dialect a connection of the pure Go driver and
// never uses the cgo driver. Without this replacement, every build with the race detector
// would compile SQLite's C code, which takes a minute.
package sqlite3
