//go:build !linux && !windows

package reload

// remote reports whether the folder is on a file system that other machines can change. It
// is unknown on this operating system, so remote returns true.
func remote(string) bool { return true }
