package forecast

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"botwork/cmd/internal/cli"
	"botwork/workqueue/forecast"
)

// changeFlags are the flags of a what-if.
type changeFlags struct {
	addWorkers, withoutWorkers, priorities, pauseQueues, capacities []string
	arrivals                                                        string
}

func (c *changeFlags) register(flags *pflag.FlagSet) {
	flags.StringArrayVar(&c.addWorkers, "add-worker", nil, "what-if: add a worker; `WORKER` is capacity=N and any number of label=KEY=VALUE, separated by commas; repeatable")
	flags.StringArrayVar(&c.withoutWorkers, "without-worker", nil, "what-if: remove the worker `NAME`; its items wait again; repeatable")
	flags.StringArrayVar(&c.priorities, "priority", nil, "what-if: change an item's priority: `ID=PRIORITY`; repeatable")
	flags.StringArrayVar(&c.pauseQueues, "pause-queue", nil, "what-if: pause the queue `NAME`; repeatable")
	flags.StringArrayVar(&c.capacities, "capacity", nil, "what-if: change the slots of a worker: `NAME=SLOTS`; repeatable")
	flags.StringVar(&c.arrivals, "arrivals", "", "what-if: more or fewer items arrive than in the last weeks: `PERCENT` such as +20% or -50%")
}

// change returns the what-if of the flags.
func (c *changeFlags) change() (forecast.Change, error) {
	change := forecast.Change{WithoutWorkers: c.withoutWorkers, PauseQueues: c.pauseQueues}
	var err error
	for _, text := range c.addWorkers {
		w, err := parseWorker(text)
		if err != nil {
			return change, cli.Usagef("--add-worker: got %q, %v", text, err)
		}
		change.AddWorkers = append(change.AddWorkers, w)
	}
	if change.Priorities, err = numbers("priority", "ID=PRIORITY", c.priorities); err != nil {
		return change, err
	}
	if change.Capacities, err = numbers("capacity", "NAME=SLOTS", c.capacities); err != nil {
		return change, err
	}
	if c.arrivals != "" {
		if change.ArrivalsPercent, err = strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(c.arrivals), "%"), 64); err != nil {
			return change, cli.Usagef("--arrivals: got %q, want a percentage such as +20%% or -50%%", c.arrivals)
		}
	}
	return change, nil
}

// parseWorker parses capacity=4,label=gpu=true.
func parseWorker(text string) (forecast.NewWorker, error) {
	w := forecast.NewWorker{}
	wanted := errors.New("want capacity=N, then any number of ,label=KEY=VALUE")
	for part := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		switch {
		case !ok || value == "":
			return w, wanted
		case name == "capacity":
			n, err := strconv.Atoi(value)
			if err != nil {
				return w, wanted
			}
			w.Capacity = n
		case name == "label":
			key, of, both := strings.Cut(value, "=")
			if !both {
				of = "true"
			}
			if w.Labels == nil {
				w.Labels = map[string]string{}
			}
			w.Labels[key] = of
		default:
			return w, wanted
		}
	}
	if w.Capacity == 0 {
		return w, wanted
	}
	return w, nil
}

// numbers parses NAME=NUMBER.
func numbers(flag, form string, texts []string) (map[string]int, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	values := map[string]int{}
	for _, text := range texts {
		at := strings.LastIndex(text, "=")
		if at <= 0 {
			return nil, cli.Usagef("--%s: got %q, want %s", flag, text, form)
		}
		n, err := strconv.Atoi(text[at+1:])
		if err != nil {
			return nil, cli.Usagef("--%s: got %q, want %s", flag, text, form)
		}
		values[text[:at]] = n
	}
	return values, nil
}
