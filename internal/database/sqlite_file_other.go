//go:build !unix

package database

// fileNumber returns "": on Windows a file that SQLite has open cannot be replaced.
func fileNumber(string) string { return "" }

// FolderRisk returns "": it only supports modes and owners, not access control lists.
func FolderRisk(string, int) string { return "" }

// FileRisk returns "": it only supports modes, not access control lists.
func FileRisk(string) string { return "" }
