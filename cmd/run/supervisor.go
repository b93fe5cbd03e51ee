package run

import "time"

// Supervisor is the service manager that started the worker and receives its status. Its
// methods may be called from several goroutines at once.
type Supervisor interface {
	// Ready reports that the settings are valid, that a system pipeline can be used, and that the
	// worker starts; the database is not open yet. The worker stops within stopIn after a request,
	// and calls Beat at every heartbeat.
	Ready(stopIn, heartbeat time.Duration)

	// Status reports in a few words what the worker is doing.
	Status(text string)

	// Beat reports that the heartbeat loop is alive, whether or not the heartbeat could be written.
	Beat()
}

// Unsupervised is the supervisor of a worker that a person started.
type Unsupervised struct{}

var _ Supervisor = Unsupervised{}

func (Unsupervised) Ready(_, _ time.Duration) {}
func (Unsupervised) Status(string)            {}
func (Unsupervised) Beat()                    {}
