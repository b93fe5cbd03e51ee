package config

import (
	"path/filepath"
	"time"
)

// ServiceName is the default name of the service.
const ServiceName = "botwork"

// ForService adapts the settings to a service, so that several services of a machine with the
// same file do not conflict. If the worker has the host's name by default, the service's name
// is appended, except for [ServiceName].
func (c *Config) ForService(name string) {
	if c.hostNamed && name != ServiceName {
		c.Worker.Name += "-" + name
	}
}

// StopIn is the maximum time that a worker takes to stop: the grace for running items, and one
// more lease for pipelines that hang.
func (w *Worker) StopIn() time.Duration { return w.ShutdownGrace + w.Lease }

// ServiceLog returns the default log file of a service: in the folder of its settings.
func ServiceLog(configFile, name string) string {
	return filepath.Join(filepath.Dir(configFile), "logs", name+".log")
}
