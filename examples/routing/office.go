package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"botwork/cmd"
	"botwork/examples/internal/worker"
	"botwork/workqueue"
)

// machines are the workers with their labels and channels, in the form of their
// environment variables. The worker with the graphics card is the best one for French,
// but does not run calls.
var machines = []struct{ name, labels, channels string }{
	{"lisbon-gpu", "site=lisbon,gpu=true,ram=64,language=french,level=5", "film=3"},
	{"lisbon", "site=lisbon,ram=16,language=german,level=2", "call=1"},
	{"porto", "site=porto,ram=24,language=french,level=3", "call=1:2"},
}

// office has the workers in the order of machines. Each worker has its own connections,
// as if it were a separate process.
type office struct {
	workers []*worker.Worker
}

// open defines the queues, registers the workers and enqueues the items of the project,
// with the commands that a user would use.
func open(ctx context.Context, configFile string, environ []string, log io.Writer) (*office, error) {
	o := &office{}
	for _, m := range machines {
		own := append(slices.Clone(environ), "BOTWORK_WORKER_LABELS="+m.labels, "BOTWORK_WORKER_CHANNELS="+m.channels)
		w, err := worker.New(ctx, worker.Options{Config: configFile, Environ: own, Name: m.name, Log: log})
		if err != nil {
			return nil, errors.Join(err, o.close(ctx))
		}
		o.workers = append(o.workers, w)
	}
	items, err := os.ReadFile(filepath.Join(filepath.Dir(configFile), "items.ndjson"))
	for _, args := range [][]string{{"queues", "define"}, {"enqueue", "--stdin"}} {
		if err != nil {
			break
		}
		var said bytes.Buffer
		args = append([]string{"--config", configFile}, args...)
		if code := cmd.Run(ctx, args, bytes.NewReader(items), io.Discard, &said, environ); code != 0 {
			err = fmt.Errorf("botwork %s: %s", strings.Join(args[2:], " "), said.String())
		}
	}
	if err != nil {
		return nil, errors.Join(err, o.close(ctx))
	}
	return o, nil
}

// work runs ExecuteWorkQueue on all workers in turn, and again after the selector of the
// letter for faro has expired.
func (o *office) work(ctx context.Context) error {
	for {
		for _, w := range o.workers {
			if err := w.RunOnce(ctx, "ExecuteWorkQueue"); err != nil {
				return err
			}
		}
		waiting, err := o.waiting(ctx)
		if err != nil || waiting <= 1 { // no worker has the label for the islands
			return err
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (o *office) waiting(ctx context.Context) (int, error) {
	items, err := o.items(ctx)
	waiting := 0
	for _, it := range items {
		if it.State != workqueue.Processed {
			waiting++
		}
	}
	return waiting, err
}

func (o *office) items(ctx context.Context) ([]workqueue.Item, error) {
	items, err := o.workers[0].Store.Items(ctx, workqueue.ItemFilter{Limit: 100})
	slices.SortFunc(items, func(a, b workqueue.Item) int { return int(a.ID - b.ID) })
	return items, err
}

// places returns the worker that ran each item, by the key of the item; "" for none.
func (o *office) places(ctx context.Context) (keys []string, places map[string]string, err error) {
	items, err := o.items(ctx)
	names := map[int64]string{}
	for i, w := range o.workers {
		names[w.Process.Worker().ID] = machines[i].name
	}
	places = map[string]string{}
	for _, it := range items {
		keys = append(keys, *it.NaturalKey)
		places[*it.NaturalKey] = ""
		if it.State == workqueue.Processed && it.WorkerID != nil {
			places[*it.NaturalKey] = names[*it.WorkerID]
		}
	}
	return keys, places, err
}

// report shows which worker ran each item.
func (o *office) report(ctx context.Context, out io.Writer) error {
	keys, places, err := o.places(ctx)
	if err != nil {
		return err
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, key := range keys {
		place := places[key]
		if place == "" {
			place = "no worker: it waits"
		}
		fmt.Fprintf(t, "%s\t%s\n", key, place)
	}
	return t.Flush()
}

func (o *office) close(ctx context.Context) error {
	var errs []error
	for _, w := range o.workers {
		errs = append(errs, w.Stop(ctx))
	}
	return errors.Join(errs...)
}
