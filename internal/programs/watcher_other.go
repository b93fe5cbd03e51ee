//go:build !linux

package programs

import (
	"os"

	"github.com/rs/zerolog"
)

// watcher is nothing: only Linux needs one.
type watcher struct{}

func newWatcher() *watcher { return nil }

func (*watcher) begin(*Account, *program, zerolog.Logger) {}
func (*watcher) started(*Account, *program)               {}
func (*watcher) end(*Account, *program)                   {}
func (*watcher) close()                                   {}

// killMarked does nothing: environments of other processes cannot be read.
func killMarked(...*program) {}

// IsWatcher reports whether this process was started to be a watcher.
func IsWatcher([]string) bool { return false }

// Watch does the work of a watcher and returns its exit code.
func Watch(*os.File) int { return 0 }
