package items

import (
	"cmp"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"botwork/cmd/internal/cli"
	"botwork/internal/itemquery"
	"botwork/workqueue"
)

// itemFlags are the filters of items as given on the command line.
type itemFlags struct {
	itemquery.Query
	minPriority, maxPriority int
	ranges                   map[string]*string // by field, such as failedSince

	names map[string]string // of the flags that are not flagOf their fields
}

// updateNames are the names of filters whose flags are new values for an update.
var updateNames = map[string]string{"payload": "payload-where", "label": "label-where"}

// register adds the flags. Those of names, by field, have another name than flagOf.
func (f *itemFlags) register(cmd *cobra.Command, names map[string]string) {
	f.names = names
	flags := cmd.Flags()
	flags.StringSliceVar(&f.Statuses, "status", nil, "only these `STATUSES`: scheduled, pending, assigned, running, retry, succeeded, failed, business-error, expired, cancelled, deleted")
	flags.StringSliceVar(&f.Lifecycles, "lifecycle", nil, "only these `LIFECYCLES`: scheduled, pending, assigned, active, retry, completed, archived, deleted")
	flags.StringSliceVar(&f.States, "state", nil, "only these `STATES`: names or numbers, or scheduled, retry, active, completed, archived")
	flags.StringVar(&f.Queue, "queue", "", "only the queue `NAME`")
	flags.StringVar(&f.Pipeline, "pipeline", "", "only the pipeline `NAME`")
	flags.StringVar(&f.Worker, "worker", "", "only items that the worker `NAME` holds or ran")
	flags.StringVar(&f.Key, "key", "", "only the natural `KEY`")
	flags.StringVar(&f.Task, "task", "", "only items of the scheduled task `NAME`")
	flags.StringArrayVar(&f.Tags, "tag", nil, "only items with this `TAG`; if repeated, items with any of the tags")
	flags.BoolVar(&f.AllTags, "all-tags", false, "only items with all the tags of --tag")
	flags.StringArrayVar(&f.Meta, "meta", nil, "only items with this metadata, `KEY=VALUE`; if repeated, items with all of them")
	flags.StringArrayVar(&f.MetaLike, "meta-like", nil, "only items whose metadata matches `KEY=PATTERN`: KEY=Ada* for values that begin with Ada, KEY=* for any value; may be repeated")
	flags.StringArrayVar(&f.Labels, f.flag("label"), nil, "only items with this label, `NAME=VALUE`, or NAME for any value; if repeated, items with all of them")
	flags.StringVar(&f.Band, "band", "", "only one `BAND`: high (above 1000), medium (500 to 1000) or low (below 500)")
	flags.IntVar(&f.minPriority, "min-priority", math.MinInt32, "only this `PRIORITY` and above")
	flags.IntVar(&f.maxPriority, "max-priority", math.MaxInt32, "only this `PRIORITY` and below")
	flags.Lookup("min-priority").DefValue, flags.Lookup("max-priority").DefValue = "0", "0" // hides the default in the help
	flags.StringVar(&f.KeyPart, "key-part", "", "only items whose natural key contains this `TEXT`, in any case")
	flags.StringSliceVar(&f.ErrorKinds, "error-kind", nil, "only items whose last failure has one of these `KINDS`: "+strings.Join(itemquery.ErrorKindWords(), ", "))
	flags.StringVar(&f.ErrorPart, "error", "", "only items whose last failure contains this `TEXT`, in any case")
	f.ranges = map[string]*string{}
	for _, r := range itemquery.Ranges() {
		for _, bound := range []struct{ name, help string }{{"Since", "since"}, {"Until", "before"}} {
			f.ranges[r.Name+bound.name] = flags.String(flagOf(r.Name+bound.name), "", "only items "+r.Help+" "+bound.help+" this `TIME`")
		}
	}
	flags.StringVar(&f.Payload, f.flag("payload"), "", `only items whose payload matches this `+"`EXPRESSION`"+`, such as 'amount > 1000 and customer == "Ada"'`)
	_ = cmd.RegisterFlagCompletionFunc("error-kind", cobra.FixedCompletions(itemquery.ErrorKindWords(), cobra.ShellCompDirectiveNoFileComp))
	for name, words := range map[string][]string{
		"status": itemquery.StatusWords(), "lifecycle": itemquery.LifecycleWords(), "state": itemquery.StateWords(), "band": itemquery.BandWords(),
	} {
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
}

// registerDeleted adds the flag for commands that can use deleted items.
func (f *itemFlags) registerDeleted(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&f.Deleted, "deleted", false, "include deleted items")
}

// flagOf returns the flag of a field: key-part for keyPart.
func flagOf(field string) string {
	var flag strings.Builder
	for _, c := range field {
		if c >= 'A' && c <= 'Z' {
			flag.WriteByte('-')
			c += 'a' - 'A'
		}
		flag.WriteRune(c)
	}
	return flag.String()
}

// flag returns the name of the flag of a field.
func (f *itemFlags) flag(field string) string { return cmp.Or(f.names[field], flagOf(field)) }

// filter returns the filter of the flags, except --deleted: see [itemquery.Query.Widen]. It is the
// zero value if there is no filter.
func (f *itemFlags) filter(flags *pflag.FlagSet, zone *time.Location) (workqueue.ItemFilter, error) {
	f.MinPriority, f.MaxPriority, f.Times = &f.minPriority, &f.maxPriority, map[string]string{}
	for field, text := range f.ranges {
		f.Times[field] = *text
	}
	filter, faults := f.Filter(itemquery.Options{
		Now: time.Now(), Zone: zone, Name: func(field string) string { return "--" + f.flag(field) },
		Written: func(field string) bool { return flags.Changed(f.flag(field)) },
	})
	if len(faults) > 0 {
		return filter, &cli.UsageError{Message: faults[0].Message, Hint: faults[0].Hint}
	}
	return filter, nil
}
