package doctor

import (
	"os"
	"strings"

	"golang.org/x/sys/windows"
)

// lookUp returns the account with a name as the service manager writes it.
func lookUp(name string) (account, error) {
	asked := name
	switch {
	case strings.EqualFold(name, "LocalSystem"):
		asked = `NT AUTHORITY\SYSTEM`
	case strings.HasPrefix(name, `.\`):
		host, err := os.Hostname()
		if err != nil {
			return account{}, err
		}
		asked = host + name[1:]
	}
	sid, _, _, err := windows.LookupSID("", asked)
	if err != nil {
		return account{}, err
	}
	return account{name: name, id: sid.String()}, nil
}
