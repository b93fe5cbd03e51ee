// Package syncdir writes the names in a folder to the disk, so that a rename survives a power
// failure.
package syncdir
