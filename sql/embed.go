// Package sql holds the SQL of the three engines: one folder for each, with
// the same file names, so that a diff of two folders shows what the engine
// forces.
//
//	<engine>/migrations  goose migrations, applied in order, never edited once published
//	<engine>/queries     the statements of the hot path, one in a file, named parameters
//	<engine>/fragments   text that several statements share: see Read
//	<engine>/checks      what `botwork check` reads, one statement in a file, named parameters
//	<engine>/doctor      what `botwork doctor` asks, one statement in a file, no parameters
//	<engine>/operators   questions that a database administrator asks, to be run by hand
package sql

import "embed"

// Files holds the folders of all three engines.
//
//go:embed sqlite sqlserver postgres
var Files embed.FS
