package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// checkEvent is what a watch prints when something changes. JSON has one event per line, YAML
// one per document.
type checkEvent struct {
	At        time.Time           `json:"at"`    // of the reading, by the database's clock
	Event     string              `json:"event"` // appeared or gone
	Violation workqueue.Violation `json:"violation"`
}

// watch reads repeatedly until ctx or --for ends it. After the first reading, it reports when
// the database does not answer, and waits for it.
func (a *command) watch(ctx context.Context, read reader, flags checkFlags, output cli.Format) error {
	if flags.length > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, flags.length)
		defer cancel()
	}
	present := map[string]workqueue.Violation{}
	seen, readings, silent := 0, 0, ""
	for {
		report, err := read(ctx)
		switch {
		case ctx.Err() != nil:
			return a.watched(ctx, readings, seen, len(present), output)
		case err != nil && readings == 0:
			return err
		case err != nil:
			if err.Error() != silent {
				a.Complain(fmt.Errorf("%w; still watching", err))
			}
			silent = err.Error()
		default:
			readings++
			silent = ""
			appeared, err := a.printChanges(present, report, output)
			if err != nil {
				return err
			}
			if readings == 1 && output == cli.FormatTable {
				fmt.Fprintf(a.Stdout, "%s watching: %s at the start, a reading every %s\n", a.Instant(&report.At), cli.Count(len(present), "violation"), flags.interval)
			}
			seen += appeared
		}
		select {
		case <-ctx.Done():
			return a.watched(ctx, readings, seen, len(present), output)
		case <-time.After(flags.interval):
		}
	}
}

// watched ends a watch. The exit code shows whether there were any violations.
func (a *command) watched(ctx context.Context, readings, seen, left int, output cli.Format) error {
	if readings == 0 {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return errors.New("--for ended before the first reading was complete: there is no result; use a longer time")
		}
		return ctx.Err()
	}
	if output == cli.FormatTable {
		fmt.Fprintf(a.Stdout, "%s in %s, %d still present\n", cli.Count(seen, "violation"), cli.Count(readings, "reading"), left)
	}
	if seen > 0 {
		return &cli.ReportedError{Code: cli.ExitFailed}
	}
	return nil
}

// printChanges prints the differences from present, and updates present.
func (a *command) printChanges(present map[string]workqueue.Violation, report workqueue.CheckReport, output cli.Format) (appeared int, err error) {
	now := map[string]bool{}
	for _, v := range report.Violations {
		key := v.Key()
		now[key] = true
		if _, known := present[key]; known {
			continue
		}
		present[key] = v
		appeared++
		if err := a.printEvent(checkEvent{report.At, "appeared", v}, output); err != nil {
			return appeared, err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(present)) {
		if now[key] {
			continue
		}
		v := present[key]
		delete(present, key)
		if err := a.printEvent(checkEvent{report.At, "gone", v}, output); err != nil {
			return appeared, err
		}
	}
	return appeared, nil
}

func (a *command) printEvent(e checkEvent, output cli.Format) error {
	switch output {
	case cli.FormatJSON:
		enc := json.NewEncoder(a.Machine())
		enc.SetEscapeHTML(false)
		return enc.Encode(e)
	case cli.FormatYAML:
		data, err := strictyaml.Marshal(e)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(a.Machine(), "---\n%s", data)
		return err
	}
	v := e.Violation
	if e.Event == "gone" {
		_, err := fmt.Fprintf(a.Stdout, "%s gone      %s: %s\n", a.Instant(&e.At), v.Check, v.Subject())
		return err
	}
	_, err := fmt.Fprintf(a.Stdout, "%s appeared  %s: %s: %s; wanted %s; %s\n", a.Instant(&e.At), v.Check, v.Subject(), v.Found, v.Wanted, v.Hint)
	return err
}
