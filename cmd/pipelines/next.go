package pipelines

import (
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/pipelines"
)

// firingView is one scheduled run, with its time in two zones.
type firingView struct {
	Pipeline string `json:"pipeline"`
	At       string `json:"at"`      // RFC 3339, UTC
	LocalAt  string `json:"localAt"` // RFC 3339, in the trigger's zone
	Timezone string `json:"timezone"`
	Paused   bool   `json:"paused"` // it will be skipped unless the pipeline is resumed before

	local time.Time
}

func (a *command) pipelinesNextCommand() *cobra.Command {
	var (
		most int
		from string
	)
	cmd := &cobra.Command{
		Use:   "next [NAME]",
		Short: "Show when pipelines will start",
		Long: `Lists the next scheduled runs of one pipeline, or of all, in the trigger's time zone
and in UTC. To see what a trigger does when the clocks change, give such a day with
--from.

Runs of paused pipelines are marked: they are skipped unless the pipeline is resumed
before.`,
		Example: `  botwork pipelines next
  botwork pipelines next ExecuteWorkQueue --count 10
  botwork pipelines next nightly --from 2026-10-24`,
		Args:              cli.OptionalArgument("the pipeline's name"),
		ValidArgsFunction: projectdir.CompletePipelines(a.App),
	}
	cmd.Flags().IntVar(&most, "count", 5, "list `N` scheduled runs of each pipeline")
	cmd.Flags().StringVar(&from, "from", "", "start at this `TIME`: RFC 3339, or 2006-01-02 15:04 in local time (default now)")
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		start := time.Now()
		if from != "" {
			var err error
			if start, err = cli.ParseTime(from); err != nil {
				return cli.Usagef("--from: %v", err)
			}
			// The schedule returns only later times, but a run at exactly this time counts too.
			start = start.Add(-1)
		}
		if most < 1 || most > 10_000 {
			return cli.Usagef("--count: got %d, want 1 to 10000", most)
		}
		catalogue, findings, err := projectdir.LoadCatalogue(a.App)
		if err != nil {
			return err
		}
		chosen := catalogue.All()
		if len(args) == 1 {
			p, err := projectdir.Find(catalogue, findings, args[0])
			if err != nil {
				return err
			}
			if p.Trigger == nil {
				return fmt.Errorf("pipeline %q has no trigger: it runs only for items", p.Name)
			}
			chosen, findings = []*pipelines.Pipeline{p}, nil
		}
		firings := comingFirings(chosen, start, most)
		paused := a.pauses(cmd.Context())
		for i := range firings {
			_, firings[i].Paused = paused[firings[i].Pipeline]
		}
		err = a.Print(*output, firings, func() {
			a.firingTable(firings)
			only := ""
			if len(args) == 1 {
				only = args[0]
			}
			a.PrintPauses(paused, only)
		})
		if err != nil {
			return err
		}
		return findings.Err()
	}
	return cmd
}

// comingFirings returns up to most scheduled runs of each pipeline, ordered by time.
func comingFirings(from []*pipelines.Pipeline, start time.Time, most int) []firingView {
	firings := []firingView{}
	for _, p := range from {
		if p.Trigger == nil || p.Trigger.Schedule == nil {
			continue
		}
		for at, left := start, most; left > 0; left-- {
			if at = p.Trigger.Schedule.Next(at); at.IsZero() {
				break
			}
			local := at.In(p.Trigger.Location)
			firings = append(firings, firingView{
				Pipeline: p.Name, At: at.Format(time.RFC3339Nano), LocalAt: local.Format(time.RFC3339Nano),
				Timezone: p.Trigger.Location.String(), local: local,
			})
		}
	}
	slices.SortStableFunc(firings, func(x, y firingView) int { return x.local.Compare(y.local) })
	return firings
}

func (a *command) firingTable(firings []firingView) {
	if len(firings) == 0 {
		fmt.Fprintln(a.Stdout, "no pipeline has a cron or every trigger")
		return
	}
	g := cli.NewGrid("pipeline", "local time", "utc")
	for _, f := range firings {
		name := f.Pipeline
		if f.Paused {
			name += " (paused)"
		}
		g.Add(name, f.local.Format("Mon 2006-01-02 15:04:05 MST -07:00"), f.local.UTC().Format("2006-01-02 15:04:05Z"))
	}
	g.Print(a.Stdout)
}
