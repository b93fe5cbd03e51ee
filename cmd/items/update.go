package items

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/itemcheck"
	"botwork/cmd/internal/payload"
	"botwork/internal/newitems"
	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// updateFlags are the new values of `items update` as given on the command line. The tags and
// metadata among the filters are new values too if they have a sign, or if items are named by
// their ids.
type updateFlags struct {
	payload                      payload.Flags
	priority                     int
	queue                        string
	at, in, deadline, deadlineIn string
	finishBy, finishIn           string
	estimate                     string
	resilience                   string
	limitKey                     string
	labels, selectors            []string
	clear                        []string
	ifVersion                    int64
	noCheck                      bool
}

// clearable are the values that --clear removes.
var clearable = []string{"deadline", "estimated-duration", "finish-by", "limit-key", "payload", "resilience", "selector"}

func (a *command) itemsUpdateCommand() *cobra.Command {
	text := changeTexts[workqueue.Update]
	c := &itemChange{Change: workqueue.Change{Action: workqueue.Update}}
	u := &updateFlags{}
	cmd := &cobra.Command{
		Use: "update [ID...]", Aliases: []string{"set"}, Short: text.short, Long: text.long + changeDoc,
		Example: `  botwork items update 17 --priority 1500 --in 10m
  botwork items update 17 18 --tag +urgent --tag -old --meta customer=Ada
  botwork items update 17 --payload-file order.json --if-version 3
  botwork items update --queue mail --status scheduled --to-queue mail-slow --dry-run`,
	}
	c.register(cmd)
	u.register(cmd)
	a.RegisterLockTimeout(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ids, err := parseIDs(args)
		if err != nil {
			return err
		}
		if c.Update, err = u.values(cmd, &c.flags, len(ids) > 0); err != nil {
			return err
		}
		if u.payload.IsSet() {
			text, err := u.payload.Read(a.Stdin, nil)
			if err != nil {
				return err
			}
			c.Update.Payload = &text
		}
		if err := a.checkPayload(c.Update, u); err != nil {
			return err
		}
		if cmd.Flags().Changed("if-version") {
			switch c.IfVersion = u.ifVersion; {
			case c.IfVersion < 1:
				return cli.Usagef("--if-version: got %d, want a whole number from 1 on, as `botwork items show` prints it", c.IfVersion)
			case len(ids) != 1:
				return cli.Usagef("--if-version: got %d ids, want one", len(ids))
			}
		}
		if err := c.Validate(); err != nil {
			return cli.Usagef("%v", err)
		}
		return a.runChange(cmd, c, ids)
	}
	return cmd
}

// checkPayload makes the update compare a new payload with the pipelines of the items, as
// `botwork enqueue` does.
func (a *command) checkPayload(v *workqueue.ItemUpdate, u *updateFlags) error {
	switch {
	case v.Payload == nil:
		return nil
	case a.UsesServer():
		if !u.noCheck {
			v.CheckPayload = checkedByServer
		}
		return nil
	}
	if err := a.LoadConfig(); err != nil {
		return err
	}
	checker, err := itemcheck.New(a.App, "updates", u.noCheck)
	if err != nil {
		return err
	}
	at := newitems.Place{File: "--payload", Flags: map[string]string{"pipeline": "pipeline"}}
	if !u.payload.IsSet() {
		at.File = "--clear payload"
	}
	v.CheckPayload = func(integrationConfig string, payload workqueue.JSONText) error {
		return checker.CheckPayload(integrationConfig, payload, at).Err()
	}
	return nil
}

// checkedByServer accepts any payload: the server checks it.
func checkedByServer(string, workqueue.JSONText) error { return nil }

func (u *updateFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVar(&u.priority, "priority", 0, "new priority `NUMBER`; the queue's offset is added")
	flags.StringVar(&u.queue, "to-queue", "", "move to the queue `NAME`")
	flags.StringVar(&u.at, "at", "", "not before this `TIME`: RFC 3339, or 2006-01-02 15:04 in local time")
	flags.StringVar(&u.in, "in", "", "not before this `DURATION` has passed; 0s: now")
	flags.StringVar(&u.deadline, "deadline", "", "cancel the item if it has not started by this `TIME`")
	flags.StringVar(&u.deadlineIn, "deadline-in", "", "cancel the item if it has not started within this `DURATION` from now")
	flags.StringVar(&u.finishBy, "finish-by", "", "end the item at this `TIME`: it is not started afterwards, its run is ended, and it is not tried again")
	flags.StringVar(&u.finishIn, "finish-in", "", "the same, after this `DURATION` from now")
	flags.StringVar(&u.estimate, "estimated-duration", "", "how long a run is expected to take: a `DURATION` such as 90s or 15m")
	flags.StringVar(&u.resilience, "resilience", "", "retry policy as `JSON`, such as '{\"limit\": 5}'")
	flags.StringVar(&u.limitKey, "limit-key", "", "the `KEY` for the queue's limits per key")
	flags.StringArrayVar(&u.labels, "label", nil, "set a label, `KEY=VALUE`, or remove it with -KEY; may be repeated")
	flags.StringArrayVar(&u.selectors, "selector", nil, "replace all selectors by this `CONDITION` such as 'ram >= 32'; may be repeated")
	flags.StringSliceVar(&u.clear, "clear", nil, "remove these `VALUES`: "+strings.Join(clearable, ", "))
	flags.Int64Var(&u.ifVersion, "if-version", 0, "change the item only if it has the version `N`, which `items show` prints")
	flags.BoolVar(&u.noCheck, "no-check", false, "do not compare the payload with the pipelines in the pipelines folder")
	u.payload.Register(cmd)
	flags.Lookup("priority").DefValue = "0" // hides a default in the help
	flags.Lookup("tag").Usage = "add a tag with +`TAG`, remove it with -TAG; without a sign it is a filter, or added to the items with these ids"
	flags.Lookup("meta").Usage = "set metadata with +`KEY=VALUE`, remove it with -KEY; without a sign it is a filter, or set for the items with these ids"
	_ = cmd.RegisterFlagCompletionFunc("clear", cobra.FixedCompletions(clearable, cobra.ShellCompDirectiveNoFileComp))
}

// values returns the new values except the payload. It moves the tags and metadata that are new
// values out of the filter.
func (u *updateFlags) values(cmd *cobra.Command, filter *itemFlags, ids bool) (*workqueue.ItemUpdate, error) {
	v := &workqueue.ItemUpdate{Queue: u.queue}
	for _, name := range []string{"to-queue", "at", "in", "deadline", "deadline-in", "finish-by", "finish-in", "estimated-duration", "resilience", "limit-key"} {
		if flag := cmd.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
			return nil, cli.Usagef("--%s: got an empty text; omit the flag to keep the value", name)
		}
	}
	if cmd.Flags().Changed("priority") {
		v.Priority = &u.priority
	}
	for _, set := range []func(*workqueue.ItemUpdate) error{u.times, u.policies, u.matching, u.cleared} {
		if err := set(v); err != nil {
			return nil, err
		}
	}
	return v, filter.signed(v, ids)
}

func (u *updateFlags) times(v *workqueue.ItemUpdate) error {
	switch {
	case u.at != "" && u.in != "":
		return cli.Usagef("got --at and --in, want one of them")
	case u.deadline != "" && u.deadlineIn != "":
		return cli.Usagef("got --deadline and --deadline-in, want one of them")
	case u.finishBy != "" && u.finishIn != "":
		return cli.Usagef("got --finish-by and --finish-in, want one of them")
	}
	for _, flag := range []struct {
		name, text string
		to         **time.Time
	}{{"at", u.at, &v.At}, {"deadline", u.deadline, &v.Deadline}, {"finish-by", u.finishBy, &v.FinishBy}} {
		if flag.text == "" {
			continue
		}
		at, err := cli.ParseTime(flag.text)
		if err != nil {
			return cli.Usagef("--%s: %v", flag.name, err)
		}
		*flag.to = &at
	}
	for _, flag := range []struct {
		name, text string
		to         **time.Duration
	}{{"in", u.in, &v.In}, {"deadline-in", u.deadlineIn, &v.DeadlineIn}, {"finish-in", u.finishIn, &v.FinishIn}} {
		if flag.text == "" {
			continue
		}
		d, err := cli.ParseWait(flag.text)
		if err != nil {
			return cli.Usagef("--%s: %v", flag.name, err)
		}
		*flag.to = &d
	}
	return nil
}

func (u *updateFlags) policies(v *workqueue.ItemUpdate) error {
	if u.estimate != "" {
		d, err := cli.ParseEstimate(u.estimate)
		if err != nil {
			return cli.Usagef("--estimated-duration: %v", err)
		}
		v.Estimate = &d
	}
	if u.resilience != "" {
		text, err := newitems.Resilience([]byte(u.resilience))
		if err != nil {
			return cli.Usagef("--resilience: %v", err)
		}
		v.Resilience = &text
	}
	if u.limitKey != "" {
		v.LimitKey = &u.limitKey
	}
	return nil
}

func (u *updateFlags) matching(v *workqueue.ItemUpdate) error {
	var set []string
	for _, label := range u.labels {
		if key, remove := strings.CutPrefix(label, "-"); remove {
			v.RemoveLabels = append(v.RemoveLabels, key)
		} else {
			set = append(set, strings.TrimPrefix(label, "+"))
		}
	}
	var err error
	if v.Labels, err = cli.ParseLabels(set); err != nil {
		return err
	}
	if len(u.selectors) > 0 {
		selectors, err := cli.ParseSelectors(u.selectors)
		if err != nil {
			return err
		}
		v.Selectors = &selectors
	}
	return nil
}

// cleared removes the values of --clear.
func (u *updateFlags) cleared(v *workqueue.ItemUpdate) error {
	for _, name := range u.clear {
		given := false
		switch name {
		case "deadline":
			given, v.Deadline = v.Deadline != nil || v.DeadlineIn != nil, &time.Time{}
		case "estimated-duration":
			given, v.Estimate = v.Estimate != nil, new(time.Duration(0))
		case "finish-by":
			given, v.FinishBy = v.SetsFinish(), &time.Time{}
		case "limit-key":
			given, v.LimitKey = v.LimitKey != nil, new("")
		case "payload":
			given, v.Payload = u.payload.IsSet(), new(workqueue.JSONText(""))
		case "resilience":
			given, v.Resilience = v.Resilience != nil, new(workqueue.JSONText(""))
		case "selector":
			given, v.Selectors = v.Selectors != nil, &[]matching.Selector{}
		default:
			return cli.NotOneOf("clear", name, clearable)
		}
		if given {
			return cli.Usagef("got a new value and --clear for %s, want one of them", name)
		}
	}
	return nil
}

// signed moves the tags and metadata that are new values out of the filter: those with a sign and,
// for items that are named by their ids, all of them.
func (f *itemFlags) signed(v *workqueue.ItemUpdate, all bool) error {
	tags, meta := f.Tags, f.Meta
	f.Tags, f.Meta = nil, nil
	for _, tag := range tags {
		switch {
		case strings.HasPrefix(tag, "-"):
			v.RemoveTags = append(v.RemoveTags, tag[1:])
		case all || strings.HasPrefix(tag, "+"):
			v.AddTags = append(v.AddTags, strings.TrimPrefix(tag, "+"))
		default:
			f.Tags = append(f.Tags, tag)
		}
	}
	var set []string
	for _, pair := range meta {
		switch {
		case strings.HasPrefix(pair, "-"):
			v.RemoveMetadata = append(v.RemoveMetadata, pair[1:])
		case all || strings.HasPrefix(pair, "+"):
			set = append(set, strings.TrimPrefix(pair, "+"))
		default:
			f.Meta = append(f.Meta, pair)
		}
	}
	var err error
	v.Metadata, err = cli.ParsePairs(set)
	return err
}
