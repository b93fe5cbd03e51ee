//go:build !unix

package database

import "os"

// fileNumber returns "": on Windows a file that SQLite has open cannot be replaced.
func fileNumber(string) string { return "" }

func numberOf(os.FileInfo) string { return "" }

// lockFolder does nothing: at worst one of two records in a marker is overwritten, and written
// again at the next heartbeat.
func lockFolder(string) (unlock func()) { return func() {} }

// isOpen is not supported: Windows does not delete files that SQLite has open.
func isOpen(os.FileInfo) bool { return false }

// FolderRisk returns "": it only supports modes and owners, not access control lists.
func FolderRisk(string, int) string { return "" }

// FileRisk returns "": it only supports modes, not access control lists.
func FileRisk(string) string { return "" }
