// Package definitions writes the queues and tasks that the settings define into the
// database.
package definitions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/rs/zerolog"

	"botwork/cmd/internal/cli"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
	"botwork/workqueue/assign"
)

// Queues updates the database's queues from the settings when a worker starts.
func Queues(ctx context.Context, a *cli.App, log zerolog.Logger, store cli.Store, queues []workqueue.Queue) error {
	for _, q := range queues {
		if q.Encrypted && !a.Config.HasKeyset() {
			log.Warn().Str("queue", q.Name).Msg("encrypted queue, but no keyset is configured; this worker can neither add items to it nor run them")
		}
	}
	queues, err := withoutStranding(ctx, log, store, queues)
	if err != nil {
		return err
	}
	changed, overridden, err := store.RefreshQueues(ctx, queues, a.Config.Worker.Name)
	if err == nil && len(changed) > 0 {
		log.Info().Strs("queues", changed).Msg("updated queues from botwork.yaml")
	}
	if err == nil && len(overridden) > 0 {
		log.Warn().Strs("queues", overridden).Str("hint", "botwork queues define").
			Msg("queues differ from botwork.yaml because they were changed or deleted by a command; this stays in force until the queues are defined again")
	}
	return err
}

// withoutStranding leaves out the definitions that would strand waiting items: a worker starts by
// itself, also on a machine whose file is outdated, and cannot ask for a confirmation. Queues that a
// command has changed keep what it set anyway.
func withoutStranding(ctx context.Context, log zerolog.Logger, store cli.Store, queues []workqueue.Queue) ([]workqueue.Queue, error) {
	var safe []workqueue.Queue
	for i := range queues {
		before, err := store.Queue(ctx, queues[i].Name)
		if err == nil && before.Override == nil {
			err = assign.CheckStranded(ctx, store, &before, &queues[i])
		}
		stranded, ok := errors.AsType[*workqueue.StrandedError](err)
		switch {
		case ok:
			log.Warn().Str("queue", stranded.Queue).Int64("items", stranded.Items).Str("effect", stranded.Why).Str("hint", "botwork queues define --yes").
				Msg("queue differs from botwork.yaml and was not updated, because items wait in it that the change would strand")
		case err == nil, errors.Is(err, workqueue.ErrNotFound):
			safe = append(safe, queues[i])
		default:
			return nil, err
		}
	}
	return safe, nil
}

// Tasks updates the database's tasks from the settings when a worker starts.
func Tasks(ctx context.Context, a *cli.App, log zerolog.Logger, store cli.Store, defs []workqueue.TaskRow) error {
	changed, err := WriteTasks(ctx, a, store, defs)
	if err == nil && len(changed) > 0 {
		log.Info().Strs("tasks", changed).Msg("updated tasks from botwork.yaml")
	}
	return err
}

// WriteTasks updates the database's tasks from the settings, unless the settings have no key tasks.
func WriteTasks(ctx context.Context, a *cli.App, store cli.Store, defs []workqueue.TaskRow) ([]string, error) {
	if defs == nil {
		return nil, nil
	}
	if err := checkTaskQueues(ctx, a, store, defs); err != nil {
		return nil, err
	}
	return store.DefineTasks(ctx, defs, a.Config.Worker.Name)
}

// checkTaskQueues rejects tasks whose queue is neither in the database nor in the settings:
// they would create no items, which would not be noticed before their window opens.
func checkTaskQueues(ctx context.Context, a *cli.App, store cli.Store, defs []workqueue.TaskRow) error {
	queues, err := store.Queues(ctx)
	if err != nil {
		return err
	}
	names := make([]string, len(queues))
	for i, q := range queues {
		names[i] = q.Name
	}
	var findings strictyaml.Findings
	for _, def := range defs {
		name := cmp.Or(def.QueueName, workqueue.DefaultQueue)
		if slices.Contains(names, name) || a.Config.Queues.Get(name) != nil {
			continue
		}
		hint := cmp.Or(strictyaml.Suggest(name, names), "known queues: "+strings.Join(names, ", "))
		at := a.Config.Tasks.Get(def.Name).Get("queue")
		findings = append(findings, at.Finding("unknown-queue", fmt.Sprintf("%s: there is no queue %q", at.Path, name), hint))
	}
	findings.Sort()
	return findings.Err()
}
