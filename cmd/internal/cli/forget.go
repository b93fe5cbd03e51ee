package cli

import (
	"slices"
	"strings"
)

// readByDrivers are variables that database drivers or the HTTP client read when they connect.
// They are not cleared, even if a setting reads them too.
var readByDrivers = []string{
	"PGPASSWORD", "PGUSER", "PGHOST", "PGPORT", "PGDATABASE",
	"AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_CLIENT_SECRET", "AZURE_CLIENT_CERTIFICATE_PASSWORD",
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
}

// ForgetSecrets clears the environment variables from which the settings read secrets or DSNs.
// Environ keeps them for later reads. The operating system still shows the initial environment
// of the process, for example in /proc/PID/environ.
func (s *Settings) ForgetSecrets() {
	if s.Unset == nil {
		return
	}
	for name := range s.Config.SecretVariables() {
		if !slices.Contains(readByDrivers, strings.ToUpper(name)) {
			_ = s.Unset(name) // fails only for invalid names
		}
	}
}
