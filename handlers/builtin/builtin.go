// Package builtin holds the kinds of handlers that every program has, one file each. Registry lists
// them; the kinds that move the queue are in handlers/queue.
//
// It is apart from the contract in package handlers, so that packages that only run, check or
// describe steps do not depend on the kinds: only a program that creates a registry imports it.
package builtin

import (
	"botwork/handlers"
	"botwork/internal/hostrules"
	"botwork/internal/programs"
)

// Resources are what the built-in kinds need from the program.
type Resources struct {
	// Connections are the databases of SQL steps; nil means none.
	Connections *Connections

	// Folders are the absolute paths in which steps may read and write files; relative paths start
	// at the first. Empty means that steps may not access files.
	Folders []string

	// Hosts defines which hosts HTTP steps may reach; nil denies only the reserved networks.
	Hosts *hostrules.Rules

	// SecretEnv are the names of the environment variables that settings read as
	// secrets. Programs of Exec do not inherit them.
	SecretEnv []string

	// Programs tracks the programs of Exec steps; nil means a new account without a watcher.
	Programs *programs.Account
}

// Registry returns a new registry of all built-in kinds except those of handlers/queue.
func Registry(res Resources) *handlers.Registry {
	r := handlers.NewRegistry()
	r.MustRegister(
		httpKind(res),
		sqlKind(res),
		execKind(res),
		fileKind(res),
		csvKind(res),
		jsonKind(),
		transformKind(),
		templateKind(res),
		mailKind(res),
		logKind(),
		progressKind(),
		delayKind(),
		snoozeKind(),
		breakKind(),
		dropKind(),
		failKind(),
	)
	return r
}
