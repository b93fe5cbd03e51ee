package config

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
