package service

import (
	"errors"
	"fmt"

	"golang.org/x/sys/windows"
)

// answers are what the service control manager is known to answer, by number: its
// texts come in the system's language.
var answers = map[windows.Errno]struct {
	err  error
	hint string
}{
	windows.ERROR_ACCESS_DENIED:              {ErrNoRights, "run this in a console that was opened with \"Run as administrator\""},
	windows.ERROR_FILE_NOT_FOUND:             {errors.New("the service's program is not where it was"), "look at `botwork service status`; if an upgrade was cut short, run it again"},
	windows.ERROR_PATH_NOT_FOUND:             {errors.New("the folder of the service's program is not there"), "look at `botwork service status`"},
	windows.ERROR_SERVICE_REQUEST_TIMEOUT:    {errors.New("the program did not answer the service manager in time"), "look into `botwork service logs` and the Event Viewer; virus scanners hold programs up, too"},
	windows.ERROR_SERVICE_DISABLED:           {errors.New("the service is disabled"), "set its start type to automatic or manual in services.msc"},
	windows.ERROR_INVALID_SERVICE_ACCOUNT:    {errors.New("the account does not exist, or its password is wrong"), "write it as DOMAIN\\name, .\\name for one of this machine, or NT SERVICE\\name"},
	windows.ERROR_CIRCULAR_DEPENDENCY:        {errors.New("the services depend on each other in a circle"), "look at --depends-on"},
	windows.ERROR_SERVICE_DOES_NOT_EXIST:     {ErrNotInstalled, "`botwork service install` makes one; `botwork service status --all` lists those of this machine"},
	windows.ERROR_DEPENDENT_SERVICES_RUNNING: {errors.New("services that depend on this one run"), "stop those first"},
	windows.ERROR_SERVICE_DEPENDENCY_FAIL:    {errors.New("a service that this one depends on did not start"), "start that one first"},
	windows.ERROR_SERVICE_LOGON_FAILED:       {errors.New("the service's account cannot log on"), "its password may have changed, or it lacks the right \"Log on as a service\" (secpol.msc, Local Policies, User Rights Assignment)"},
	windows.ERROR_SERVICE_MARKED_FOR_DELETE:  {errors.New("the service is being removed: it goes when nothing holds it open any longer"), "close services.msc, the Event Viewer and the Task Manager, then try again; a restart of the machine helps in any case"},
	windows.ERROR_SERVICE_EXISTS:             {ErrInstalled, "`botwork service uninstall` removes it; several stand side by side with --name"},
	windows.ERROR_DUPLICATE_SERVICE_NAME:     {errors.New("another service has this display name"), "choose another with --display-name"},
	windows.ERROR_SERVICE_DEPENDENCY_DELETED: {errors.New("a service that this one depends on does not exist"), "look at --depends-on"},
}

// explain says what the manager's answer means for the service.
func explain(operation, name string, err error) error {
	if err == nil {
		return nil
	}
	number, ok := errors.AsType[windows.Errno](err)
	known, told := answers[number]
	if !ok || !told {
		return fmt.Errorf("%s the service %s: %w", operation, name, err)
	}
	return &hinted{fmt.Errorf("%s the service %s: %w (error %d)", operation, name, known.err, uint32(number)), known.hint}
}
