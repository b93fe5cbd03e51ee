package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"

	"botwork/internal/database"
	"botwork/workqueue"
)

// deletedQueueRow is BotDeletedQueues.
type deletedQueueRow struct {
	Name      string `gorm:"primaryKey"`
	DeletedBy string
	DeletedAt database.Time
}

func (deletedQueueRow) TableName() string { return "BotDeletedQueues" }

// DeletedQueues implements workqueue.QueueStore.
func (s *queueStore) DeletedQueues(ctx context.Context) ([]workqueue.DeletedQueue, error) {
	var rows []deletedQueueRow
	err := s.retry(ctx, "list deleted queues", func() error {
		rows = nil
		return s.listing.WithContext(ctx).Order(ascending("Name")).Find(&rows).Error
	})
	queues := make([]workqueue.DeletedQueue, len(rows))
	for i, r := range rows {
		queues[i] = workqueue.DeletedQueue{Name: r.Name, By: r.DeletedBy, At: r.DeletedAt.Time}
	}
	return queues, err
}

// CreateQueue implements workqueue.QueueStore.
func (s *queueStore) CreateQueue(ctx context.Context, def workqueue.Queue, by string) error {
	def.Revision = 0
	_, err := s.writeByCommand(ctx, "create", def, by)
	return err
}

// OverrideQueue implements workqueue.QueueStore.
func (s *queueStore) OverrideQueue(ctx context.Context, def workqueue.Queue, by string) (bool, error) {
	if def.Revision == 0 {
		return false, fmt.Errorf("set queue %q: %w", def.Name, workqueue.ErrNotFound)
	}
	return s.writeByCommand(ctx, "set", def, by)
}

func (s *queueStore) writeByCommand(ctx context.Context, verb string, def workqueue.Queue, by string) (changed bool, err error) {
	if err := def.Validate(); err != nil {
		return false, err
	}
	err = s.retry(ctx, fmt.Sprintf("%s queue %q", verb, def.Name), func() error {
		err := s.tx(ctx, func(tx *sql.Tx) (err error) {
			changed, err = s.defineQueue(ctx, tx, &def, queueWrite{by: by, command: true, revision: def.Revision})
			return err
		})
		switch {
		case errors.Is(err, errChangedMeanwhile):
			return workqueue.ErrQueueChanged
		case classify(err) == uniqueError:
			return workqueue.ErrQueueExists
		}
		return err
	})
	return changed, err
}

// check returns why a command must not write the queue.
func (w queueWrite) check(present *workqueue.Queue, missing bool) error {
	switch {
	case !w.command:
		return nil
	case w.revision == 0 && !missing:
		return workqueue.ErrQueueExists
	case w.revision != 0 && missing:
		return workqueue.ErrNotFound
	case w.revision != 0 && w.revision != present.Revision:
		return workqueue.ErrQueueChanged
	default:
		return nil
	}
}

func (w queueWrite) overriddenBy() *string {
	if !w.command {
		return nil
	}
	return new(commandName(w.by))
}

// commandName returns the name to record for a change by command.
func commandName(by string) string { return cmp.Or(clip(clean(by), nameLen), "a command") }

// defined returns the definition that a command overrides: that of the first override if there are
// several.
func (w queueWrite) defined(present *workqueue.Queue) (*string, error) {
	switch {
	case !w.command:
		return nil, nil
	case present.Override != nil:
		return null(string(present.Override.Defined)), nil
	}
	text, err := present.PolicyText()
	return null(string(text)), err
}

// keepOverride reports whether a command has changed or deleted the queue, and records the
// definition in the settings that it overrides. differs is set if the two are not the same.
func (s *queueStore) keepOverride(ctx context.Context, tx *sql.Tx, def *workqueue.Queue) (kept, differs bool, err error) {
	present, err := s.queueByName(s.in(ctx, tx), def.Name)
	if errors.Is(err, workqueue.ErrNotFound) {
		var deleted []deletedQueueRow
		err = s.in(ctx, tx).Where(map[string]any{"Name": def.Name}).Find(&deleted).Error
		return len(deleted) > 0, len(deleted) > 0, err
	}
	if err != nil || present.Override == nil {
		return false, false, err
	}
	text, err := def.PolicyText()
	if err != nil {
		return false, false, err
	}
	if text != present.Override.Defined {
		n, err := s.queries.exec(ctx, tx, "queue_defined", values{"id": present.ID, "revision": present.Revision, "defined": string(text)})
		if err == nil && n == 0 {
			err = errChangedMeanwhile
		}
		if err != nil {
			return false, false, err
		}
	}
	now, err := present.PolicyText()
	return true, now != text, err
}
