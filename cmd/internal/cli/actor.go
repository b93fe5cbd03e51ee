package cli

import (
	"os"

	"github.com/spf13/cobra"

	"botwork/workqueue"
)

// reasonFlag is the flag for the reason of a change.
const reasonFlag = "reason"

// ReasonFlag adds the flag --reason to a command that changes something.
func ReasonFlag(cmd *cobra.Command) {
	cmd.Flags().String(reasonFlag, "", "`TEXT` that explains the change, for the audit log")
}

// Begin marks the start of the command's own code, and records in its context who runs it, for the
// audit log. It returns an error for a command that cannot use the server of the flags.
func (a *App) Begin(cmd *cobra.Command) error {
	a.Started = true
	if err := a.readServerFlags(cmd); err != nil {
		return err
	}
	if err := a.chooseEnvironment(cmd.Flags().Changed("environment")); err != nil {
		return err
	}
	actor := workqueue.Actor{Name: UserName(), Via: workqueue.ViaCLI, Host: hostName()}
	if flag := cmd.Flags().Lookup(reasonFlag); flag != nil && flag.Changed {
		actor.Reason = flag.Value.String()
	}
	cmd.SetContext(workqueue.WithActor(cmd.Context(), actor))
	return nil
}

// WorkerActor returns the actor of changes that a worker of these settings makes on its own.
func (a *App) WorkerActor() workqueue.Actor {
	return workqueue.Actor{Name: a.Config.Worker.Name, Via: workqueue.ViaWorker, Host: hostName()}
}

// hostName returns the name of this machine; "" if the system does not say.
func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}
