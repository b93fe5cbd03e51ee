package enqueue

import (
	"fmt"
	"os/user"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/payload"
	"botwork/handlers"
	"botwork/workqueue"
)

// enqueueFlags are the flags of `enqueue` as they were written.
type enqueueFlags struct {
	pipeline  string
	queue     string
	priority  int
	estimate  string
	at, in    string
	createdBy string
	payload   payload.Flags
	count     int
	stdin     bool
	noCheck   bool
	batch     string

	key, limitKey        string
	tags, meta           []string
	labels, selectors    []string
	deadline, deadlineIn string
	retain, uniqueFor    string
	unique               bool
}

func (f *enqueueFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.pipeline, "pipeline", "", "`NAME` of the pipeline, or a whole pipeline as YAML or JSON")
	f.payload.Register(cmd)
	flags.IntVar(&f.priority, "priority", workqueue.RequestPriority, "`NUMBER`: larger runs first")
	flags.StringVar(&f.queue, "queue", workqueue.DefaultQueue, "`NAME` of the queue")
	flags.StringVar(&f.estimate, "estimated-duration", "", "how long a run is expected to take: a `DURATION` such as 90s or 15m")
	flags.StringVar(&f.at, "at", "", "not before this `TIME`: RFC 3339, or 2006-01-02 15:04 in local time")
	flags.StringVar(&f.in, "in", "", "not before this `DURATION` has gone by")
	flags.StringVar(&f.deadline, "deadline", "", "give the item up if it has not started by this `TIME`")
	flags.StringVar(&f.deadlineIn, "deadline-in", "", "give the item up if it has not started within this `DURATION` from now")
	flags.StringVar(&f.key, "key", "", "the natural `KEY`: what the item is called where it comes from")
	flags.BoolVar(&f.unique, "unique", false, "only if no item of the same queue, pipeline and payload waits or runs")
	flags.StringVar(&f.uniqueFor, "unique-for", "", "only if none of the same queue, pipeline and payload was made within this `DURATION`")
	flags.StringArrayVar(&f.tags, "tag", nil, "a `TAG` to find the item by; again for more")
	flags.StringArrayVar(&f.meta, "meta", nil, "metadata to find the item by, `KEY=VALUE`; again for more")
	flags.StringArrayVar(&f.labels, "label", nil, "label of the item, for scores: `KEY=VALUE`; true, false and numbers are read as such, a value in double quotes as text; repeatable")
	flags.StringArrayVar(&f.selectors, "selector", nil, "which workers may take the item: a `CONDITION` such as 'ram >= 32', or an object in JSON; again for more")
	flags.StringVar(&f.limitKey, "limit-key", "", "what the queue's limits per key count by: a `KEY` such as a customer")
	flags.StringVar(&f.retain, "retain", "", "how long to keep the item when it has succeeded: a `DURATION`; 0s deletes it at once (default the queue's)")
	flags.IntVar(&f.count, "count", 1, "enqueue the same item `N` times")
	flags.StringVar(&f.createdBy, "created-by", "", "`NAME` to keep with the item (default the user's)")
	flags.BoolVar(&f.stdin, "stdin", false, "read items from standard input, one JSON object per line; the same as -")
	flags.StringVar(&f.batch, "batch", "", "enqueue what is missing of the batch `KEY`, which an earlier call of the same command has named")
	flags.BoolVar(&f.noCheck, "no-check", false, "do not look for the pipeline in the pipelines folder")
}

// defaults checks the flags and makes the item of them, but for the payload.
func (f *enqueueFlags) defaults(flags *pflag.FlagSet) (workqueue.NewItem, error) {
	it := workqueue.NewItem{
		QueueName: f.queue, State: workqueue.Pending, Priority: f.priority, IntegrationConfig: f.pipeline, CreatedBy: f.createdBy,
		NaturalKey: f.key, LimitKey: f.limitKey, Tags: f.tags,
	}
	if it.CreatedBy == "" {
		if who, err := user.Current(); err == nil {
			it.CreatedBy = who.Username
		}
	}
	if err := f.refuse(flags); err != nil {
		return it, err
	}
	if err := f.times(&it); err != nil {
		return it, err
	}
	var err error
	if it.Metadata, err = cli.ParsePairs(f.meta); err != nil {
		return it, err
	}
	if it.Labels, err = parseLabels(f.labels); err != nil {
		return it, err
	}
	if it.Selectors, err = parseSelectors(f.selectors); err != nil {
		return it, err
	}
	return it, f.place().faults(it.Validate()).Err()
}

// place is where the parts of the item were written.
func (f *enqueueFlags) place() place {
	p := place{file: "--pipeline", flags: map[string]string{
		"naturalKey": "--key", "limitKey": "--limit-key", "tags": "--tag", "metadata": "--meta", "labels": "--label", "selectors": "--selector", "estimatedDuration": "--estimated-duration", "deadline": "--deadline", "retain": "--retain",
		"unique": "--unique-for", "pipeline": "--pipeline", "payload": "--payload", "priority": "--priority", "queue": "--queue",
	}}
	if f.deadlineIn != "" {
		p.flags["deadline"] = "--deadline-in"
	}
	return p
}

// refuse finds flags that do not go together, or say nothing.
func (f *enqueueFlags) refuse(flags *pflag.FlagSet) error {
	// A variable that a script forgot to set must not make an item without a key.
	for _, name := range []string{"key", "limit-key", "estimated-duration", "deadline", "deadline-in", "retain", "unique-for", "batch"} {
		if flag := flags.Lookup(name); flag.Changed && flag.Value.String() == "" {
			return cli.Usagef("--%s: got an empty text; leave the flag out for none", name)
		}
	}
	if f.batch != "" {
		if err := workqueue.CheckBatchKey(f.batch); err != nil {
			return cli.Usagef("--batch: %v", err)
		}
	}
	switch {
	case f.stdin && (f.payload.Given() || f.count != 1 || f.key != ""):
		return cli.Usagef("--payload, --payload-file, --key and --count do not go with --stdin: each line is an item")
	case !f.stdin && f.pipeline == "" && !flags.Changed("queue"):
		return cli.Usagef("--pipeline is missing: it names the pipeline that the item runs; only items for robots need none, and name their --queue")
	case f.count < 1 || f.count > 1_000_000:
		return cli.Usagef("--count: got %d, want 1 to 1000000", f.count)
	case f.count > 1 && (f.unique || f.uniqueFor != ""):
		return cli.Usagef("got --count %d, of which --unique and --unique-for would make one item", f.count)
	case !workqueue.ItemPriorityRange(f.priority):
		return cli.Usagef("--priority: got %d, want a number of 32 bits", f.priority)
	case f.at != "" && f.in != "":
		return cli.Usagef("got --at and --in, want one of them")
	case f.deadline != "" && f.deadlineIn != "":
		return cli.Usagef("got --deadline and --deadline-in, want one of them")
	case f.unique && f.uniqueFor != "":
		return cli.Usagef("got --unique and --unique-for, want one of them")
	}
	return nil
}

// times reads the flags that are times and lengths of time.
func (f *enqueueFlags) times(it *workqueue.NewItem) (err error) {
	for _, flag := range []struct {
		name, text string
		to         *time.Time
	}{{"at", f.at, &it.At}, {"deadline", f.deadline, &it.Deadline}} {
		if flag.text == "" {
			continue
		}
		if *flag.to, err = cli.ParseTime(flag.text); err != nil {
			return cli.Usagef("--%s: %v", flag.name, err)
		}
	}
	var retain time.Duration
	for _, flag := range []struct {
		name, text string
		to         *time.Duration
	}{{"in", f.in, &it.In}, {"deadline-in", f.deadlineIn, &it.DeadlineIn}, {"retain", f.retain, &retain}} {
		if *flag.to, err = cli.ParseWait(flag.text); err != nil {
			return cli.Usagef("--%s: %v", flag.name, err)
		}
	}
	if f.retain != "" {
		it.Retain = &retain
	}
	if f.estimate != "" {
		if it.Estimate, err = parseEstimate(f.estimate); err != nil {
			return cli.Usagef("--estimated-duration: %v", err)
		}
	}
	if f.uniqueFor != "" {
		if it.UniqueFor, err = parseUniqueFor(f.uniqueFor); err != nil {
			return cli.Usagef("--unique-for: %v", err)
		}
	}
	if f.unique {
		it.UniqueFor = workqueue.UniqueWhileUnfinished
	}
	return nil
}

// parseEstimate reads how long a run is expected to take.
func parseEstimate(text string) (time.Duration, error) {
	d, err := handlers.ParseDuration(text)
	if err == nil {
		err = workqueue.CheckEstimate(d)
	}
	return d, err
}

// parseUniqueFor reads for how long an item is to be the only one.
func parseUniqueFor(text string) (time.Duration, error) {
	d, err := cli.ParseWait(text)
	if err == nil && d == 0 {
		err = fmt.Errorf("got %q, want more than 0s", text)
	}
	return d, err
}
