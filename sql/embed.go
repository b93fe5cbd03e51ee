// Package sql contains the SQL of the three engines, in one folder for each engine. The folders
// have the same file names, so a diff of two folders shows what the engine requires.
//
//	<engine>/migrations  goose migrations, applied in order, never edited once published
//	<engine>/queries     the statements of the hot path, one in a file, named parameters
//	<engine>/fragments   text that several statements share: see Read
//	<engine>/checks      what `botwork check` reads, one statement in a file, named parameters
//	<engine>/doctor      what `botwork doctor` reads, one statement in a file, no parameters
//	<engine>/operators   statements that a database administrator runs by hand
package sql

import "embed"

// Files contains what the program reads, of all three engines: all but the operators' statements.
//
//go:embed */checks */doctor */fragments */migrations */queries
var Files embed.FS
