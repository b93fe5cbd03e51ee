//go:build !linux

package database

// openAndDeleted is not supported here. Windows does not delete files that SQLite has
// open.
func openAndDeleted(string) bool { return false }
