package bench

import (
	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/bench"
)

// benchWorkerCommand is a worker process of a measurement, which the measurement
// itself starts.
func (a *command) benchWorkerCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "worker",
		Short:  "Be a worker of a measurement",
		Hidden: true,
		Args:   cli.NoArguments,
		RunE:   func(cmd *cobra.Command, _ []string) error { return bench.Serve(cmd.Context(), a.Stdin, a.Stdout) },
	}
}
