package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"botwork/workqueue"
)

// setTries limits how often a change of a worker's settings is repeated because another
// process changed them at the same time.
const setTries = 20

// SetWorker implements workqueue.WorkerControlStore.
func (s *workerStore) SetWorker(ctx context.Context, name string, reset bool, add workqueue.WorkerOverrides) (workqueue.Worker, error) {
	var worker workqueue.Worker
	err := s.retry(ctx, fmt.Sprintf("set worker %q", name), func() (err error) {
		for range setTries {
			worker, err = s.setWorker(ctx, name, reset, add)
			if !errors.Is(err, errLostRace) {
				return err
			}
		}
		return err
	})
	return worker, err
}

func (s *workerStore) setWorker(ctx context.Context, name string, reset bool, add workqueue.WorkerOverrides) (worker workqueue.Worker, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		row, err := s.existingWorker(ctx, tx, name)
		if err != nil {
			return err
		}
		var before workqueue.WorkerOverrides
		if !reset {
			if before, err = workqueue.ParseOverrides(workqueue.JSONText(row.Overrides)); err != nil {
				return err
			}
		}
		after := before.Plus(add)
		if err := after.Check(row.reported()); err != nil {
			return &workqueue.WorkerSettingsError{Worker: name, Err: err}
		}
		text, err := after.Text()
		if err != nil {
			return err
		}
		n, err := s.queries.exec(ctx, tx, "set_worker", values{"id": row.ID, "overrides": null(string(text)), "old": string(row.Overrides)})
		if err != nil {
			return err
		}
		if n == 0 {
			return errLostRace
		}
		was, now := workqueue.JSONText(row.Overrides), text
		row.Overrides = nullText(text)
		worker = row.worker()
		if was == now {
			return nil
		}
		return s.auditWorker(ctx, tx, workqueue.AuditWorkersSet, name, "overrides", was, now)
	})
	return worker, err
}

// existingWorker returns a worker's row, or ErrNotFound.
func (s *workerStore) existingWorker(ctx context.Context, tx *sql.Tx, name string) (workerRow, error) {
	row, err := s.workerByName(ctx, tx, name)
	if errors.Is(err, gorm.ErrRecordNotFound) {
		err = workqueue.ErrNotFound
	}
	return row, err
}

// RequestDrain implements workqueue.WorkerControlStore.
func (s *workerStore) RequestDrain(ctx context.Context, name string) error {
	return s.retry(ctx, fmt.Sprintf("drain worker %q", name), func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			n, err := s.queries.exec(ctx, tx, "request_drain", values{"name": name, "now": s.nowArg()})
			if err != nil {
				return err
			}
			if n == 0 {
				_, err := s.existingWorker(ctx, tx, name)
				return err
			}
			return s.auditWorker(ctx, tx, workqueue.AuditWorkersDrain, name, "drainRequested", false, true)
		})
	})
}

// ResumeWorker implements workqueue.WorkerControlStore.
func (s *workerStore) ResumeWorker(ctx context.Context, name string) (changed bool, err error) {
	err = s.retry(ctx, fmt.Sprintf("resume worker %q", name), func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			n, err := s.queries.exec(ctx, tx, "resume_worker", values{"name": name})
			if changed = n > 0; err != nil {
				return err
			}
			if !changed {
				_, err := s.existingWorker(ctx, tx, name)
				return err
			}
			return s.auditWorker(ctx, tx, workqueue.AuditWorkersResume, name, "drainRequested", true, false)
		})
	})
	return changed, err
}
