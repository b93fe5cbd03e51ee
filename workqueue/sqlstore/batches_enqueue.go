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
func (s *enqueuing) EnqueueBatch(ctx context.Context, part workqueue.BatchPart, items []workqueue.NewItem) (results []workqueue.Enqueued, err error) {
	if len(items) == 0 {
		return nil, nil
	}
	err = s.bounded(ctx, func(ctx context.Context) error {
		results, err = s.enqueueBatch(ctx, part, items)
		return err
	})
	return results, err
}

func (s *enqueuing) enqueueBatch(ctx context.Context, part workqueue.BatchPart, items []workqueue.NewItem) ([]workqueue.Enqueued, error) {
	p, err := s.enqueuePart(ctx, part, items)
	if err != nil {
		return nil, err
	}
	for range enqueueTries {
		before, err := s.enqueuedBefore(ctx, p)
		if err != nil || before != nil {
			return before, err
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
				return s.recordEnqueued(ctx, tx, p, e.results)
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
			return nil, unanswered(part, refusedItem(err))
		}
		// Another call has just inserted an item with the same key, or has done this part: the
		// next try finds it.
	}
	return nil, fmt.Errorf("enqueue batch %s: gave up: keys or policies kept changing", part.Key)
}

// enqueuePart returns the part of a batch that enqueues the items, or the zero value if there is no
// batch.
func (s *enqueuing) enqueuePart(ctx context.Context, part workqueue.BatchPart, items []workqueue.NewItem) (batchPart, error) {
	if part.Key == "" {
		return batchPart{}, nil
	}
	digest, err := s.digest(ctx, items)
	return batchPart{part, workqueue.BatchEnqueue, digest}, err
}

// enqueuedBefore returns the results of a part that is already done; nil if it is not.
func (s *enqueuing) enqueuedBefore(ctx context.Context, p batchPart) ([]workqueue.Enqueued, error) {
	var before enqueuedRuns
	_, err := s.recorded(ctx, p, &before)
	return before.list(), err
}

func (s *enqueuing) recordEnqueued(ctx context.Context, tx *sql.Tx, p batchPart, results []workqueue.Enqueued) error {
	return s.record(ctx, tx, p, len(results), runsOf(results))
}

// digest returns the SHA-256 of the input, which identifies a repeated call. For an encrypted
// queue it covers only the lengths of the texts: a hash would let an attacker guess them.
func (s *enqueuing) digest(ctx context.Context, items []workqueue.NewItem) (string, error) {
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

// digestItem adds the properties of an item to a digest, except who enqueues it.
func digestItem(sum hash.Hash, it *workqueue.NewItem, secret bool) {
	add := func(values ...any) {
		for _, v := range values {
			fmt.Fprintf(sum, "%v\x00", v)
		}
	}
	add(it.QueueName, it.State, it.Priority, it.IntegrationConfig, it.Estimate, it.OwnPolicy(), it.At.UnixNano(), it.In,
		it.Deadline.UnixNano(), it.DeadlineIn, it.TaskName, it.NaturalKey, it.UniqueFor, it.LimitKey, it.Labels.JSON(), it.Selectors, len(it.Tags))
	for _, tag := range it.Tags {
		add(tag)
	}
	if it.Retain != nil {
		add(*it.Retain)
	}
	// Only what is set, so that an input keeps the digest that an earlier version computed.
	if !it.FinishBy.IsZero() || it.FinishIn != 0 {
		add("finish", it.FinishBy.UnixNano(), it.FinishIn)
	}
	if it.Conflict != workqueue.ConflictExisting {
		add("conflict", it.Conflict)
	}
	if it.Batch != nil {
		add("batch", *it.Batch)
	}
	if secret {
		add(len(it.Payload), len(it.Metadata))
	} else {
		add(it.Payload, it.Metadata)
	}
}

// enqueuedRuns are the recorded results: runs of consecutive ids, each as its first id and its
// length. An item that already existed is a run of length 1 with its id negated.
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
