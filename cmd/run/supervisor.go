package run

import "time"

// Supervisor is what started the worker and wants to know how it gets on: a
// service manager. Its methods may be called from several goroutines at once.
type Supervisor interface {
	// Ready says that the settings are good, that a system pipeline can be used, and
	// that the worker goes to work; the database has not been touched. When asked to stop it needs no longer than
	// stopIn, and every heartbeat it calls Beat.
	Ready(stopIn, heartbeat time.Duration)

	// Status says in a few words what the worker does now.
	Status(text string)

	// Beat says that the loop of heartbeats has come round, whether the beat could
	// be written or not.
	Beat()
}

// Unsupervised is the supervisor of a worker that a person started.
type Unsupervised struct{}

var _ Supervisor = Unsupervised{}

func (Unsupervised) Ready(_, _ time.Duration) {}
func (Unsupervised) Status(string)            {}
func (Unsupervised) Beat()                    {}
