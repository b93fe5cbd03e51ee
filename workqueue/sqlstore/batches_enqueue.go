package sqlstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"

	"botwork/workqueue"
)

// EnqueueBatch implements workqueue.BatchStore.
func (s *Store) EnqueueBatch(ctx context.Context, part workqueue.BatchPart, items []workqueue.NewItem) ([]workqueue.Enqueued, error) {
	if len(items) == 0 {
		return nil, nil
	}
	digest, err := s.digest(ctx, items)
	if err != nil {
		return nil, err
	}
	p := batchPart{part, workqueue.BatchEnqueue, digest}
	for range enqueueTries {
		var before enqueuedRuns
		found, err := s.recorded(ctx, p, &before)
		if err != nil {
			return nil, err
		}
		if found {
			return before.list(), nil
		}
		e, err := s.prepare(ctx, items)
		if err != nil {
			return nil, err
		}
		err = s.retry(ctx, "enqueue", func() error {
			return s.tx(ctx, func(tx *sql.Tx) error {
				if err := e.insertIn(ctx, tx); err != nil {
					return err
				}
				return s.record(ctx, tx, p, len(items), runsOf(e.results))
			})
		})
		switch {
		case err == nil:
			s.readyRows(e.rows)
			return e.results, nil
		case errors.Is(err, errPolicyChanged):
			if err := s.readPolicies(ctx); err != nil {
				return nil, fmt.Errorf("enqueue: %w", err)
			}
		case classify(err) != uniqueError:
			return nil, unanswered(part, err)
		}
		// Another call took a key in this moment, or has done this part: the next try finds it.
	}
	return nil, fmt.Errorf("enqueue batch %s: keys and policies change all the time", part.Key)
}

// digest is the SHA-256 of what was given, by which the same input is known again. It
// holds no text of an encrypted queue but its length: it could be found by guessing.
func (s *Store) digest(ctx context.Context, items []workqueue.NewItem) (string, error) {
	sum := sha256.New()
	var q workqueue.Queue
	for _, it := range items {
		if it.QueueName == "" {
			it.QueueName = workqueue.DefaultQueue
		}
		if it.QueueName != q.Name {
			var err error
			if q, err = s.queue(ctx, it.QueueName); err != nil {
				return "", fmt.Errorf("enqueue: %w", err)
			}
		}
		digestItem(sum, &it, q.Encrypted)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// digestItem adds what makes an item to a digest. Who enqueues it does not count.
func digestItem(sum hash.Hash, it *workqueue.NewItem, secret bool) {
	add := func(values ...any) {
		for _, v := range values {
			fmt.Fprintf(sum, "%v\x00", v)
		}
	}
	add(it.QueueName, it.State, it.Priority, it.IntegrationConfig, it.Estimate, it.ResilienceConfig, it.At.UnixNano(), it.In,
		it.Deadline.UnixNano(), it.DeadlineIn, it.TaskName, it.NaturalKey, it.UniqueFor, it.LimitKey, it.Labels.JSON(), it.Selectors, len(it.Tags))
	for _, tag := range it.Tags {
		add(tag)
	}
	if it.Retain != nil {
		add(*it.Retain)
	}
	if secret {
		add(len(it.Payload), len(it.Metadata))
	} else {
		add(it.Payload, it.Metadata)
	}
}

// enqueuedRuns are results as they are recorded: runs of ids that follow each other, each
// its first id and its length. The run of an item that was there already is minus its id.
type enqueuedRuns [][2]int64

func runsOf(results []workqueue.Enqueued) enqueuedRuns {
	runs := enqueuedRuns{}
	for _, r := range results {
		last := len(runs) - 1
		switch {
		case r.Existing:
			runs = append(runs, [2]int64{-r.ID, 1})
		case last >= 0 && runs[last][0] > 0 && runs[last][0]+runs[last][1] == r.ID:
			runs[last][1]++
		default:
			runs = append(runs, [2]int64{r.ID, 1})
		}
	}
	return runs
}

func (r enqueuedRuns) list() []workqueue.Enqueued {
	var results []workqueue.Enqueued
	for _, run := range r {
		if run[0] < 0 {
			results = append(results, workqueue.Enqueued{ID: -run[0], Existing: true})
			continue
		}
		for id := run[0]; id < run[0]+run[1]; id++ {
			results = append(results, workqueue.Enqueued{ID: id})
		}
	}
	return results
}
