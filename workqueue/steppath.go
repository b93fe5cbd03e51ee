package workqueue

import "strings"

// PathSeparator separates the names in the path of a step: those of the blocks and calls around it, and its own.
const PathSeparator = " / "

// PathIn reports whether a path is that of a step in a block or a call, at any depth.
func PathIn(path, block string) bool { return strings.HasPrefix(path, block+PathSeparator) }

// PathAround returns the path of the block or the call around a step; "" if there is none.
func PathAround(path string) string {
	return path[:max(0, strings.LastIndex(path, PathSeparator))]
}
