// Package robots is the command `botwork robots`.
package robots

import (
	"bufio"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/internal/newitems"
	"botwork/workqueue"
)

// command is one call of `botwork robots`.
type command struct{ *cli.App }

// Command returns `botwork robots`.
func Command(a *cli.App) *cobra.Command { return (&command{a}).robotsCommand() }

func (a *command) robotsCommand() *cobra.Command {
	return cli.Group(&cobra.Command{
		Use: "robots", Aliases: []string{"robot"}, Short: "Add items and check them out like a robot, and report their outcome",
		Long: `Does what robots do, with the rights of a robot: adds, changes and deletes items,
checks out items of a queue whose consumer is robots, and reports their outcome. The
output is JSON.

A checkout returns items with a lease and a lock key. With the lock key and the
fence of an item, the robot extends, completes, fails or releases it; after the
lease has expired, another robot can take the item. The key is shown only once. On
the command line (--lock-key) it may be visible in the process list; - reads it from
standard input.`,
	},
		a.robotsEnqueueCommand(),
		a.robotsTakeCommand(),
		a.robotsDoneCommand(),
		a.robotsFailCommand(),
		a.robotsExtendCommand(),
		a.robotsReleaseCommand(),
		a.robotsChangeCommand(),
		a.robotsDeleteCommand(),
	)
}

// holdFlags identify a checked out item and its robot.
type holdFlags struct {
	hold workqueue.Hold
}

func (f *holdFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.hold.Robot, "robot", "", "`NAME` of the robot that took the item")
	flags.Int64Var(&f.hold.ItemID, "item", 0, "`ID` of the item")
	flags.Int64Var(&f.hold.Fence, "fence", 0, "fence `NUMBER` of the checkout")
	flags.StringVar(&f.hold.LockKey, "lock-key", "", "`KEY` of the checkout; - reads it from standard input")
	cmd.Args = cli.NoArguments
}

// item returns the robot and the item, for a request without a lock key.
func (f *holdFlags) item() (workqueue.Hold, error) {
	h := workqueue.Hold{Robot: f.hold.Robot, ItemID: f.hold.ItemID}
	if err := workqueue.CheckRobot(h.Robot); err != nil {
		return h, cli.Usagef("--robot: %v", err)
	}
	if h.ItemID < 1 {
		return h, cli.Usagef("--item: got %d, want a whole number from 1 on", h.ItemID)
	}
	return h, nil
}

// read returns the hold.
func (f *holdFlags) read(a *command) (workqueue.Hold, error) {
	h := f.hold
	if _, err := f.item(); err != nil {
		return h, err
	}
	if h.Fence < 1 {
		return h, cli.Usagef("--fence: got %d, want a whole number from 1 on", h.Fence)
	}
	if h.LockKey == "-" {
		line, err := bufio.NewReader(a.Stdin).ReadString('\n')
		if h.LockKey = strings.TrimSpace(line); h.LockKey == "" {
			return h, cli.Usagef("--lock-key: no key on standard input: %v", err)
		}
	}
	if h.LockKey == "" {
		return h, cli.Usagef("--lock-key: got an empty text, want the key that the checkout printed")
	}
	return h, nil
}

// jsonFlag reads a flag that holds JSON; "" when it was not given.
func jsonFlag(name, text string) (workqueue.JSONText, error) {
	if text == "" {
		return "", nil
	}
	value, err := newitems.JSON([]byte(text))
	if err != nil {
		return "", &cli.UsageError{Message: "--" + name + " is not JSON: " + err.Error(), Hint: "the shell may have removed the quotes"}
	}
	return value, nil
}
