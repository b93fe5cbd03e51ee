package config

import (
	"path/filepath"
	"time"
)

// ServiceName is what the service is called of which one needs no name.
const ServiceName = "botwork"

// ForService makes the settings those of a service: several of one machine that
// read the same file must not get into each other's way. The worker's name, where
// it is the host's for want of another, gets the service's behind it, but for that
// of [ServiceName].
func (c *Config) ForService(name string) {
	if c.hostNamed && name != ServiceName {
		c.Worker.Name += "-" + name
	}
}

// StopIn is how long a worker takes to stop at most: its running items get the grace,
// and pipelines that hang after it a lease more.
func (w *Worker) StopIn() time.Duration { return w.ShutdownGrace + w.Lease }

// ServiceLog is where a service logs that has nowhere else to: beside its settings.
func ServiceLog(configFile, name string) string {
	return filepath.Join(filepath.Dir(configFile), "logs", name+".log")
}
