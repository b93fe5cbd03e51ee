package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
)

// account is the account that a check is about. The zero account is that of this process.
type account struct {
	name string // as the system shows it; "" for the account of this process
	id   string // uid or SID
}

// errUnknown is the error if permissions alone are not enough to decide.
var errUnknown = errors.New("cannot determine")

// Service is the installed service, as the service manager reports it.
type Service struct {
	Installed bool
	Account   string // as the manager writes it; "" is root
	Config    string // the settings file that it was installed with

	Environment string // the environment of the settings that it was installed with
	Failed      bool   // it ended without a stop request
	ExitCode    int    // if it has failed
}

// accounts reports the accounts of this process and, if a service is installed, of the service.
// If they differ, the checks of folders and files are about the service's account.
func (d *Doctor) accounts(ctx context.Context) []Result {
	me, err := user.Current()
	if err != nil {
		return warning("cannot determine the current account: "+err.Error(), "run this command as the service's account")
	}
	here := fmt.Sprintf("this runs as %s", me.Username)
	s, err := d.o.Service(ctx)
	switch {
	case err != nil:
		return warning(here+fmt.Sprintf("; cannot determine whether the service %q is installed: %v", d.o.ServiceName, err),
			"folders and files are checked for the account that runs this")
	case !s.Installed:
		return ok(here + fmt.Sprintf("; no service %q is installed", d.o.ServiceName))
	case s.Account == "":
		s.Account = "root"
	}
	found := here + fmt.Sprintf(", the service %q as %s", d.o.ServiceName, s.Account)
	account, err := lookUp(s.Account)
	if err != nil {
		return warning(found+", an account that this machine does not know: "+err.Error(),
			"correct the service's account; folders and files are checked for the account that runs this")
	}
	if account.id != me.Uid {
		d.account = account
		found += "; folders and files are checked for the service's account, by their permissions only"
	}
	switch {
	case s.Config != "" && d.o.File != "" && sameFile(s.Config, d.o.File) && s.Environment != d.o.Environment:
		return warning(found+fmt.Sprintf("; the service uses the environment %q, and this examination %q", s.Environment, d.o.Environment),
			fmt.Sprintf("examine that of the service with --environment %q", s.Environment))
	case s.Config != "" && d.o.File != "" && !sameFile(s.Config, d.o.File):
		return warning(found+fmt.Sprintf("; the service reads another settings file, %s", s.Config), "check that file with --config "+s.Config+
			", or name the service that reads this one with --service")
	case s.Failed:
		return warning(found+fmt.Sprintf("; the service has failed with exit code %d", s.ExitCode), "`botwork service logs` shows the reason; fix the faults below, then run `botwork service start`")
	}
	return ok(found)
}

func sameFile(one, two string) bool {
	a, err := os.Stat(one)
	if err != nil {
		return one == two
	}
	b, err := os.Stat(two)
	return err == nil && os.SameFile(a, b)
}
