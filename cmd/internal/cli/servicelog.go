package cli

import (
	"runtime"

	"botwork/config"
)

// ServiceLog returns the log file of a service whose settings name none; "" if there is none:
// Windows services have no other place for a log, while systemd collects standard error.
func ServiceLog(configFile, name string) string {
	if runtime.GOOS != "windows" || configFile == "" {
		return ""
	}
	return config.ServiceLog(configFile, name)
}
