package items

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"botwork/cmd/internal/cli"
	"botwork/internal/author/strictyaml"
	"botwork/internal/moments"
	"botwork/workqueue"
)

// itemFlags are the filters of items as given on the command line.
type itemFlags struct {
	statuses                []string
	states, lifecycles      []string
	queue, pipeline, worker string
	key, task               string
	tags                    []string
	allTags                 bool
	meta, metaLike          []string
	band                    string
	minPriority             int
	maxPriority             int
	deleted                 bool

	ranges             map[string]*string // of "failed-since"
	errorKinds         []string
	errorPart, keyPart string
}

// timeRanges are the times that items can be selected by, each with the help of its flags.
var timeRanges = []struct{ name, help string }{
	{"created", "created"}, {"due", "due"}, {"started", "started"}, {"finished", "finished"}, {"failed", "ended as Failed or Business error"},
}

func (f *itemFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.statuses, "status", nil, "only these `STATUSES`: scheduled, pending, assigned, running, retry, succeeded, failed, business-error, expired, cancelled, deleted")
	flags.StringSliceVar(&f.lifecycles, "lifecycle", nil, "only these `LIFECYCLES`: scheduled, pending, assigned, active, retry, completed, archived, deleted")
	flags.StringSliceVar(&f.states, "state", nil, "only these `STATES`: names or numbers, or scheduled, retry, active, completed, archived")
	flags.StringVar(&f.queue, "queue", "", "only the queue `NAME`")
	flags.StringVar(&f.pipeline, "pipeline", "", "only the pipeline `NAME`")
	flags.StringVar(&f.worker, "worker", "", "only items that the worker `NAME` holds or ran")
	flags.StringVar(&f.key, "key", "", "only the natural `KEY`")
	flags.StringVar(&f.task, "task", "", "only items of the scheduled task `NAME`")
	flags.StringArrayVar(&f.tags, "tag", nil, "only items with this `TAG`; if repeated, items with any of the tags")
	flags.BoolVar(&f.allTags, "all-tags", false, "only items with all the tags of --tag")
	flags.StringArrayVar(&f.meta, "meta", nil, "only items with this metadata, `KEY=VALUE`; if repeated, items with all of them")
	flags.StringArrayVar(&f.metaLike, "meta-like", nil, "only items whose metadata matches `KEY=PATTERN`: KEY=Ada* for values that begin with Ada, KEY=* for any value; may be repeated")
	flags.StringVar(&f.band, "band", "", "only one `BAND`: high (above 1000), medium (500 to 1000) or low (below 500)")
	flags.IntVar(&f.minPriority, "min-priority", math.MinInt32, "only this `PRIORITY` and above")
	flags.IntVar(&f.maxPriority, "max-priority", math.MaxInt32, "only this `PRIORITY` and below")
	flags.Lookup("min-priority").DefValue, flags.Lookup("max-priority").DefValue = "0", "0" // hides the default in the help
	flags.StringVar(&f.keyPart, "key-part", "", "only items whose natural key contains this `TEXT`, in any case")
	flags.StringSliceVar(&f.errorKinds, "error-kind", nil, "only items whose last failure has one of these `KINDS`: "+strings.Join(errorKindWords(), ", "))
	flags.StringVar(&f.errorPart, "error", "", "only items whose last failure contains this `TEXT`, in any case")
	f.ranges = map[string]*string{}
	for _, r := range timeRanges {
		for _, bound := range []struct{ name, help string }{{"since", "since"}, {"until", "before"}} {
			name := r.name + "-" + bound.name
			f.ranges[name] = flags.String(name, "", "only items "+r.help+" "+bound.help+" this `TIME`")
		}
	}
	_ = cmd.RegisterFlagCompletionFunc("error-kind", cobra.FixedCompletions(errorKindWords(), cobra.ShellCompDirectiveNoFileComp))
	for name, words := range map[string][]string{"status": statusWords(), "lifecycle": lifecycleWords(), "state": stateWords(), "band": bandWords} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
}

// registerDeleted adds the flag for commands that can use deleted items.
func (f *itemFlags) registerDeleted(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.deleted, "deleted", false, "include deleted items")
}

var (
	bandWords = []string{"high", "medium", "low"}
	bands     = map[string]workqueue.Band{
		"high":   {Min: 1001, Max: math.MaxInt32},
		"medium": {Min: 500, Max: 1000},
		"low":    {Min: math.MinInt32, Max: 499},
	}
)

// filter returns the filter of the flags, except --deleted: see [itemFlags.widen]. It is the
// zero value if there is no filter.
func (f *itemFlags) filter(flags *pflag.FlagSet, zone *time.Location) (workqueue.ItemFilter, error) {
	filter := workqueue.ItemFilter{
		QueueName: f.queue, Pipeline: f.pipeline, Worker: f.worker, NaturalKey: f.key, TaskName: f.task, TagsAny: f.tags,
		KeyPart: f.keyPart, ErrorPart: f.errorPart,
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
	if filter.MetadataBegins, err = f.metaPatterns(); err != nil {
		return filter, err
	}
	if filter.ErrorKinds, err = f.parseErrorKinds(); err != nil {
		return filter, err
	}
	if err = f.parseRanges(&filter, time.Now(), zone); err != nil {
		return filter, err
	}
	filter.Band, err = f.priorities()
	return filter, err
}

// parseRanges reads the flags that end in -since and -until.
func (f *itemFlags) parseRanges(filter *workqueue.ItemFilter, now time.Time, zone *time.Location) error {
	for i, to := range []*workqueue.TimeRange{&filter.Created, &filter.Due, &filter.Started, &filter.Finished, &filter.Failed} {
		for bound, at := range map[string]*time.Time{"since": &to.Since, "until": &to.Until} {
			name := timeRanges[i].name + "-" + bound
			text := *f.ranges[name]
			if text == "" {
				continue
			}
			var err error
			if *at, err = moments.Parse(text, now, zone); err != nil {
				return cli.Usagef("--%s: %v", name, err)
			}
		}
		if !to.Since.IsZero() && !to.Until.IsZero() && !to.Since.Before(to.Until) {
			return cli.Usagef("--%[1]s-since is %[2]s, which is not before --%[1]s-until, %[3]s",
				timeRanges[i].name, to.Since.In(zone).Format(time.RFC3339), to.Until.In(zone).Format(time.RFC3339))
		}
	}
	return nil
}

func errorKindWords() []string {
	var words []string
	for _, kind := range workqueue.FailureKinds() {
		words = append(words, string(kind))
	}
	return words
}

func (f *itemFlags) parseErrorKinds() (kinds []workqueue.ErrorKind, err error) {
	for _, text := range f.errorKinds {
		kind := workqueue.ErrorKind(strings.ToLower(text))
		if !slices.Contains(workqueue.FailureKinds(), kind) {
			return nil, cli.NotOneOf("error-kind", text, errorKindWords())
		}
		kinds = append(kinds, kind)
	}
	return kinds, nil
}

// widen applies --deleted to the filter.
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

// refuseEmpty rejects an empty filter: an unset variable in a script must not select all items.
func (f *itemFlags) refuseEmpty(flags *pflag.FlagSet) error {
	for _, flag := range []struct {
		name   string
		values []string
	}{
		{"status", f.statuses}, {"lifecycle", f.lifecycles}, {"state", f.states}, {"queue", []string{f.queue}}, {"pipeline", []string{f.pipeline}},
		{"worker", []string{f.worker}}, {"key", []string{f.key}}, {"task", []string{f.task}}, {"band", []string{f.band}},
		{"key-part", []string{f.keyPart}}, {"error", []string{f.errorPart}}, {"error-kind", f.errorKinds}, {"meta-like", f.metaLike},
	} {
		if flags.Changed(flag.name) && (len(flag.values) == 0 || slices.Contains(flag.values, "")) {
			return emptyFilter(flag.name)
		}
	}
	for name, text := range f.ranges {
		if flags.Changed(name) && *text == "" {
			return emptyFilter(name)
		}
	}
	// Update moves new values out of these two, so they may be empty.
	if slices.Contains(f.tags, "") {
		return emptyFilter("tag")
	}
	if slices.Contains(f.meta, "") {
		return emptyFilter("meta")
	}
	return nil
}

// metaPatterns parses --meta-like: texts that end with the only asterisk.
func (f *itemFlags) metaPatterns() (map[string]string, error) {
	var begins map[string]string
	for _, text := range f.metaLike {
		key, pattern, ok := strings.Cut(text, "=")
		begin, star := strings.CutSuffix(pattern, "*")
		if !ok || key == "" || !star || strings.Contains(begin, "*") {
			return nil, cli.Usagef("--meta-like: got %q, want KEY=PATTERN with one asterisk at the end, such as customer=Ada*; --meta is for exact values", text)
		}
		if other, twice := begins[key]; twice && other != begin {
			return nil, cli.Usagef("--meta-like: got two patterns for the key %q, want one", key)
		}
		if begins == nil {
			begins = map[string]string{}
		}
		begins[key] = begin
	}
	return begins, nil
}

func emptyFilter(flag string) error {
	return cli.Usagef("--%s: got an empty text; omit the flag to match any", flag)
}

// priorities returns the band between the bounds; the zero Band matches any priority.
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
		return band, cli.Usagef("no priority matches --min-priority, --max-priority and --band together")
	}
	if band == workqueue.EveryPriority {
		return workqueue.Band{}, nil
	}
	return band, nil
}
