package service

import (
	"errors"
	"fmt"

	"golang.org/x/sys/windows"
)

// answers explain known errors of the service control manager by number: its own texts are in the
// system's language.
var answers = map[windows.Errno]struct {
	err  error
	hint string
}{
	windows.ERROR_ACCESS_DENIED:              {ErrNoRights, "run this in a console that was opened with \"Run as administrator\""},
	windows.ERROR_FILE_NOT_FOUND:             {errors.New("the service's program does not exist"), "see `botwork service status`; if an upgrade was interrupted, run it again"},
	windows.ERROR_PATH_NOT_FOUND:             {errors.New("the folder of the service's program does not exist"), "see `botwork service status`"},
	windows.ERROR_SERVICE_REQUEST_TIMEOUT:    {errors.New("the program did not answer the service manager in time"), "see `botwork service logs` and the Event Viewer; virus scanners can also delay programs"},
	windows.ERROR_SERVICE_DISABLED:           {errors.New("the service is disabled"), "set its start type to automatic or manual in services.msc"},
	windows.ERROR_INVALID_SERVICE_ACCOUNT:    {errors.New("the account does not exist, or its password is wrong"), "write it as DOMAIN\\name, .\\name for an account of this machine, or NT SERVICE\\name"},
	windows.ERROR_CIRCULAR_DEPENDENCY:        {errors.New("the services have a circular dependency"), "check --depends-on"},
	windows.ERROR_SERVICE_DOES_NOT_EXIST:     {ErrNotInstalled, "`botwork service install` creates it; `botwork service status --all` lists the services of this machine"},
	windows.ERROR_DEPENDENT_SERVICES_RUNNING: {errors.New("services that depend on this one are running"), "stop those first"},
	windows.ERROR_SERVICE_DEPENDENCY_FAIL:    {errors.New("a service that this one depends on did not start"), "start that one first"},
	windows.ERROR_SERVICE_LOGON_FAILED:       {errors.New("the service's account cannot log on"), "its password may have changed, or it lacks the right \"Log on as a service\" (secpol.msc, Local Policies, User Rights Assignment)"},
	windows.ERROR_SERVICE_MARKED_FOR_DELETE:  {errors.New("the service is being removed: other programs still use it"), "close services.msc, the Event Viewer and the Task Manager, then try again; otherwise restart the machine"},
	windows.ERROR_SERVICE_EXISTS:             {ErrInstalled, "`botwork service uninstall` removes it; use --name for a second service"},
	windows.ERROR_DUPLICATE_SERVICE_NAME:     {errors.New("another service has this display name"), "choose another with --display-name"},
	windows.ERROR_SERVICE_DEPENDENCY_DELETED: {errors.New("a service that this one depends on does not exist"), "check --depends-on"},
}

// explain returns an error with the meaning of the manager's error for the service.
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
