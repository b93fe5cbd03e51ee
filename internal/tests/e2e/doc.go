// Package e2e contains tests of the program as users run it: the built binary,
// its signals and exit codes, its output, and the database afterwards, with
// processes that are killed, connections that are cut and disks that are full. It
// contains only tests.
package e2e
