package cmd

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botwork/internal/strictyaml"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// itemFlags are the filters of `items list` as they were written.
type itemFlags struct {
	states                  []string
	queue, pipeline, worker string
	band                    string
	minPriority             int
	maxPriority             int
	limit                   int
	before                  int64
}

func (f *itemFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.states, "state", nil, "only these `STATES`: names or numbers, or scheduled, retry, active, completed, archived")
	flags.StringVar(&f.queue, "queue", "", "only the queue `NAME`")
	flags.StringVar(&f.pipeline, "pipeline", "", "only the pipeline `NAME`")
	flags.StringVar(&f.worker, "worker", "", "only what the worker `NAME` holds or ran")
	flags.StringVar(&f.band, "band", "", "only one `BAND`: high (above 1000), medium (500 to 1000) or low (below 500)")
	flags.IntVar(&f.minPriority, "min-priority", math.MinInt32, "only this `PRIORITY` and above")
	flags.IntVar(&f.maxPriority, "max-priority", math.MaxInt32, "only this `PRIORITY` and below")
	flags.IntVar(&f.limit, "limit", 50, "list at most `N` items")
	flags.Int64Var(&f.before, "before", 0, "only items with a smaller `ID`: the next page")
	flags.Lookup("min-priority").DefValue, flags.Lookup("max-priority").DefValue = "0", "0" // the help shows no default then
	complete := func(words []string) cobra.CompletionFunc {
		return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	}
	_ = cmd.RegisterFlagCompletionFunc("state", complete(stateWords()))
	_ = cmd.RegisterFlagCompletionFunc("band", complete(bandWords))
}

// itemQuery is what the filters mean.
type itemQuery struct {
	filter workqueue.ItemFilter

	// waits, when set, picks among the items that wait by what the state alone
	// does not tell.
	waits func(it *workqueue.Item, now time.Time) bool
}

var (
	bandWords = []string{"high", "medium", "low"}
	bands     = map[string]workqueue.Band{
		"high":   {Min: 1001, Max: math.MaxInt32},
		"medium": {Min: 500, Max: 1000},
		"low":    {Min: math.MinInt32, Max: 499},
	}
)

// lifecycles are the names that people know from other queues. What is pending
// there is Ready or Pending here and due; the state's name comes first.
var lifecycles = map[string][]workqueue.State{
	"active":    {workqueue.Blocked},
	"completed": {workqueue.Processed},
	"archived":  {workqueue.Cancelled},
	"scheduled": {workqueue.Ready, workqueue.Pending},
	"retry":     {workqueue.Ready, workqueue.Pending},
}

// waiting tells apart what stands in the same states.
var waiting = map[string]func(it *workqueue.Item, now time.Time) bool{
	"scheduled": func(it *workqueue.Item, now time.Time) bool { return it.RetryCount == 0 && it.AvailableAt.After(now) },
	"retry":     func(it *workqueue.Item, now time.Time) bool { return it.RetryCount > 0 && it.AvailableAt.After(now) },
}

func stateWords() []string {
	var words []string
	for _, s := range workqueue.States() {
		words = append(words, s.String())
	}
	return append(words, "scheduled", "retry", "active", "completed", "archived")
}

func (f *itemFlags) query() (itemQuery, error) {
	q := itemQuery{filter: workqueue.ItemFilter{
		QueueName: f.queue, Pipeline: f.pipeline, Worker: f.worker, BeforeID: f.before, Limit: f.limit,
	}}
	if f.limit < 1 {
		return q, usagef("--limit: got %d, want 1 or more", f.limit)
	}
	if f.before < 0 {
		return q, usagef("--before: got %d, want an item's id", f.before)
	}
	for _, word := range f.states {
		if err := q.addState(word, len(f.states)); err != nil {
			return q, err
		}
	}
	band := workqueue.EveryPriority
	if f.band != "" {
		var ok bool
		if band, ok = bands[strings.ToLower(f.band)]; !ok {
			return q, &usageError{fmt.Sprintf("--band: got %q, want high, medium or low", f.band), strictyaml.Suggest(f.band, bandWords)}
		}
	}
	band.Min, band.Max = max(band.Min, f.minPriority), min(band.Max, f.maxPriority)
	if band.Empty() {
		return q, usagef("no priority is left between --min-priority, --max-priority and --band")
	}
	if band != workqueue.EveryPriority {
		q.filter.Band = band
	}
	return q, nil
}

func (q *itemQuery) addState(word string, of int) error {
	if state, err := workqueue.ParseState(word); err == nil {
		q.filter.States = append(q.filter.States, state)
		return nil
	}
	states, ok := lifecycles[strings.ToLower(word)]
	if !ok {
		return &usageError{fmt.Sprintf("--state: got %q, want one of %s", word, strings.Join(stateWords(), ", ")), strictyaml.Suggest(word, stateWords())}
	}
	if q.waits = waiting[strings.ToLower(word)]; q.waits != nil && of > 1 {
		return usagef("--state: %s stands alone, since it is no state but a question of time", word)
	}
	q.filter.States = append(q.filter.States, states...)
	return nil
}

// items lists what the query asks for, the newest first.
func (q itemQuery) items(ctx context.Context, store *sqlstore.Store) ([]workqueue.Item, error) {
	if q.waits == nil {
		return store.Items(ctx, q.filter)
	}
	now, err := store.Now(ctx)
	if err != nil {
		return nil, err
	}
	found, f := []workqueue.Item{}, q.filter
	for f.Limit = 1000; len(found) < q.filter.Limit; {
		page, err := store.Items(ctx, f)
		if err != nil || len(page) == 0 {
			return found, err
		}
		f.BeforeID = page[len(page)-1].ID
		found = append(found, slices.DeleteFunc(page, func(it workqueue.Item) bool { return !q.waits(&it, now) })...)
	}
	return found[:q.filter.Limit], nil
}
