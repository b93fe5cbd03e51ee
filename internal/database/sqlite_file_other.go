//go:build !unix

package database

// fileNumber is not known: on Windows a file that SQLite holds open cannot be replaced.
func fileNumber(string) string { return "" }

// FolderRisk and FileRisk know modes and owners, not access control lists.
func FolderRisk(string, int) string { return "" }

// FileRisk knows modes, not access control lists.
func FileRisk(string) string { return "" }
