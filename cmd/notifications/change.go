package notifications

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/spans"
	"botwork/workqueue"
)

func (a *command) testCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "test TARGET",
		Short: "Send a test message to a target and show the answer",
		Long: `Sends a message to a target of the settings at once, from this machine or over a
server from that one, and prints what the other side answered. It fails if the
message was not taken. The test is in the audit log.`,
		Example: "  botwork notifications test night",
		Args:    cli.OneArgument("the target's name"),
	}
	cli.ReasonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.with(cmd.Context(), false, func(m messenger) error {
			answer, err := m.TestTarget(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Stdout, "sent to %s: %s\n", args[0], answer)
			return nil
		})
	}
	return cmd
}

func (a *command) muteCommand() *cobra.Command {
	var length, group string
	cmd := &cobra.Command{
		Use:   "mute RULE --for TIME",
		Short: "Stop the messages of a rule, or of one of its groups, for a time",
		Long: `Stops the messages of a rule for a time, or those of one of its groups, as
"botwork notifications list" shows it. What would have been sent is dropped. What is
still true when the mute ends is sent then. A new mute replaces the one before.`,
		Example: `  botwork notifications mute failures --for 2h --reason "the shop is moving"
  botwork notifications mute failures --group queue=orders --for 1d`,
		Args: cli.OneArgument("the rule's name"),
	}
	cmd.Flags().StringVar(&length, "for", "", "how long, `TIME`, such as 2h: from 1m to 366d")
	cmd.Flags().StringVar(&group, "group", "", "only this `GROUP`, such as queue=orders")
	cli.ReasonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if length == "" {
			return &cli.UsageError{Message: "--for: got none, want a time such as 2h", Hint: "a mute always ends; `botwork notifications unmute` ends it earlier"}
		}
		d, err := spans.Parse(length)
		if err == nil {
			err = workqueue.CheckMute(d)
		}
		if err != nil {
			return cli.Usagef("--for: %v", err)
		}
		return a.with(cmd.Context(), false, func(to messenger) error {
			m := workqueue.Mute{Rule: args[0], Group: group, By: cli.UserName(), Reason: workqueue.ActorFrom(cmd.Context()).Reason}
			if err := to.MuteAlerts(cmd.Context(), m, d); err != nil {
				return err
			}
			now, err := to.Now(cmd.Context())
			if err != nil {
				fmt.Fprintf(a.Stdout, "%s: muted for %s\n", named(args[0], group), length)
				return nil
			}
			until := now.Add(d).Truncate(time.Second)
			fmt.Fprintf(a.Stdout, "%s: muted until %s\n", named(args[0], group), a.Instant(&until))
			return nil
		})
	}
	return cmd
}

func (a *command) unmuteCommand() *cobra.Command {
	var group string
	cmd := &cobra.Command{
		Use:   "unmute RULE",
		Short: "End a mute",
		Long: `Ends the mute of a rule, or of one of its groups. What is still true is sent at its
next time.`,
		Example: "  botwork notifications unmute failures\n  botwork notifications unmute failures --group queue=orders",
		Args:    cli.OneArgument("the rule's name"),
	}
	cmd.Flags().StringVar(&group, "group", "", "the `GROUP` that was muted")
	cli.ReasonFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.with(cmd.Context(), false, func(m messenger) error {
			changed, err := m.UnmuteAlerts(cmd.Context(), args[0], group, workqueue.ActorFrom(cmd.Context()).Reason)
			if err != nil {
				return err
			}
			state := "unmuted"
			if !changed {
				state = "it was not muted"
			}
			fmt.Fprintf(a.Stdout, "%s: %s\n", named(args[0], group), state)
			return nil
		})
	}
	return cmd
}

// named names a rule, or one of its groups.
func named(rule, group string) string {
	if group == "" {
		return "rule " + rule
	}
	return "rule " + rule + ", group " + group
}
