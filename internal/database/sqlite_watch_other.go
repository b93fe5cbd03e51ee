//go:build !linux

package database

// openAndDeleted is not known here. Windows does not delete what SQLite holds open.
func openAndDeleted(string) bool { return false }
