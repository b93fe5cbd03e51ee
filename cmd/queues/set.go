package queues

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/remote"
	"botwork/internal/author/queuedefs"
	"botwork/workqueue"
)

// settingsDoc describes the arguments of `botwork queues create` and `set`.
const settingsDoc = `A setting is a key of the queue's definition in botwork.yaml, with dots between its
parts, and its value: ttl=7d, limits.concurrency=5, retry={limit: 3}. An empty value
is the default: ttl=.`

func (a *command) queuesSetCommand() *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "set NAME KEY=VALUE...",
		Short: "Change the policy of a queue until it is defined again",
		Long: `Changes settings of a queue. The other settings keep their values.

` + settingsDoc + `

A change that would end waiting items, or strand them, needs --yes, such as another
consumer. Without it, the command prints how many there are and changes nothing.

botwork.yaml defines queues; this command overrides a definition until the next
"botwork queues define". A worker that starts does not undo it, but logs a warning if
the queue differs from its file. "botwork queues list" marks such a queue with "*",
and "botwork queues show" lists what differs.`,
		Example: "  botwork queues set invoices limits.concurrency=5\n  botwork queues set mail ttl=7d 'retry={limit: 3, delay: 30s}'\n  botwork queues set mail ttl=\n  botwork queues set forms consumer=robots --yes",
		Args:    atLeastTwo,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.WithBackend(cmd.Context(), func(store cli.Backend) error {
				changed, err := store.SetQueue(cmd.Context(), args[0], args[1:], yes)
				switch {
				case errors.Is(err, workqueue.ErrNotFound):
					return cli.NoSuchQueue(cmd.Context(), store, args[0], err)
				case err != nil:
					return needsYes(badSettings(err))
				case !changed:
					fmt.Fprintf(a.Stdout, "queue %s: has these settings already\n", args[0])
				default:
					fmt.Fprintf(a.Stdout, "queue %s: changed, until `botwork queues define`\n", args[0])
				}
				return nil
			})
		},
	}
	cli.ReasonFlag(cmd)
	yesFlag(cmd, &yes)
	return cmd
}

func yesFlag(cmd *cobra.Command, yes *bool) {
	cmd.Flags().BoolVar(yes, "yes", false, "confirm a change that ends waiting items, or strands them")
}

// needsYes makes a usage error of a change that must be confirmed.
func needsYes(err error) error {
	if stranded, ok := errors.AsType[*workqueue.StrandedError](err); ok {
		return cli.Usagef("%v; this needs --yes", stranded)
	}
	if refused, ok := errors.AsType[*remote.Error](err); ok && refused.Problem.Code == "not-confirmed" {
		return cli.Usagef("%s; this needs --yes", refused.Problem.Detail)
	}
	return err
}

func atLeastTwo(_ *cobra.Command, args []string) error {
	if len(args) < 2 {
		return cli.Usagef("got %d arguments, want the queue's name and at least one setting, such as limits.concurrency=5", len(args))
	}
	return nil
}

// badSettings makes a usage error of settings that are not valid.
func badSettings(err error) error {
	if bad, ok := errors.AsType[*queuedefs.SettingsError](err); ok {
		return cli.Usagef("%v", bad)
	}
	return err
}

func (a *command) queuesCreateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "create NAME [KEY=VALUE...]",
		Short: "Create a queue that botwork.yaml does not define",
		Long: `Creates a queue, with the defaults for what is not given.

` + settingsDoc + `

If botwork.yaml defines a queue of this name later, "botwork queues define" replaces
the policy; a worker that starts does not.`,
		Example: "  botwork queues create invoices\n  botwork queues create mail limits.rate=10/1m retain=2h",
		Args:    cli.SomeArguments("the queue's name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := queuedefs.Change(workqueue.Queue{Name: args[0]}, args[1:]); err != nil {
				return badSettings(err) // before a database is created
			}
			return a.WithBackend(cmd.Context(), func(store cli.Backend) error {
				if err := store.NewQueue(cmd.Context(), args[0], args[1:]); err != nil {
					if errors.Is(err, workqueue.ErrQueueExists) {
						return fmt.Errorf("%w; hint: botwork queues set %s KEY=VALUE changes it", err, args[0])
					}
					return badSettings(err)
				}
				fmt.Fprintf(a.Stdout, "queue %s: created\n", args[0])
				return nil
			})
		},
	}
	cli.ReasonFlag(cmd)
	return cmd
}
