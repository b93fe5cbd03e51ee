package robots

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

// takeFlags are the flags of `robots take` as given on the command line.
type takeFlags struct {
	params      workqueue.CheckoutParams
	lease       string
	meta, tries []string
	tags        []string
	allTags     bool
	ids         []int64
	peek        bool
	wait        string
	required    bool
}

func (a *command) robotsTakeCommand() *cobra.Command {
	var f takeFlags
	cmd := &cobra.Command{
		Use:   "take",
		Short: "Check items out",
		Long: `Checks out the first due items of a queue: by priority, then deadline, then id. They
are running until their lease ends; no other robot or worker gets them meanwhile.
With filters, an item must match all of them.

Prints an object with the lock key under "lockKey" and the items under "items". The
list is empty if no item matches, the queue is paused, or it has reached its limits.
With --wait the command tries again each second until there is an item or the time
has passed; with --required it then fails instead of printing an empty list.`,
		Example: "  botwork robots take --queue forms --robot ann\n  botwork robots take --queue forms --robot ann --max 5 --lease 15m --tag urgent\n" +
			"  botwork robots take --queue forms --robot ann --wait 30s --required\n  botwork robots take --queue forms --robot ann --peek",
		Args: cli.NoArguments,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.params.Robot, "robot", "", "`NAME` of the robot that takes the items")
	flags.StringVar(&f.params.Queue, "queue", "", "`NAME` of the queue")
	flags.IntVar(&f.params.Max, "max", 1, "take at most `N` items")
	flags.StringVar(&f.lease, "lease", "", "how long the robot holds the items: a `DURATION` (default the queue's)")
	flags.StringVar(&f.params.Filter.Key, "key", "", "only items with this natural `KEY`")
	flags.StringArrayVar(&f.tags, "tag", nil, "only items with this `TAG`; if repeated, items with any of the tags")
	flags.BoolVar(&f.allTags, "all-tags", false, "only items with all the tags of --tag")
	flags.StringArrayVar(&f.meta, "meta", nil, "only items with this metadata, `KEY=VALUE`; if repeated, items with all of them")
	flags.StringSliceVar(&f.tries, "tries", nil, "only items by their failures: `TRIES` is new, failed-once, failed-again or any")
	flags.Int64SliceVar(&f.ids, "item", nil, "only the item `ID`; may be repeated")
	flags.BoolVar(&f.peek, "peek", false, "show what would be taken, without taking it")
	flags.StringVar(&f.wait, "wait", "", "if there is no item, try again each second for this `DURATION`")
	flags.BoolVar(&f.required, "required", false, "fail with exit code 1 if no item was taken")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := f.refuseEmpty(cmd.Flags()); err != nil {
			return err
		}
		p, err := f.read()
		if err != nil {
			return err
		}
		wait, err := cli.ParseWait(f.wait)
		if err != nil {
			return cli.Usagef("--wait: %v", err)
		}
		if f.peek && (wait > 0 || f.required) {
			return cli.Usagef("got --peek with --wait or --required, which are for taking items")
		}
		return a.WithStore(cmd.Context(), func(store cli.Store) error {
			var taken workqueue.Checkout
			if f.peek {
				taken.Items, err = store.PeekItems(cmd.Context(), p)
			} else {
				taken, err = takeWithin(cmd.Context(), store, p, wait)
			}
			if err != nil {
				return cli.NoSuchQueue(cmd.Context(), store, p.Queue, err)
			}
			if f.required && len(taken.Items) == 0 {
				return fmt.Errorf("no item of the queue %q can be taken now: none matches and is due, or the queue is paused or at its limits", p.Queue)
			}
			return a.Print(cli.FormatJSON, taken, nil)
		})
	}
	return cmd
}

// takeEach is the time between two tries of a robot that waits.
const takeEach = time.Second

// takeWithin checks items out. While there are none, it tries again until wait has passed.
func takeWithin(ctx context.Context, store cli.Store, p workqueue.CheckoutParams, wait time.Duration) (workqueue.Checkout, error) {
	for until := time.Now().Add(wait); ; {
		taken, err := store.Checkout(ctx, p)
		left := time.Until(until)
		if err != nil || len(taken.Items) > 0 || left <= 0 {
			return taken, err
		}
		select {
		case <-ctx.Done():
			return taken, ctx.Err()
		case <-time.After(min(takeEach, left)):
		}
	}
}

// refuseEmpty rejects an empty filter: an unset variable in a script must not match every item.
func (f *takeFlags) refuseEmpty(flags *pflag.FlagSet) error {
	switch {
	case flags.Changed("key") && f.params.Filter.Key == "":
		return cli.Usagef("--key: got an empty text; omit the flag to match any")
	case slices.Contains(f.tags, ""):
		return cli.Usagef("--tag: got an empty text; omit the flag to match any")
	case f.allTags && len(f.tags) == 0:
		return cli.Usagef("--all-tags: got no --tag, want one or more")
	}
	return nil
}

// read checks the flags.
func (f *takeFlags) read() (workqueue.CheckoutParams, error) {
	p := f.params
	if p.Queue == "" {
		return p, cli.Usagef("--queue is missing: it names the queue to take from")
	}
	var err error
	if p.Lease, err = cli.ParseWait(f.lease); err != nil {
		return p, cli.Usagef("--lease: %v", err)
	}
	if p.Filter.Metadata, err = cli.ParsePairs(f.meta); err != nil {
		return p, err
	}
	for _, word := range f.tries {
		t, err := workqueue.ParseTries(word)
		if err != nil {
			return p, cli.Usagef("--%v", err)
		}
		p.Filter.Tries = append(p.Filter.Tries, t)
	}
	if p.Max < 1 {
		return p, cli.Usagef("--max: got %d, want 1 to %d", p.Max, workqueue.MaxCheckout)
	}
	if p.Filter.IDs = f.ids; f.allTags {
		p.Filter.TagsAll = f.tags
	} else {
		p.Filter.TagsAny = f.tags
	}
	if p, err = p.Normal(); err != nil {
		// Each fault is a line that begins with the name of its flag.
		return p, cli.Usagef("--%s", strings.ReplaceAll(err.Error(), "\n", "\n--"))
	}
	return p, nil
}
