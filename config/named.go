package config

import (
	"strings"

	"botwork/internal/database"
)

// applySecret sets the secret whose name, in capitals and with _ for -, is name. A new one
// gets the name in lower case.
func (c *Config) applySecret(variable, name, value string) {
	if c.Secrets == nil {
		c.Secrets = make(map[string]Text)
	}
	key := sameName(c.Secrets, name)
	c.Secrets[key] = Text{secret: NewSecret(value)}
	c.SetFrom("secrets."+key, variable)
}

// applyConnection sets the driver or the DSN of a connection, found like a secret. It reports
// whether the variable is one of these.
func (c *Config) applyConnection(variable, value string) bool {
	rest, ok := strings.CutPrefix(variable, variableConnections)
	name, isDSN := strings.CutSuffix(rest, "_DSN")
	isDriver := false
	if !isDSN {
		name, isDriver = strings.CutSuffix(rest, "_DRIVER")
	}
	if !ok || name == "" || !isDSN && !isDriver {
		return false
	}
	if c.Connections == nil {
		c.Connections = make(map[string]Connection)
	}
	key := sameName(c.Connections, name)
	connection := c.Connections[key]
	if isDSN {
		connection.DSN = DSN{Text{secret: NewSecret(value)}}
		c.SetFrom("connections."+key+".dsn", variable)
	} else {
		connection.Driver = database.Driver(value)
		c.SetFrom("connections."+key+".driver", variable)
	}
	c.Connections[key] = connection
	return true
}

// sameName returns the key of m that is name in capitals, or name in lower
// case when there is none.
func sameName[V any](m map[string]V, name string) string {
	for key := range m {
		if strings.ToUpper(strings.ReplaceAll(key, "-", "_")) == name {
			return key
		}
	}
	return strings.ToLower(name)
}
