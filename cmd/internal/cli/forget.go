package cli

import (
	"slices"
	"strings"
)

// readByDrivers are variables that drivers of databases, or the client of HTTP, read
// themselves when they connect. They stay although a setting reads them too.
var readByDrivers = []string{
	"PGPASSWORD", "PGUSER", "PGHOST", "PGPORT", "PGDATABASE",
	"AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_CLIENT_SECRET", "AZURE_CLIENT_CERTIFICATE_PASSWORD",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
}

// ForgetSecrets clears the environment variables that the settings read as secrets or
// DSNs, once they have been read: Environ keeps them for the next time. What the system
// shows of a process's environment, such as /proc/PID/environ, is what it began with.
func (s *Settings) ForgetSecrets() {
	if s.Unset == nil {
		return
	}
	for name := range s.Config.SecretVariables() {
		if !slices.Contains(readByDrivers, strings.ToUpper(name)) {
			_ = s.Unset(name) // it fails for a name that no variable can have
		}
	}
}
