package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"botwork/workqueue"
)

// bands are the three priority bands of the system pipelines.
var bands = []struct {
	name string
	workqueue.Band
}{
	{"high", workqueue.Band{Min: 1001, Max: workqueue.EveryPriority.Max}},
	{"medium", workqueue.Band{Min: 500, Max: 1000}},
	{"low", workqueue.Band{Min: workqueue.EveryPriority.Min, Max: 499}},
}

// report writes a line for each worker and band: the number of processed jobs, their
// total estimated duration, and their names in order of their start.
func (n *night) report(ctx context.Context, out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "WORKER\tBAND\tJOBS\tESTIMATED\tIN THE ORDER OF THEIR START")
	for _, w := range n.workers {
		for _, band := range bands {
			items, err := w.Store.Items(ctx, workqueue.ItemFilter{
				States: []workqueue.State{workqueue.Processed}, Worker: w.Worker().Name, Band: band.Band,
			})
			if err != nil {
				return err
			}
			names, estimated, err := jobs(items)
			if err != nil {
				return err
			}
			fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s\n", w.Worker().Name, band.name, len(items), estimated, strings.Join(names, " "))
		}
	}
	return table.Flush()
}

// jobs returns the names of items in the order of their start, and the sum of their
// estimated durations.
func jobs(items []workqueue.Item) (names []string, estimated time.Duration, err error) {
	slices.SortFunc(items, func(a, b workqueue.Item) int {
		return cmp.Or(a.StartedAt.Compare(*b.StartedAt), cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.ID, b.ID))
	})
	for _, it := range items {
		var payload struct{ Job string }
		if err := json.Unmarshal([]byte(it.Payload), &payload); err != nil {
			return nil, 0, fmt.Errorf("payload of item %d: %w", it.ID, err)
		}
		names = append(names, payload.Job)
		estimated += time.Duration(*it.EstimatedDurationMs) * time.Millisecond
	}
	return names, estimated, nil
}
