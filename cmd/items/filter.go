package items

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"botwork/cmd/internal/cli"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// itemFlags are the filters of items as they were written.
type itemFlags struct {
	statuses                []string
	states, lifecycles      []string
	queue, pipeline, worker string
	key, task               string
	tags                    []string
	allTags                 bool
	meta                    []string
	band                    string
	minPriority             int
	maxPriority             int
	deleted                 bool
}

func (f *itemFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.statuses, "status", nil, "only these `STATUSES`: scheduled, pending, assigned, running, retry, succeeded, failed, business-error, expired, cancelled, deleted")
	flags.StringSliceVar(&f.lifecycles, "lifecycle", nil, "only these `LIFECYCLES`: scheduled, pending, assigned, active, retry, completed, archived, deleted")
	flags.StringSliceVar(&f.states, "state", nil, "only these `STATES`: names or numbers, or scheduled, retry, active, completed, archived")
	flags.StringVar(&f.queue, "queue", "", "only the queue `NAME`")
	flags.StringVar(&f.pipeline, "pipeline", "", "only the pipeline `NAME`")
	flags.StringVar(&f.worker, "worker", "", "only what the worker `NAME` holds or ran")
	flags.StringVar(&f.key, "key", "", "only the natural `KEY`")
	flags.StringVar(&f.task, "task", "", "only items of the scheduled task `NAME`")
	flags.StringArrayVar(&f.tags, "tag", nil, "only items with this `TAG`; again for items with any of them")
	flags.BoolVar(&f.allTags, "all-tags", false, "only items with all the tags of --tag")
	flags.StringArrayVar(&f.meta, "meta", nil, "only items with this metadata, `KEY=VALUE`; again for items with all of them")
	flags.StringVar(&f.band, "band", "", "only one `BAND`: high (above 1000), medium (500 to 1000) or low (below 500)")
	flags.IntVar(&f.minPriority, "min-priority", math.MinInt32, "only this `PRIORITY` and above")
	flags.IntVar(&f.maxPriority, "max-priority", math.MaxInt32, "only this `PRIORITY` and below")
	flags.Lookup("min-priority").DefValue, flags.Lookup("max-priority").DefValue = "0", "0" // the help shows no default then
	for name, words := range map[string][]string{"status": statusWords(), "lifecycle": lifecycleWords(), "state": stateWords(), "band": bandWords} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
}

// registerDeleted adds the flag for commands that have to do with deleted items.
func (f *itemFlags) registerDeleted(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.deleted, "deleted", false, "deleted items too")
}

var (
	bandWords = []string{"high", "medium", "low"}
	bands     = map[string]workqueue.Band{
		"high":   {Min: 1001, Max: math.MaxInt32},
		"medium": {Min: 500, Max: 1000},
		"low":    {Min: math.MinInt32, Max: 499},
	}
)

// filter is what the flags mean, but for --deleted: see [itemFlags.widen]. It is
// the zero value when nothing is filtered.
func (f *itemFlags) filter(flags *pflag.FlagSet) (workqueue.ItemFilter, error) {
	filter := workqueue.ItemFilter{
		QueueName: f.queue, Pipeline: f.pipeline, Worker: f.worker, NaturalKey: f.key, TaskName: f.task, TagsAny: f.tags,
	}
	if err := f.refuseEmpty(flags); err != nil {
		return filter, err
	}
	if f.allTags {
		if len(f.tags) == 0 {
			return filter, cli.Usagef("--all-tags: got no --tag, want one or more")
		}
		filter.TagsAny, filter.TagsAll = nil, f.tags
	}
	var err error
	if filter.States, filter.Lifecycles, err = f.standing(); err != nil {
		return filter, err
	}
	if filter.Statuses, err = f.parseStatuses(); err != nil {
		return filter, err
	}
	if filter.Metadata, err = cli.ParsePairs(f.meta); err != nil {
		return filter, err
	}
	filter.Band, err = f.priorities()
	return filter, err
}

// widen adds what --deleted asks for.
func (f *itemFlags) widen(filter *workqueue.ItemFilter) {
	if !f.deleted {
		return
	}
	if len(filter.Statuses) == 0 && len(filter.Lifecycles) == 0 {
		filter.Statuses = workqueue.Statuses()
	}
	if len(filter.Statuses) > 0 && !slices.Contains(filter.Statuses, workqueue.StatusDeleted) {
		filter.Statuses = append(filter.Statuses, workqueue.StatusDeleted)
	}
	if len(filter.Lifecycles) > 0 && !slices.Contains(filter.Lifecycles, workqueue.LifeDeleted) {
		filter.Lifecycles = append(filter.Lifecycles, workqueue.LifeDeleted)
	}
}

// refuseEmpty refuses a filter that was given and says nothing: a variable that a
// script forgot to set must not mean all items.
func (f *itemFlags) refuseEmpty(flags *pflag.FlagSet) error {
	for _, flag := range []struct {
		name   string
		values []string
	}{
		{"status", f.statuses}, {"lifecycle", f.lifecycles}, {"state", f.states}, {"queue", []string{f.queue}}, {"pipeline", []string{f.pipeline}},
		{"worker", []string{f.worker}}, {"key", []string{f.key}}, {"task", []string{f.task}}, {"tag", f.tags},
		{"meta", f.meta}, {"band", []string{f.band}},
	} {
		if flags.Changed(flag.name) && (len(flag.values) == 0 || slices.Contains(flag.values, "")) {
			return cli.Usagef("--%s: got an empty text; leave the flag out for any", flag.name)
		}
	}
	return nil
}

// priorities are those between the bounds; the zero Band means any.
func (f *itemFlags) priorities() (workqueue.Band, error) {
	band := workqueue.EveryPriority
	if f.band != "" {
		var ok bool
		if band, ok = bands[strings.ToLower(f.band)]; !ok {
			return band, &cli.UsageError{Message: fmt.Sprintf("--band: got %q, want high, medium or low", f.band), Hint: strictyaml.Suggest(f.band, bandWords)}
		}
	}
	band.Min, band.Max = max(band.Min, f.minPriority), min(band.Max, f.maxPriority)
	if band.Empty() {
		return band, cli.Usagef("no priority is left between --min-priority, --max-priority and --band")
	}
	if band == workqueue.EveryPriority {
		return workqueue.Band{}, nil
	}
	return band, nil
}
