package cli

import "os/user"

// UserName returns who runs this command, for records; "unknown" if the system does not say.
func UserName() string {
	if who, err := user.Current(); err == nil {
		return who.Username
	}
	return "unknown"
}
