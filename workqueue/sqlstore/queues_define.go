package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"botwork/workqueue"
)

// errChangedMeanwhile reports that another process has changed a queue since it was read.
// DefineQueues reads it again.
var errChangedMeanwhile = errors.New("the queue was changed by another process at the same time")

// defineTries limits how often a definition is retried. Each retry means that another process
// has succeeded.
const defineTries = 50

// DefineQueues implements workqueue.QueueStore.
func (s *queueStore) DefineQueues(ctx context.Context, defs []workqueue.Queue, by string) ([]string, error) {
	changed, _, err := s.defineQueues(ctx, defs, by, false)
	return changed, err
}

// RefreshQueues implements workqueue.QueueStore.
func (s *queueStore) RefreshQueues(ctx context.Context, defs []workqueue.Queue, by string) (changed, overridden []string, err error) {
	return s.defineQueues(ctx, defs, by, true)
}

func (s *queueStore) defineQueues(ctx context.Context, defs []workqueue.Queue, by string, keepOverrides bool) (changed, overridden []string, err error) {
	// Sorted by name, so that two processes that define the same queues lock the rows in the
	// same order.
	defs = slices.SortedStableFunc(slices.Values(defs), func(a, b workqueue.Queue) int { return cmp.Compare(a.Name, b.Name) })
	if err := checkDefinitions(defs); err != nil {
		return nil, nil, fmt.Errorf("define queues: %w", err)
	}
	err = s.retry(ctx, "define queues", func() (err error) {
		for range defineTries {
			err = s.tx(ctx, func(tx *sql.Tx) error {
				changed, overridden = nil, nil
				for i := range defs {
					if keepOverrides {
						kept, differs, err := s.keepOverride(ctx, tx, &defs[i])
						if err != nil {
							return err
						}
						if differs {
							overridden = append(overridden, defs[i].Name)
						}
						if kept {
							continue
						}
					}
					wrote, err := s.defineQueue(ctx, tx, &defs[i], queueWrite{by: by})
					if err != nil {
						return err
					}
					if wrote {
						changed = append(changed, defs[i].Name)
					}
				}
				return nil
			})
			if !errors.Is(err, errChangedMeanwhile) && classify(err) != uniqueError {
				return err
			}
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return changed, overridden, nil
}

// checkDefinitions returns all faults of the definitions.
func checkDefinitions(defs []workqueue.Queue) error {
	var errs []error
	seen := make(map[string]bool, len(defs))
	for i := range defs {
		errs = append(errs, defs[i].Validate())
		key := workqueue.FoldQueueName(defs[i].Name) // on SQL Server they are one queue
		if seen[key] {
			errs = append(errs, &workqueue.QueueError{Queue: defs[i].Name, Faults: []workqueue.QueueFault{
				{Field: "name", Got: "the queue twice", Want: "each queue once; names that differ only in case count as one"},
			}})
		}
		seen[key] = true
	}
	return errors.Join(errs...)
}

// queueWrite is who writes the definition of a queue: the settings, or a command that overrides
// them.
type queueWrite struct {
	by string

	command  bool
	revision int64 // of a command: that the queue must have; 0: the queue must not exist
}

// action returns the action for the audit log.
func (w queueWrite) action() string {
	switch {
	case !w.command:
		return workqueue.AuditQueuesDefine
	case w.revision == 0:
		return workqueue.AuditQueuesCreate
	default:
		return workqueue.AuditQueuesSet
	}
}

// defineQueue creates a queue, or changes it if its definition differs.
func (s *queueStore) defineQueue(ctx context.Context, tx *sql.Tx, def *workqueue.Queue, w queueWrite) (wrote bool, err error) {
	present, err := s.queueByName(s.in(ctx, tx), def.Name)
	missing := errors.Is(err, workqueue.ErrNotFound)
	if err != nil && !missing {
		return false, err
	}
	if err := w.check(&present, missing); err != nil {
		return false, err
	}
	want, robots := definition(def), robotsOf(def)
	if !missing && maps.Equal(definition(&present), want) && slices.Equal(robotsOf(&present), robots) && (w.command || present.Override == nil) {
		return false, nil
	}
	v := maps.Clone(want)
	v["by"], v["overridden_by"], v["now"] = null(clip(w.by, nameLen)), w.overriddenBy(), s.nowArg()
	name := present.Name // SQL Server also finds it by a name in another case
	if missing {
		v["name"], name = def.Name, def.Name
		if _, err = s.queries.exec(ctx, tx, "define_queue_new", v); err == nil {
			_, err = s.queries.exec(ctx, tx, "deleted_queue_forget", values{"name": name})
		}
	} else {
		v["id"], v["revision"] = present.ID, present.Revision
		if v["defined"], err = w.defined(&present); err != nil {
			return false, err
		}
		var n int64
		if n, err = s.queries.exec(ctx, tx, "define_queue", v); err == nil && n == 0 {
			err = errChangedMeanwhile
		}
	}
	if err != nil {
		return false, err
	}
	if err := s.defineRobots(ctx, tx, name, robots); err != nil {
		return false, err
	}
	now, err := s.queueByName(s.in(ctx, tx), name)
	if err != nil {
		return false, err
	}
	was := &present
	if missing {
		was = nil
	}
	return true, s.auditQueue(ctx, tx, w.action(), w.by, was, &now)
}

// robotRight is a listed robot inside a JSON parameter.
type robotRight struct {
	RobotName         string
	MayRead, MayWrite bool
}

// defineRobots replaces the list of robots. The queue's row was already written, so no other
// process does this at the same time.
func (s *queueStore) defineRobots(ctx context.Context, tx *sql.Tx, queue string, robots []robotRight) error {
	if _, err := s.queries.exec(ctx, tx, "queue_robots_clear", values{"name": queue}); err != nil || len(robots) == 0 {
		return err
	}
	batch, err := jsonRows(robots)
	if err != nil {
		return err
	}
	_, err = s.queries.exec(ctx, tx, "queue_robots_add", values{"name": queue, "rows": batch})
	return err
}

// robotsOf lists a queue's robots sorted by name.
func robotsOf(q *workqueue.Queue) []robotRight {
	robots := make([]robotRight, len(q.Robots))
	for i, r := range q.Robots {
		robots[i] = robotRight{clean(r.Robot), r.Read, r.Write}
	}
	slices.SortStableFunc(robots, func(a, b robotRight) int { return strings.Compare(a.RobotName, b.RobotName) })
	return robots
}

// definition returns what defines a queue, as the parameters of the statements that write it.
// Two queues have the same definition if these are equal.
func definition(q *workqueue.Queue) values {
	description := ""
	if q.Description != nil {
		description = *q.Description
	}
	return values{
		"description":            text(description),
		"consumer":               string(cmp.Or(q.Consumer, workqueue.ConsumerWorkers)),
		"priority_offset":        int64(q.PriorityOffset),
		"resilience_config":      text(string(q.Resilience)),
		"retry_as":               string(cmp.Or(q.RetryAs, workqueue.RetrySame)),
		"distribution":           text(string(q.Distribution)),
		"escalation":             text(string(q.Escalation)),
		"key_scope":              string(cmp.Or(q.KeyScope, workqueue.KeyScopeNone)),
		"deleted_keys_count":     q.DeletedKeysCount,
		"ttl_ms":                 aboveZero(ms(time.Duration(q.TTL))),
		"payloads":               string(cmp.Or(q.Payloads, workqueue.PayloadsVisible)),
		"on_expiry":              string(cmp.Or(q.OnExpiry, workqueue.ExpiryArchive)),
		"retain_ms":              spanMs(q.Retain),
		"archive_age_ms":         spanMs(q.ArchiveAge),
		"archive_limit":          orNull(q.ArchiveLimit),
		"deletion":               string(cmp.Or(q.Deletion, workqueue.DeletionPhysical)),
		"payload_schema":         text(string(q.PayloadSchema)),
		"output_schema":          text(string(q.OutputSchema)),
		"analytics_schema":       text(string(q.AnalyticsSchema)),
		"encrypted":              q.Encrypted,
		"public_access":          !q.Private,
		"robot_deletes_only_own": q.RobotDeletesOnlyOwn,
		"checkout_ms":            aboveZero(ms(time.Duration(q.Checkout))),
		"concurrency_limit":      aboveZero(int64(q.Concurrency)),
		"key_concurrency_limit":  aboveZero(int64(q.KeyConcurrency)),
		"rate_limit":             aboveZero(int64(q.Rate.Limit)),
		"rate_period_ms":         aboveZero(ms(time.Duration(q.Rate.Per))),
		"key_rate_limit":         aboveZero(int64(q.KeyRate.Limit)),
		"key_rate_period_ms":     aboveZero(ms(time.Duration(q.KeyRate.Per))),
		"max_releases":           aboveZero(int64(q.MaxReleases)),
		"max_payload":            aboveZero(q.MaxPayload),
		"max_output":             aboveZero(q.MaxOutput),
		"keep_log":               orNull64(q.KeepLog),
	}
}

// text returns a text as a parameter that can be compared: nil for "".
func text(t string) any {
	if t == "" {
		return nil
	}
	return clean(t)
}

// aboveZero returns a number as a parameter: nil for 0, which means no limit.
func aboveZero(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

func spanMs(d *workqueue.Duration) any {
	if d == nil {
		return nil
	}
	return ms(time.Duration(*d))
}

func orNull64(n *int64) any {
	if n == nil {
		return nil
	}
	return *n
}

func orNull(n *int) any {
	if n == nil {
		return nil
	}
	return int64(*n)
}

// in returns gorm for a transaction.
func (s *connection) in(ctx context.Context, tx *sql.Tx) *gorm.DB {
	orm := s.orm.WithContext(ctx)
	orm.Statement.ConnPool = tx
	return orm
}
