package bench

import (
	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/bench"
)

// benchWorkerCommand runs a worker process of a measurement. Only the measurement starts it.
func (a *command) benchWorkerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "worker",
		Short:  "Run a worker of a measurement (internal)",
		Hidden: true,
		Args:   cli.NoArguments,
		RunE:   func(cmd *cobra.Command, _ []string) error { return bench.Serve(cmd.Context(), a.Stdin, a.Machine()) },
	}
}
