package workers

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/config"
	"botwork/workqueue"
)

// setFlags are the settings of `botwork workers set`.
type setFlags struct {
	reset, allQueues, allChannels bool
	capacity, reserved            int
	labels, queues, channels      []string
}

func (a *command) workersSetCommand() *cobra.Command {
	f := &setFlags{}
	cmd := &cobra.Command{
		Use:   "set NAME",
		Short: "Change the settings of a worker without a restart",
		Long: `Changes the slots, labels, channels and queues of a worker while it runs. They
replace those of its settings file and its flags, also after a restart, until
--reset. A running worker applies them at its next heartbeat (worker.heartbeat,
20 seconds by default); the passes of all workers use them at once.

With more slots, waiting items start. With fewer slots, running items continue, and
no item starts until there are fewer of them than slots.

Several calls add up: a setting that is not given keeps its value. --label adds a
label or replaces its value; --label=-KEY removes one. --queues and --channel replace
the whole list.`,
		Example: "  botwork workers set worker-2 --capacity 8 --reserved 1\n" +
			"  botwork workers set worker-2 --label gpu=true --label=-trial\n" +
			"  botwork workers set worker-2 --queues erp,mail --channel voice=3 --channel chat=1:2\n" +
			"  botwork workers set worker-2 --reset",
		Args: cli.OneArgument("the worker's name"),
	}
	flags := cmd.Flags()
	cli.ReasonFlag(cmd)
	flags.IntVar(&f.capacity, "capacity", 0, "how many items run at the same time: `SLOTS`, 1 to 10000")
	flags.IntVar(&f.reserved, "reserved", 0, "how many of the slots are kept free for items above priority 1000: `SLOTS`")
	flags.StringArrayVar(&f.labels, "label", nil, "set a label, `KEY=VALUE`, or remove it with -KEY; may be repeated")
	flags.StringSliceVar(&f.queues, "queues", nil, "serve only these queues: `NAMES` with commas")
	flags.BoolVar(&f.allQueues, "all-queues", false, "serve all queues")
	flags.StringArrayVar(&f.channels, "channel", nil, "take only these channels: `NAME=COST` slots, or NAME=COST:MAX for at most MAX items at a time; may be repeated")
	flags.BoolVar(&f.allChannels, "all-channels", false, "take items of all channels, with one slot each")
	flags.BoolVar(&f.reset, "reset", false, "first remove everything that was set for the worker by this command")
	flags.Lookup("capacity").DefValue, flags.Lookup("reserved").DefValue = "0", "0" // hides defaults in the help
	cmd.MarkFlagsMutuallyExclusive("queues", "all-queues")
	cmd.MarkFlagsMutuallyExclusive("channel", "all-channels")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		o, err := f.overrides(cmd)
		if err != nil {
			return err
		}
		if o.None() && !f.reset {
			return cli.Usagef("got no setting; hint: give one, such as --capacity 8, or --reset")
		}
		return a.WithBackend(cmd.Context(), func(store cli.Backend) error {
			w, err := store.SetWorker(cmd.Context(), args[0], f.reset, o)
			if errors.Is(err, workqueue.ErrNotFound) {
				return unknownWorker(cmd, store, args[0], err)
			}
			if err != nil {
				return err
			}
			a.reportSet(&w)
			return nil
		})
	}
	return cmd
}

// overrides returns the settings of the flags.
func (f *setFlags) overrides(cmd *cobra.Command) (o workqueue.WorkerOverrides, err error) {
	if cmd.Flags().Changed("capacity") {
		o.Capacity = &f.capacity
	}
	if cmd.Flags().Changed("reserved") {
		o.ReservedSlots = &f.reserved
	}
	if o.Labels, err = f.labelChanges(); err != nil {
		return o, err
	}
	switch {
	case f.allQueues:
		o.Queues = &[]string{}
	case cmd.Flags().Changed("queues"):
		for _, name := range f.queues {
			if err := workqueue.CheckName(name); err != nil {
				return o, cli.Usagef("--queues: %v", err)
			}
		}
		if len(f.queues) == 0 {
			return o, cli.Usagef("--queues: got no name; hint: --all-queues serves all queues")
		}
		o.Queues = &f.queues
	}
	switch {
	case f.allChannels:
		o.Channels = &workqueue.Channels{}
	case len(f.channels) > 0:
		var read config.Channels
		if err := read.UnmarshalText([]byte(strings.Join(f.channels, ","))); err != nil {
			return o, cli.Usagef("--channel: %v", err)
		}
		channels := workqueue.Channels{}
		for name, c := range read {
			channel := workqueue.Channel{Cost: c.Cost}
			if c.Max != nil {
				channel.Max = *c.Max
			}
			channels[name] = channel
		}
		o.Channels = &channels
	}
	return o, nil
}

// labelChanges returns the new labels, and nil for those to remove.
func (f *setFlags) labelChanges() (map[string]any, error) {
	var set []string
	changes := map[string]any{}
	for _, label := range f.labels {
		if key, remove := strings.CutPrefix(label, "-"); remove {
			changes[key] = nil
		} else {
			set = append(set, strings.TrimPrefix(label, "+"))
		}
	}
	labels, err := cli.ParseLabels(set)
	if err != nil {
		return nil, err
	}
	for key, value := range labels {
		if _, both := changes[key]; both {
			return nil, cli.Usagef("--label: got a value for %s and -%s, want one of them", key, key)
		}
		changes[key] = value.Any()
	}
	return changes, nil
}

// reportSet prints what holds for the worker now, and when it applies it.
func (a *command) reportSet(w *workqueue.Worker) {
	when := "the running process applies it at its next heartbeat"
	if w.State == workqueue.WorkerStopped {
		when = "it applies when the worker starts"
	}
	if w.Overrides == "" {
		fmt.Fprintf(a.Stdout, "worker %s: uses the settings of its process; %s\n", w.Name, when)
		return
	}
	fmt.Fprintf(a.Stdout, "worker %s: %s; %s\n", w.Name, strings.Join(overriddenTexts(w), ", "), when)
}

// overriddenTexts describes what a person set for a worker.
func overriddenTexts(w *workqueue.Worker) []string {
	o, err := workqueue.ParseOverrides(w.Overrides)
	if err != nil {
		return []string{"unreadable: " + err.Error()}
	}
	var list []string
	if o.Capacity != nil {
		list = append(list, fmt.Sprintf("capacity %d", *o.Capacity))
	}
	if o.ReservedSlots != nil {
		list = append(list, fmt.Sprintf("reserved %d", *o.ReservedSlots))
	}
	if len(o.Labels) > 0 {
		list = append(list, "labels "+string(w.Labels))
	}
	if o.Channels != nil {
		list = append(list, "channels "+channelsText(w.Channels))
	}
	if o.Queues != nil {
		list = append(list, "queues "+servedText(w.Queues))
	}
	return list
}
