package handlers

import (
	"botwork/internal/hostrules"
	"botwork/internal/programs"
)

// Resources are what the built-in kinds need of the program that runs them.
type Resources struct {
	// Connections are the databases of SQL steps; nil means none.
	Connections *Connections

	// Folders are the absolute paths in which steps may read and write files;
	// relative paths start at the first. Empty means that no file may be
	// touched.
	Folders []string

	// Hosts says which hosts HTTP steps may reach; nil denies the reserved networks
	// only.
	Hosts *hostrules.Rules

	// SecretEnv are the names of the environment variables that settings read as
	// secrets. Programs of Exec do not inherit them.
	SecretEnv []string

	// Programs knows the programs of Exec steps; nil is an account of its own, which
	// has no watcher.
	Programs *programs.Account
}

// Builtin returns a registry of all built-in kinds but those of
// handlers/queue.
func Builtin(res Resources) *Registry {
	r := NewRegistry()
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
