package cmd

import (
	"fmt"
	"os/user"
	"time"

	"github.com/spf13/cobra"

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
	payload   payloadFlags
	count     int
	stdin     bool
	noCheck   bool
}

func (f *enqueueFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.pipeline, "pipeline", "", "`NAME` of the pipeline, or a whole pipeline as YAML or JSON")
	f.payload.register(cmd)
	flags.IntVar(&f.priority, "priority", workqueue.RequestPriority, "`NUMBER`: larger runs first")
	flags.StringVar(&f.queue, "queue", workqueue.DefaultQueue, "`NAME` of the queue")
	flags.StringVar(&f.estimate, "estimated-duration", "", "how long a run is expected to take: a `DURATION` such as 90s or 15m")
	flags.StringVar(&f.at, "at", "", "not before this `TIME`: RFC 3339, or 2006-01-02 15:04 in local time")
	flags.StringVar(&f.in, "in", "", "not before this `DURATION` has gone by")
	flags.IntVar(&f.count, "count", 1, "enqueue the same item `N` times")
	flags.StringVar(&f.createdBy, "created-by", "", "`NAME` to keep with the item (default the user's)")
	flags.BoolVar(&f.stdin, "stdin", false, "read items from standard input, one JSON object per line; the same as -")
	flags.BoolVar(&f.noCheck, "no-check", false, "do not look for the pipeline in the pipelines folder")
}

// defaults checks the flags and makes the item of them, but for the payload.
func (f *enqueueFlags) defaults() (workqueue.NewItem, error) {
	it := workqueue.NewItem{
		QueueName: f.queue, State: workqueue.Pending, Priority: f.priority, IntegrationConfig: f.pipeline, CreatedBy: f.createdBy,
	}
	if it.CreatedBy == "" {
		if who, err := user.Current(); err == nil {
			it.CreatedBy = who.Username
		}
	}
	switch {
	case f.stdin && (f.payload.given() || f.count != 1):
		return it, usagef("--payload, --payload-file and --count do not go with --stdin: each line is an item")
	case !f.stdin && f.pipeline == "":
		return it, usagef("--pipeline is missing: it names the pipeline that the item runs")
	case f.count < 1 || f.count > 1_000_000:
		return it, usagef("--count: got %d, want 1 to 1000000", f.count)
	case !workqueue.ItemPriorityRange(f.priority):
		return it, usagef("--priority: got %d, want a number of 32 bits", f.priority)
	case f.at != "" && f.in != "":
		return it, usagef("got --at and --in, want one of them")
	}
	var err error
	if f.at != "" {
		if it.At, err = parseTime(f.at); err != nil {
			return it, usagef("--at: %v", err)
		}
	}
	if it.In, err = parseWait(f.in); err != nil {
		return it, usagef("--in: %v", err)
	}
	if it.Estimate, err = parseWait(f.estimate); err != nil {
		return it, usagef("--estimated-duration: %v", err)
	}
	return it, nil
}

// parseWait reads a length of time that is not negative; "" is 0.
func parseWait(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	d, err := handlers.ParseDuration(text)
	if err == nil && d < 0 {
		err = fmt.Errorf("got %q, want no negative duration", text)
	}
	return d, err
}
