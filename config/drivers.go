package config

import "botwork/internal/database"

// inferDrivers sets the drivers that the settings leave to the DSN, as far as the DSN is known.
// A connection whose DSN may be anything has no driver: only the database has a default.
func (c *Config) inferDrivers() {
	if dsn := c.Database.DSN; !c.isSet("database.driver") && dsn.Reveal() != "" {
		c.Database.Driver, _ = database.DriverOf(dsn.Reveal())
	}
	for name, connection := range c.Connections {
		if connection.Driver != "" || c.broken["connections."+name+".driver"] || connection.DSN.Reveal() == "" {
			continue
		}
		if driver, certain := database.DriverOf(connection.DSN.Reveal()); certain || driver != database.SQLite {
			connection.Driver = driver
			c.Connections[name] = connection
		}
	}
}

// isSet reports whether the file, a variable or a flag sets the setting at path, perhaps wrongly.
func (c *Config) isSet(path string) bool {
	if _, named := c.from[path]; named || c.broken[path] {
		return true
	}
	n := nearest(c.node, path)
	return n != nil && n.Path == path
}
