package bench

import (
	"context"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/bench"
)

// Measure runs one measurement, and prints its report as JSON.
func Measure(ctx context.Context, a *cli.App, run func(context.Context) (bench.Report, error)) error {
	f := newBenchFlags(&cobra.Command{})
	*f.output = cli.FormatJSON
	return (&command{a}).measure(ctx, f, func(bench.Common) (scenario, error) { return scenario{1, run}, nil })
}
