package workers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

func (a *command) workersShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show NAME",
		Short: "Show a worker's slots, channels, queues and labels",
		Long: `Shows a worker's registration: its slots, how many slots an item of each channel
needs, the queues that it serves, its labels, and the newest items that it runs with
the steps that they are in: branches that run side by side are all named. A worker
that lists no channels runs items of all channels, with one slot per item.

JSON and YAML are one object, as in the list.`,
		Example: "  botwork workers show worker-2\n  botwork workers show worker-2 --output yaml",
		Args:    cli.OneArgument("the worker's name"),
	}
	output := cli.OutputFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return a.WithReadOnlyBackend(cmd.Context(), func(store cli.Backend) error {
			worker, now, err := workerCalled(cmd.Context(), store, args[0])
			if err != nil {
				return err
			}
			running, err := store.Items(cmd.Context(), workqueue.ItemFilter{Worker: worker.Name, States: []workqueue.State{workqueue.Blocked}, Limit: mostRunning})
			if err != nil {
				return err
			}
			return a.Print(*output, worker, func() { a.workerSheet(&worker, running, now) })
		})
	}
	return cmd
}

// mostRunning is how many of a worker's items are shown.
const mostRunning = 20

// workerCalled finds a worker by its name, and returns the time of the database.
func workerCalled(ctx context.Context, store cli.Backend, name string) (workqueue.Worker, time.Time, error) {
	workers, err := store.Workers(ctx)
	if err != nil {
		return workqueue.Worker{}, time.Time{}, err
	}
	names := make([]string, len(workers))
	for i := range workers {
		if workers[i].Name == name {
			now, err := store.Now(ctx)
			return workers[i], now, err
		}
		names[i] = workers[i].Name
	}
	err = fmt.Errorf("worker %q: %w", name, workqueue.ErrNotFound)
	if len(names) == 0 {
		return workqueue.Worker{}, time.Time{}, fmt.Errorf("%w; no worker has registered yet", err)
	}
	return workqueue.Worker{}, time.Time{}, fmt.Errorf("%w; registered workers: %s", err, strings.Join(names, ", "))
}

// workerSheet shows a worker, one line for each field that has a value.
func (a *command) workerSheet(w *workqueue.Worker, running []workqueue.Item, now time.Time) {
	g := cli.NewGrid()
	g.Add("name", w.Name)
	g.Add("state", workerState(w, now))
	if reason := w.Gated(now); reason != "" {
		g.Add("takes no items", reason)
	}
	g.Add("process", fmt.Sprintf("%d on %s, version %s", w.PID, w.Host, w.Version))
	g.Add("slots", slotsOf(w))
	g.Add("channels", channelsText(w.Channels))
	g.Add("queues", servedText(w.Queues))
	if w.Labels != "" {
		g.Add("labels", string(w.Labels))
	}
	if w.Overrides != "" {
		g.Add("set by a command", strings.Join(overriddenTexts(w), "\n"))
		r := w.Reported
		g.Add("its own settings", fmt.Sprintf("%d slots, %d reserved, channels %s, queues %s", r.Capacity, r.ReservedSlots, channelsText(r.Channels), servedText(r.Queues)))
	}
	if w.DrainRequestedAt != nil {
		g.Add("drained since", a.Instant(w.DrainRequestedAt)+", until `botwork workers resume "+w.Name+"`")
	}
	g.Add("started", a.Instant(&w.StartedAt))
	g.Add("last seen", a.Instant(&w.LastSeenAt))
	if w.LeaseExpiresAt != nil {
		g.Add("lease until", a.Instant(w.LeaseExpiresAt))
	}
	if len(running) > 0 {
		g.Add("runs", strings.Join(runningTexts(running), "\n"))
	}
	g.Print(a.Stdout)
}

func runningTexts(running []workqueue.Item) []string {
	lines := make([]string, len(running))
	for i := range running {
		it := &running[i]
		lines[i] = fmt.Sprintf("item %d, %s", it.ID, cli.Shorten(it.IntegrationConfig, 32))
		if it.Step != nil {
			lines[i] += ", in step " + *it.Step
		}
		if it.Progress != nil {
			lines[i] += ": " + *it.Progress
		}
	}
	return lines
}

// channelsText returns how many slots an item of each channel needs.
func channelsText(text workqueue.JSONText) string {
	channels, err := workqueue.ParseChannels(text)
	if err != nil {
		return "unreadable: " + err.Error()
	}
	if len(channels) == 0 {
		return "all, one slot per item"
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(channels)) {
		part := fmt.Sprintf("%s %d", name, channels[name].Cost)
		if most := channels[name].Max; most > 0 {
			part += fmt.Sprintf(" (at most %d)", most)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

func servedText(text workqueue.JSONText) string {
	queues, err := workqueue.ParseServed(text)
	switch {
	case err != nil:
		return "unreadable: " + err.Error()
	case len(queues) == 0:
		return "all"
	default:
		return strings.Join(queues, ", ")
	}
}

// workerState returns the state of a worker, also "gone" for one that has died and "gated" for one
// whose machine is short of a resource.
func workerState(w *workqueue.Worker, now time.Time) string {
	if w.Gone(now) {
		return "gone"
	}
	if w.Gated(now) != "" {
		return "gated"
	}
	return string(w.State)
}

// slotsOf returns a worker's slots, with the number of reserved and stuck ones.
func slotsOf(w *workqueue.Worker) string {
	var notes []string
	if w.ReservedSlots > 0 {
		notes = append(notes, fmt.Sprintf("%d reserved", w.ReservedSlots))
	}
	if w.StuckSlots > 0 {
		notes = append(notes, fmt.Sprintf("%d stuck", w.StuckSlots))
	}
	slots := fmt.Sprint(w.Capacity)
	if r := w.Reported; r != nil && (r.Capacity != w.Capacity || r.ReservedSlots != w.ReservedSlots) {
		slots += "*"
	}
	if len(notes) == 0 {
		return slots
	}
	return fmt.Sprintf("%s (%s)", slots, strings.Join(notes, ", "))
}
