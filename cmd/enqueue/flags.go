package enqueue

import (
	"os/user"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/payload"
	"botwork/internal/newitems"
	"botwork/workqueue"
)

// enqueueFlags are the flags of `enqueue` as given on the command line.
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

	key, limitKey         string
	tags, meta            []string
	labels, selectors     []string
	deadline, deadlineIn  string
	finishBy, finishIn    string
	retain, uniqueFor     string
	unique                bool
	uniqueUntil, conflict string
	attempts              int
	timeout, backoff      string
	resilience            string
}

func (f *enqueueFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.pipeline, "pipeline", "", "`NAME` of the pipeline, or a whole pipeline as YAML or JSON")
	f.payload.Register(cmd)
	flags.IntVar(&f.priority, "priority", workqueue.RequestPriority, "`NUMBER`: larger runs first")
	flags.StringVar(&f.queue, "queue", workqueue.DefaultQueue, "`NAME` of the queue")
	flags.StringVar(&f.estimate, "estimated-duration", "", "how long a run is expected to take: a `DURATION` such as 90s or 15m")
	flags.StringVar(&f.at, "at", "", "not before this `TIME`: RFC 3339, or 2006-01-02 15:04 in local time")
	flags.StringVar(&f.in, "in", "", "not before this `DURATION` has passed")
	flags.StringVar(&f.deadline, "deadline", "", "cancel the item if it has not started by this `TIME`")
	flags.StringVar(&f.deadlineIn, "deadline-in", "", "cancel the item if it has not started within this `DURATION` from now")
	flags.StringVar(&f.finishBy, "finish-by", "", "end the item at this `TIME`: it is not started afterwards, its run is ended, and it is not tried again")
	flags.StringVar(&f.finishIn, "finish-in", "", "the same, after this `DURATION` from now")
	flags.IntVar(&f.attempts, "attempts", 0, "at most `N` attempts in all; 1: no retry (default the pipeline's or the queue's)")
	flags.StringVar(&f.timeout, "timeout", "", "the longest time that one run may take: a `DURATION`")
	flags.StringVar(&f.backoff, "backoff", "", "the wait before the second attempt: a `DURATION`; later waits grow by the factor of the policy")
	flags.StringVar(&f.resilience, "resilience", "", "the item's whole policy as `JSON`, with the keys of a pipeline's resilience, such as '{\"limit\": 5, \"factor\": 1}'; instead of --attempts, --timeout and --backoff")
	flags.StringVar(&f.key, "key", "", "the natural `KEY`: the item's identifier in its source system")
	flags.BoolVar(&f.unique, "unique", false, "only if no item with the same queue, pipeline and payload waits or runs")
	flags.StringVar(&f.uniqueFor, "unique-for", "", "only if no item with the same queue, pipeline and payload was created within this `DURATION`")
	flags.StringVar(&f.uniqueUntil, "unique-until", "", "done is the same as --unique: only until the existing item has ended, in whatever `STATE`")
	flags.StringVar(&f.conflict, "conflict", "existing", "`WHAT` to do if an item with the key exists: existing prints it and succeeds, fail enqueues nothing and fails")
	flags.StringArrayVar(&f.tags, "tag", nil, "a `TAG` for searching; may be repeated")
	flags.StringArrayVar(&f.meta, "meta", nil, "metadata for searching, `KEY=VALUE`; may be repeated")
	flags.StringArrayVar(&f.labels, "label", nil, "label of the item, for scores: `KEY=VALUE`; true, false and numbers are read as such, a value in double quotes as text; repeatable")
	flags.StringArrayVar(&f.selectors, "selector", nil, "which workers may run the item: a `CONDITION` such as 'ram >= 32', or an object in JSON; may be repeated")
	flags.StringVar(&f.limitKey, "limit-key", "", "the `KEY` for the queue's limits per key, such as a customer")
	flags.StringVar(&f.retain, "retain", "", "how long to keep the item after it has succeeded: a `DURATION`; 0s deletes it immediately (default the queue's)")
	flags.IntVar(&f.count, "count", 1, "enqueue the same item `N` times")
	flags.StringVar(&f.createdBy, "created-by", "", "`NAME` to store as the item's creator (default the user's)")
	flags.BoolVar(&f.stdin, "stdin", false, "read items from standard input, one JSON object per line; the same as -")
	flags.StringVar(&f.batch, "batch", "", "continue the batch `KEY`, which an earlier call of the same command printed: enqueue only the missing items")
	flags.BoolVar(&f.noCheck, "no-check", false, "do not check the pipeline in the pipelines folder")
}

// defaults checks the flags and returns the item that they define, without the payload.
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
	if err := f.policies(&it); err != nil {
		return it, err
	}
	var err error
	if it.Metadata, err = cli.ParsePairs(f.meta); err != nil {
		return it, err
	}
	if it.Labels, err = cli.ParseLabels(f.labels); err != nil {
		return it, err
	}
	if it.Selectors, err = cli.ParseSelectors(f.selectors); err != nil {
		return it, err
	}
	return it, newitems.Faults(f.place(), it.Validate()).Err()
}

// place returns the flags of the item's values, for findings.
func (f *enqueueFlags) place() newitems.Place {
	p := newitems.Place{File: "--pipeline", Flags: map[string]string{
		"naturalKey": "--key", "limitKey": "--limit-key", "tags": "--tag", "metadata": "--meta", "labels": "--label", "selectors": "--selector", "estimatedDuration": "--estimated-duration", "deadline": "--deadline", "finishBy": "--finish-by", "retain": "--retain",
		"attempts": "--attempts", "timeout": "--timeout", "backoff": "--backoff", "resilience": "--resilience", "conflict": "--conflict",
		"unique": "--unique-for", "pipeline": "--pipeline", "payload": "--payload", "priority": "--priority", "queue": "--queue",
	}}
	if f.deadlineIn != "" {
		p.Flags["deadline"] = "--deadline-in"
	}
	if f.finishIn != "" {
		p.Flags["finishBy"] = "--finish-in"
	}
	return p
}

// refuse rejects empty flags and combinations that are not allowed.
func (f *enqueueFlags) refuse(flags *pflag.FlagSet) error {
	// An unset variable in a script must not create an item without a key.
	for _, name := range []string{"key", "limit-key", "estimated-duration", "deadline", "deadline-in", "finish-by", "finish-in", "timeout", "backoff", "resilience", "retain", "unique-for", "unique-until", "conflict", "batch"} {
		if flag := flags.Lookup(name); flag.Changed && flag.Value.String() == "" {
			return cli.Usagef("--%s: got an empty text; omit the flag for none", name)
		}
	}
	if f.batch != "" {
		if err := workqueue.CheckBatchKey(f.batch); err != nil {
			return cli.Usagef("--batch: %v", err)
		}
	}
	switch {
	case f.stdin && (f.payload.IsSet() || f.count != 1 || f.key != ""):
		return cli.Usagef("--payload, --payload-file, --key and --count do not go with --stdin: each line is an item")
	case !f.stdin && f.pipeline == "" && !flags.Changed("queue"):
		return cli.Usagef("--pipeline is missing: it names the pipeline that the item runs; only items for robots need none, but need --queue")
	case f.count < 1 || f.count > 1_000_000:
		return cli.Usagef("--count: got %d, want 1 to 1000000", f.count)
	case f.uniqueUntil != "" && f.uniqueUntil != newitems.UniqueUntilDone:
		return cli.Usagef("--unique-until: got %q, want %s; hint: --unique-for is for a time", f.uniqueUntil, newitems.UniqueUntilDone)
	case f.count > 1 && (f.unique || f.uniqueFor != "" || f.uniqueUntil != ""):
		return cli.Usagef("got --count %d with --unique, --unique-until or --unique-for, which would create only one item", f.count)
	case flags.Changed("attempts") && f.attempts < 1:
		return cli.Usagef("--attempts: got %d, want 1 or more; 1 means no retry", f.attempts)
	case f.resilience != "" && (f.attempts != 0 || f.timeout != "" || f.backoff != ""):
		return cli.Usagef("got --resilience with --attempts, --timeout or --backoff, want one or the other; in JSON they are limit, timeout and delay")
	case !workqueue.ItemPriorityRange(f.priority):
		return cli.Usagef("--priority: got %d, want a number of 32 bits", f.priority)
	case f.at != "" && f.in != "":
		return cli.Usagef("got --at and --in, want one of them")
	case f.deadline != "" && f.deadlineIn != "":
		return cli.Usagef("got --deadline and --deadline-in, want one of them")
	case f.finishBy != "" && f.finishIn != "":
		return cli.Usagef("got --finish-by and --finish-in, want one of them")
	case f.uniqueFor != "" && (f.unique || f.uniqueUntil != ""):
		return cli.Usagef("got --unique-for and --unique or --unique-until, want one of them")
	}
	return nil
}

// times parses the flags that are times and durations.
func (f *enqueueFlags) times(it *workqueue.NewItem) (err error) {
	for _, flag := range []struct {
		name, text string
		to         *time.Time
	}{{"at", f.at, &it.At}, {"deadline", f.deadline, &it.Deadline}, {"finish-by", f.finishBy, &it.FinishBy}} {
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
	}{{"in", f.in, &it.In}, {"deadline-in", f.deadlineIn, &it.DeadlineIn}, {"finish-in", f.finishIn, &it.FinishIn}, {"retain", f.retain, &retain}} {
		if *flag.to, err = cli.ParseWait(flag.text); err != nil {
			return cli.Usagef("--%s: %v", flag.name, err)
		}
	}
	if f.retain != "" {
		it.Retain = &retain
	}
	if f.estimate != "" {
		if it.Estimate, err = cli.ParseEstimate(f.estimate); err != nil {
			return cli.Usagef("--estimated-duration: %v", err)
		}
	}
	if f.uniqueFor != "" {
		if it.UniqueFor, err = newitems.ParseUniqueFor(f.uniqueFor); err != nil {
			return cli.Usagef("--unique-for: %v", err)
		}
	}
	if f.unique || f.uniqueUntil != "" {
		it.UniqueFor = workqueue.UniqueWhileUnfinished
	}
	return nil
}
