// Package durations is the command `botwork durations`.
package durations

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"botwork/cmd/internal/cli"
	"botwork/workqueue/learned"
)

// command is one call of `botwork durations`.
type command struct{ *cli.App }

// Command returns `botwork durations`.
func Command(a *cli.App) *cobra.Command { return (&command{a}).durationsCommand() }

func (a *command) durationsCommand() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use: "durations", Aliases: []string{"duration"}, Short: "Show and forget how long runs take",
		Long: `Shows how long recent runs took. Workers learn these durations from each successful
run: by pipeline, by scheduled task, and by the prefix of the natural key where a
pipeline sets learnBy. The assignment of items to workers uses these durations for
items without an estimated duration.`,
	}, cli.OverServer(a.durationsListCommand()), cli.OverServer(a.durationsForgetCommand()))
}

// durationFlags are the filters as given on the command line.
type durationFlags struct{ kind, pipeline, task, key string }

func (f *durationFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.kind, "kind", "", "only one `KIND`: pipeline, task or key")
	flags.StringVar(&f.pipeline, "pipeline", "", "only the pipeline `NAME`, its tasks and keys")
	flags.StringVar(&f.task, "task", "", "only the scheduled task `NAME`")
	flags.StringVar(&f.key, "key", "", "only natural keys with this `PREFIX`, which ends at the pipeline's separator")
	_ = cmd.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(durationKinds(), cobra.ShellCompDirectiveNoFileComp))
}

func durationKinds() []string {
	var words []string
	for _, k := range learned.Kinds() {
		words = append(words, string(k))
	}
	return words
}

// filter returns the filter of the flags; everything reports whether no filter was given.
func (f *durationFlags) filter(flags *pflag.FlagSet) (filter learned.Filter, everything bool, err error) {
	for _, name := range []string{"kind", "pipeline", "task", "key"} {
		if flags.Changed(name) && strings.TrimSpace(flags.Lookup(name).Value.String()) == "" {
			return filter, false, cli.Usagef("--%s: got an empty text; omit the flag to match any", name)
		}
	}
	if words := durationKinds(); f.kind != "" && !slices.Contains(words, f.kind) {
		return filter, false, cli.NotOneOf("kind", f.kind, words)
	}
	filter = learned.Filter{Kind: learned.Kind(f.kind), Pipeline: f.pipeline}
	if f.task != "" && f.key != "" {
		return filter, false, cli.Usagef("got --task and --key, want one of them: a duration belongs to a task or to a key")
	}
	for _, of := range []struct {
		kind       learned.Kind
		flag, name string
	}{{learned.OfTask, "task", f.task}, {learned.OfKey, "key", f.key}} {
		if of.name == "" {
			continue
		}
		if f.kind != "" && f.kind != string(of.kind) {
			return filter, false, cli.Usagef("--kind: %s does not go with --%s", f.kind, of.flag)
		}
		filter.Kind, filter.Name = of.kind, of.name
	}
	return filter, filter == (learned.Filter{}), nil
}

func (a *command) durationsForgetCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "forget",
		Short: "Forget how long runs took",
		Long: `Forgets the learned durations of the pipelines, tasks and keys that match the
filters, for example after a change that makes a pipeline ten times faster: the next
three runs are planned with the pipeline's estimatedDuration again, and later runs
with the newly learned durations. Without a filter it needs --all and --yes.

On SQL Server, filters ignore upper and lower case in names.`,
		Example: "  botwork durations forget --pipeline invoices\n  botwork durations forget --task nightly\n  botwork durations forget --all --yes",
		Args:    cli.NoArguments,
	}
	var flags durationFlags
	flags.register(cmd)
	cli.ReasonFlag(cmd)
	all := cmd.Flags().Bool("all", false, "forget everything")
	yes := cmd.Flags().Bool("yes", false, "confirm --all")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		filter, everything, err := flags.filter(cmd.Flags())
		switch {
		case err != nil:
			return err
		case everything && !*all:
			return cli.Usagef("got no filter; want one such as --pipeline NAME, or --all")
		case !everything && *all:
			return cli.Usagef("got a filter and --all, want one of them")
		case *all && !*yes:
			return cli.Usagef("--all: forgetting everything needs --yes")
		}
		return a.WithBackend(cmd.Context(), func(store cli.Backend) error {
			n, err := store.ForgetDurations(cmd.Context(), filter)
			if err != nil {
				return err
			}
			if n == 0 && !*all {
				return errors.New("no learned durations match the filters; `botwork durations list` shows all of them")
			}
			fmt.Fprintf(a.Stdout, "%s forgotten\n", cli.Count(n, "duration"))
			return nil
		})
	}
	return cmd
}
