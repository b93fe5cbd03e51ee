// Package assign is the command `botwork assign`.
package assign

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/cmd/internal/remote"
	"botwork/handlers/queue"
	"botwork/internal/operations"
	"botwork/pipelines"
	"botwork/workqueue/assign"
)

// command is one call of `botwork assign`.
type command struct{ *projectdir.App }

// Command returns `botwork assign`.
func Command(a *projectdir.App) *cobra.Command { return cli.OverServer((&command{a}).assignCommand()) }

func (a *command) assignCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "assign --dry-run [PIPELINE]",
		Short: "Show what an assignment pass would do now",
		Long: `Shows, item by item, what the AssignTasksToWorker steps of one pipeline, or of all
pipelines, would do if they ran now, each separately and with its own parameters: to
which worker an item would be assigned, when it is expected to start, its estimated
duration and the source of the estimate (the item, a learned duration, its pipeline,
or the step's default), the score in the mode best-worker, and the worker from which
the item would be taken. Then it lists the most urgent items that would not be
assigned, each with its reason in one word; botwork items why ID explains it.

It plans with the same code as a real pass and changes nothing. Items that a pass
would release first, such as those of a dead worker, are not shown. Scoring rules
that use a service send requests to it.

Only workers run passes: botwork run --once ExecuteWorkQueue runs one now.`,
		Example:           "  botwork assign --dry-run\n  botwork assign --dry-run ExecuteWorkQueue --output json",
		Args:              cli.OptionalArgument("the pipeline's name"),
		ValidArgsFunction: projectdir.CompletePipelines(a.App),
	}
	dry := cmd.Flags().Bool("dry-run", false, "show what would be done, without doing it; required")
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !*dry {
			return cli.Usagef("want --dry-run; hint: only a worker assigns items: botwork run --once ExecuteWorkQueue")
		}
		results, err := a.dryPasses(cmd.Context(), args)
		if err != nil {
			return err
		}
		for i := range results {
			for _, fault := range results[i].Faults {
				fmt.Fprintf(a.Stderr, "botwork: %s: ignored: %s\n", results[i].Pipeline, fault)
			}
		}
		return a.Print(*output, results, func() { a.dryTables(results) })
	}
	return cmd
}

// dryPasses plans the passes of the named pipeline, or of all.
func (a *command) dryPasses(ctx context.Context, args []string) (results []operations.DryPass, err error) {
	if a.UsesServer() {
		name := strings.Join(args, "")
		err = a.WithServer(func(s *remote.Server) (err error) {
			results, err = s.DryPasses(ctx, name)
			return cli.UnknownAsUsage(err)
		})
		if err == nil && len(results) == 0 && name != "" {
			err = noPass(name)
		}
		return results, err
	}
	err = a.WithReadOnlyStore(ctx, func(store cli.Store) error {
		passes, err := a.passesToTry(args)
		if err != nil {
			return err
		}
		results, err = operations.DryPasses(ctx, store, passes)
		return err
	})
	return results, err
}

func noPass(pipeline string) error {
	return cli.Usagef("pipeline %q has no step %s; hint: botwork assign --dry-run checks all pipelines that have one", pipeline, queue.AssignKind)
}

// passesToTry returns the pipelines whose passes are planned: the named one, or all.
func (a *command) passesToTry(args []string) ([]assign.SystemPipeline, error) {
	book, err := projectdir.LoadPasses(a.App)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		return projectdir.SystemPipelines(a.App, book), nil
	}
	p, err := projectdir.Find(book.Catalogue, book.Findings, args[0])
	if err != nil {
		return nil, err
	}
	list, leftOut := queue.SystemPipelines(book.Services, []*pipelines.Pipeline{p}, book.Log)
	if len(leftOut) > 0 {
		return nil, leftOut[0]
	}
	if len(list) == 0 || len(list[0].Passes) == 0 {
		return nil, noPass(p.Name)
	}
	return list, nil
}

// dryTables prints for each pass the items that it would assign, then those that it would not.
func (a *command) dryTables(results []operations.DryPass) {
	if len(results) == 0 {
		fmt.Fprintf(a.Stdout, "no pipeline has a step %s\n", queue.AssignKind)
	}
	for i := range results {
		r := &results[i]
		if i > 0 {
			fmt.Fprintln(a.Stdout)
		}
		fmt.Fprintf(a.Stdout, "%s, %s: %d to assign; workers with room: %d\n", r.Pipeline, r.Band, len(r.Items), r.Workers)
		if r.Frees {
			fmt.Fprintln(a.Stdout, "it would release or cancel items first, which are not shown")
		}
		if len(r.Items) > 0 {
			a.dryItems(r)
		}
		if len(r.Left) > 0 {
			a.dryLeft(r)
		}
	}
}

func (a *command) dryItems(r *operations.DryPass) {
	g := cli.NewGrid("item", "priority", "pipeline", "queue", "mode", "worker", "from", "starts", "estimate", "score")
	for _, it := range r.Items {
		score := "-"
		if it.Score != nil {
			score = strconv.FormatFloat(*it.Score, 'g', 6, 64)
		}
		g.Add(fmt.Sprint(it.ItemID), fmt.Sprint(it.Priority), it.Pipeline, it.Queue, string(it.Mode), it.Worker, cli.OrDash(it.From),
			a.Instant(&it.StartsAt), fmt.Sprintf("%s (%s)", it.Estimate, it.EstimateFrom), score)
	}
	g.Print(a.Stdout)
}

func (a *command) dryLeft(r *operations.DryPass) {
	var more string
	if r.More {
		more = " (first ones shown)"
	}
	fmt.Fprintf(a.Stdout, "not assigned: %d%s\n", len(r.Left), more)
	g := cli.NewGrid("item", "priority", "pipeline", "queue", "reason")
	for _, it := range r.Left {
		g.Add(fmt.Sprint(it.ItemID), fmt.Sprint(it.Priority), it.Pipeline, it.Queue, strings.ReplaceAll(string(it.Reason), "-", " "))
	}
	g.Print(a.Stdout)
}
