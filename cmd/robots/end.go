package robots

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

// holdCommand returns a command that applies do to an item that a robot holds, and prints the
// result; also before an error if only a part was done.
func (a *command) holdCommand(cmd *cobra.Command, do func(cmd *cobra.Command, store cli.Store, h workqueue.Hold) (any, error)) *cobra.Command {
	var f holdFlags
	f.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		h, err := f.read(a)
		if err != nil {
			return err
		}
		return a.WithStore(cmd.Context(), func(store cli.Store) error {
			answer, err := do(cmd, store, h)
			if answer == nil {
				return err
			}
			return errors.Join(a.Print(cli.FormatJSON, answer, nil), err)
		})
	}
	return cmd
}

func (a *command) robotsDoneCommand() *cobra.Command {
	var result, analytics string
	cmd := a.holdCommand(&cobra.Command{
		Use:   "done",
		Short: "Complete an item",
		Long: `Completes an item. Its result and analytics must match the queue's schemas; otherwise
the robot keeps the item.

Prints an object with the item's state.`,
		Example: `  botwork robots done --robot ann --item 17 --fence 1 --lock-key KEY --result '{"pages": 3}'`,
	}, func(cmd *cobra.Command, store cli.Store, h workqueue.Hold) (any, error) {
		end, err := robotEnd(result, analytics)
		if err != nil {
			return nil, err
		}
		return finished(store.FinishCheckout(cmd.Context(), h, end))
	})
	cmd.Flags().StringVar(&result, "result", "", "result of the work, as `JSON`")
	analyticsFlag(cmd, &analytics)
	return cmd
}

func (a *command) robotsFailCommand() *cobra.Command {
	var text, analytics string
	var business bool
	cmd := a.holdCommand(&cobra.Command{
		Use:   "fail",
		Short: "Fail an item",
		Long: `Fails an item. The queue's policy decides whether and when it is retried; most
queues retry errors, but not wrong data (--business).

Prints an object with the item's state and, if it is retried, how long the retry
waits and whether it is a copy.`,
		Example: `  botwork robots fail --robot ann --item 17 --fence 1 --lock-key KEY --error "no such customer" --business`,
	}, func(cmd *cobra.Command, store cli.Store, h workqueue.Hold) (any, error) {
		end, err := robotEnd("", analytics)
		if err != nil {
			return nil, err
		}
		if end.Kind, end.Error = workqueue.KindError, text; business {
			end.Kind = workqueue.KindBusiness
		}
		if text == "" {
			return nil, cli.Usagef("--error: got an empty text, want a description of the failure")
		}
		return finished(store.FinishCheckout(cmd.Context(), h, end))
	})
	cmd.Flags().StringVar(&text, "error", "", "`TEXT` that describes the failure")
	cmd.Flags().BoolVar(&business, "business", false, "business error: the data is wrong")
	analyticsFlag(cmd, &analytics)
	return cmd
}

// finished returns no answer if there is an error.
func finished(ended workqueue.RobotEnded, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return ended, nil
}

func analyticsFlag(cmd *cobra.Command, text *string) {
	cmd.Flags().StringVar(text, "analytics", "", "analytics of the work, as `JSON`")
}

// robotEnd returns the outcome from the flags.
func robotEnd(result, analytics string) (end workqueue.RobotEnd, err error) {
	if end.Output, err = jsonFlag("result", result); err != nil {
		return end, err
	}
	end.Analytics, err = jsonFlag("analytics", analytics)
	return end, err
}

// Extended is the JSON output of `robots extend`.
type Extended struct {
	LeaseExpiresAt time.Time `json:"leaseExpiresAt"`
}

func (a *command) robotsExtendCommand() *cobra.Command {
	var lease, text string
	var percent int
	cmd := a.holdCommand(&cobra.Command{
		Use:   "extend",
		Short: "Extend the lease of an item, and report progress",
		Long: `Sets the lease of an item to end after the given time from now, and records the
progress of the work.

Prints an object with the end of the lease.`,
		Example: "  botwork robots extend --robot ann --item 17 --fence 1 --lock-key KEY --lease 15m --progress \"page 2 of 3\" --percent 60",
	}, func(cmd *cobra.Command, store cli.Store, h workqueue.Hold) (any, error) {
		wait, err := cli.ParseWait(lease)
		if err != nil {
			return nil, cli.Usagef("--lease: %v", err)
		}
		note := workqueue.RobotNote{Text: text}
		if cmd.Flags().Changed("percent") {
			note.Percent = &percent
		}
		if err := note.Validate(); err != nil {
			return nil, cli.Usagef("--percent: %v", err)
		}
		until, err := store.ExtendCheckout(cmd.Context(), h, wait)
		if err != nil {
			return nil, err
		}
		if note != (workqueue.RobotNote{}) {
			if err = store.RobotProgress(cmd.Context(), h, note); err != nil {
				err = fmt.Errorf("the lease was extended, but the progress was not recorded: %w", err)
			}
		}
		return Extended{until}, err
	})
	cmd.Flags().StringVar(&lease, "lease", "", "how long from now: a `DURATION` (default the queue's)")
	cmd.Flags().StringVar(&text, "progress", "", "`TEXT` that describes the progress")
	cmd.Flags().IntVar(&percent, "percent", 0, "progress in percent, a `NUMBER` from 0 to 100")
	cmd.Flags().Lookup("percent").DefValue = "0" // hides the default in the help
	return cmd
}

func (a *command) robotsReleaseCommand() *cobra.Command {
	var reason string
	cmd := a.holdCommand(&cobra.Command{
		Use:   "release",
		Short: "Release an item",
		Long: `Releases an item: it is due now, and no failure is counted.

Prints an object with the item's state.`,
		Example: `  botwork robots release --robot ann --item 17 --fence 1 --lock-key KEY --reason "the screen is locked"`,
	}, func(cmd *cobra.Command, store cli.Store, h workqueue.Hold) (any, error) {
		return finished(workqueue.RobotEnded{State: workqueue.Ready}, store.ReleaseCheckout(cmd.Context(), h, reason))
	})
	cmd.Flags().StringVar(&reason, "reason", "", "`TEXT` to store with the attempt")
	return cmd
}
