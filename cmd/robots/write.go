package robots

import (
	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/payload"
	"botwork/workqueue"
)

// newFlags are the flags of `robots enqueue` as given on the command line.
type newFlags struct {
	robot, lease string
	take         bool
	item         workqueue.NewItem
	payload      payload.Flags
	meta         []string
	in, deadline string
}

func (a *command) robotsEnqueueCommand() *cobra.Command {
	var f newFlags
	cmd := &cobra.Command{
		Use:   "enqueue",
		Short: "Add an item as a robot",
		Long: `Adds an item whose creator is the robot, by the policy of its queue. The robot needs
the right to write, and with --take, which checks the item out at once, both rights.

Prints an object with the item's id under "items" and, with --take, the checkout as
robots take prints it.`,
		Example: "  botwork robots enqueue --queue forms --robot ann --key order-4711 --payload '{\"n\": 1}'\n" +
			"  botwork robots enqueue --queue forms --robot ann --take --lease 15m",
		Args: cli.NoArguments,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.robot, "robot", "", "`NAME` of the robot that adds the item")
	flags.StringVar(&f.item.QueueName, "queue", "", "`NAME` of the queue")
	flags.StringVar(&f.item.IntegrationConfig, "pipeline", "", "`NAME` of the pipeline, for a queue whose items are run by workers")
	f.payload.Register(cmd)
	flags.IntVar(&f.item.Priority, "priority", workqueue.RequestPriority, "`NUMBER`: larger runs first")
	flags.StringVar(&f.item.NaturalKey, "key", "", "the natural `KEY`: the item's identifier in its source system")
	flags.StringArrayVar(&f.item.Tags, "tag", nil, "a `TAG` for searching; may be repeated")
	flags.StringArrayVar(&f.meta, "meta", nil, "metadata for searching, `KEY=VALUE`; may be repeated")
	flags.StringVar(&f.in, "in", "", "not before this `DURATION` has passed")
	flags.StringVar(&f.deadline, "deadline-in", "", "cancel the item if it has not started within this `DURATION` from now")
	flags.BoolVar(&f.take, "take", false, "check the item out at once")
	flags.StringVar(&f.lease, "lease", "", "with --take: how long the robot holds the item, a `DURATION` (default the queue's)")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		take, err := f.read(a, cmd)
		if err != nil {
			return err
		}
		return a.WithStore(cmd.Context(), func(store cli.Store) error {
			made, err := store.RobotEnqueue(cmd.Context(), f.robot, workqueue.BatchPart{}, []workqueue.NewItem{f.item}, take)
			if err != nil {
				return cli.NoSuchQueue(cmd.Context(), store, f.item.QueueName, err)
			}
			return a.Print(cli.FormatJSON, made, nil)
		})
	}
	return cmd
}

// read completes the item. It returns nil if the robot does not check it out.
func (f *newFlags) read(a *command, cmd *cobra.Command) (*workqueue.CheckoutOnEnqueue, error) {
	switch {
	case f.item.QueueName == "":
		return nil, cli.Usagef("--queue is missing: it names the queue of the item")
	case f.lease != "" && !f.take:
		return nil, cli.Usagef("got --lease without --take")
	case cmd.Flags().Changed("key") && f.item.NaturalKey == "":
		return nil, cli.Usagef("--key: got an empty text; omit the flag for none")
	}
	f.item.State = workqueue.Pending
	var err error
	if f.item.Metadata, err = cli.ParsePairs(f.meta); err != nil {
		return nil, err
	}
	if f.item.In, err = cli.ParseWait(f.in); err != nil {
		return nil, cli.Usagef("--in: %v", err)
	}
	if f.item.DeadlineIn, err = cli.ParseWait(f.deadline); err != nil {
		return nil, cli.Usagef("--deadline-in: %v", err)
	}
	if f.item.Payload, err = f.payload.Read(a.Stdin, nil); err != nil {
		return nil, err
	}
	var take *workqueue.CheckoutOnEnqueue
	if f.take {
		take = &workqueue.CheckoutOnEnqueue{}
		if take.Lease, err = cli.ParseWait(f.lease); err != nil {
			return nil, cli.Usagef("--lease: %v", err)
		}
	}
	if err := workqueue.CheckRobotEnqueue(f.robot, []workqueue.NewItem{f.item}, take); err != nil {
		return nil, cli.Usagef("%v", err)
	}
	return take, nil
}

func (a *command) robotsChangeCommand() *cobra.Command {
	var f holdFlags
	var key string
	var priority int
	var tags, meta []string
	cmd := &cobra.Command{
		Use:   "change",
		Short: "Change a waiting item, or one that the robot holds",
		Long: `Changes the priority and the natural key of an item, and its tags and metadata, which
are replaced as a whole: of an item that waits, or, with --fence and --lock-key, of
one that the robot holds; its priority then applies to the next attempt. The robot
needs the right to write in the item's queue.

Prints an object with the item's id.`,
		Example: "  botwork robots change --robot ann --item 17 --priority 1500 --tag urgent\n  botwork robots change --robot ann --item 17 --key order-4712\n" +
			"  botwork robots change --robot ann --item 17 --fence 1 --lock-key KEY --meta page=2",
	}
	f.register(cmd)
	flags := cmd.Flags()
	flags.IntVar(&priority, "priority", 0, "new priority `NUMBER`; the queue's offset is added")
	flags.StringVar(&key, "key", "", "new natural `KEY`; an empty text removes it")
	flags.StringArrayVar(&tags, "tag", nil, "replace all tags by this `TAG`; may be repeated")
	flags.StringArrayVar(&meta, "meta", nil, "replace all metadata by this `KEY=VALUE`; may be repeated")
	flags.Lookup("priority").DefValue = "0" // hides a default in the help
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		held := flags.Changed("fence") || flags.Changed("lock-key")
		h, err := f.item()
		if held {
			h, err = f.read(a)
		}
		if err != nil {
			return err
		}
		var change workqueue.RobotChange
		if flags.Changed("priority") {
			change.Priority = &priority
		}
		if flags.Changed("key") {
			change.NaturalKey = &key
		}
		if flags.Changed("tag") {
			change.Tags = &tags
		}
		if flags.Changed("meta") {
			pairs, err := cli.ParsePairs(meta)
			if err != nil {
				return err
			}
			change.Metadata = &pairs
		}
		if change == (workqueue.RobotChange{}) {
			return cli.Usagef("got nothing to change, want --priority, --key, --tag or --meta")
		}
		return a.WithStore(cmd.Context(), func(store cli.Store) error {
			if held {
				err = store.ChangeCheckout(cmd.Context(), h, change)
			} else {
				err = store.RobotChange(cmd.Context(), h.Robot, h.ItemID, change)
			}
			if err != nil {
				return err
			}
			return a.Print(cli.FormatJSON, Changed{h.ItemID}, nil)
		})
	}
	return cmd
}

// Changed is the answer of `robots change`.
type Changed struct {
	ID int64 `json:"id"`
}

// Deleted is the answer of `robots delete`.
type Deleted struct {
	Deleted int `json:"deleted"`
}

func (a *command) robotsDeleteCommand() *cobra.Command {
	var robot, queue, key, reason string
	cmd := &cobra.Command{
		Use:   "delete",
		Short: "Delete waiting items by their key",
		Long: `Deletes the waiting items of a queue that have a natural key, by the queue's policy of
deletion, at most 500 at a time. The robot needs the right to write; a queue may let
robots delete only the items that they have created.

Prints an object with the number of deleted items.`,
		Example: `  botwork robots delete --robot ann --queue forms --key order-4711 --reason "cancelled by the customer"`,
		Args:    cli.NoArguments,
	}
	flags := cmd.Flags()
	flags.StringVar(&robot, "robot", "", "`NAME` of the robot that deletes the items")
	flags.StringVar(&queue, "queue", "", "`NAME` of the queue")
	flags.StringVar(&key, "key", "", "natural `KEY` of the items")
	flags.StringVar(&reason, "reason", "", "`TEXT` to store with the items, if the queue keeps deleted items")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := workqueue.CheckRobot(robot); err != nil {
			return cli.Usagef("--robot: %v", err)
		}
		if queue == "" {
			return cli.Usagef("--queue is missing: it names the queue of the items")
		}
		if err := workqueue.CheckNaturalKey(key); err != nil {
			return cli.Usagef("--key: %v", err)
		}
		return a.WithStore(cmd.Context(), func(store cli.Store) error {
			n, err := store.RobotDelete(cmd.Context(), robot, queue, key, reason)
			if err != nil {
				return err
			}
			return a.Print(cli.FormatJSON, Deleted{n}, nil)
		})
	}
	return cmd
}
