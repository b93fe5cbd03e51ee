package doctor

import (
	"context"
	"fmt"
	"os/user"
)

// account is who is asked about. The zero account is whoever runs this.
type account struct {
	name string // as the system shows it; "" for whoever runs this
	id   string // uid or SID
}

// accounts tells who runs this and, when a service is installed, who runs that.
// Where they differ, the checks of folders and files are about the service's.
func (d *Doctor) accounts(ctx context.Context) []Result {
	me, err := user.Current()
	if err != nil {
		return warning("who runs this is not known: "+err.Error(), "run it as the service's account")
	}
	here := fmt.Sprintf("this runs as %s", me.Username)
	name, installed, err := serviceAccount(ctx, d.o.Service)
	switch {
	case err != nil:
		return warning(here+fmt.Sprintf("; whether a service %q is installed is not known: %v", d.o.Service, err),
			"folders and files are checked for the account that runs this")
	case !installed:
		return ok(here + fmt.Sprintf("; no service %q is installed", d.o.Service))
	}
	found := here + fmt.Sprintf(", the service %q as %s", d.o.Service, name)
	service, err := lookUp(name)
	switch {
	case err != nil:
		return warning(found+", which this machine does not know: "+err.Error(),
			"correct the service's account; folders and files are checked for the account that runs this")
	case service.id == me.Uid:
		return ok(found)
	}
	d.account = service
	return ok(found + "; folders and files are judged for the service's account as far as their permissions tell")
}
