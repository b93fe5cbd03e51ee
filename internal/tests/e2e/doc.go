// Package e2e holds tests of the program as people run it: the built binary,
// its signals and exit codes, what it prints, and what is in the database
// afterwards, whatever was killed, cut off or full meanwhile. It has no code of
// its own.
package e2e
