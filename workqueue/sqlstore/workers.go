package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"botwork/internal/database"
	"botwork/workqueue"
)

var (
	_ workqueue.WorkerStore        = (*workerStore)(nil)
	_ workqueue.WorkerControlStore = (*workerStore)(nil)
)

// workerStore registers workers, and keeps their labels and states.
type workerStore struct {
	*connection
	*notices
	*auditing
}

// workerRow is BotWorkers.
type workerRow struct {
	ID             int64 `gorm:"column:Id;primaryKey"`
	Name           string
	InstanceID     string `gorm:"column:InstanceId"`
	Host           string
	Pid            int
	ProcessKey     nullText
	Version        string
	Capacity       int
	StuckSlots     int
	Gate           nullText
	Labels         nullText
	Channels       nullText
	Queues         nullText
	ReservedSlots  int
	State          string
	StartedAt      database.Time
	LastSeenAt     database.Time
	LeaseExpiresAt database.Time
	AvailableSince database.Time

	Overrides        nullText
	DrainRequestedAt database.Time
}

func (workerRow) TableName() string { return "BotWorkers" }

func (r *workerRow) worker() workqueue.Worker {
	w := workqueue.Worker{
		ID: r.ID, Name: r.Name, InstanceID: r.InstanceID, Host: r.Host, PID: r.Pid, ProcessKey: string(r.ProcessKey), Version: r.Version,
		StuckSlots: r.StuckSlots, State: workqueue.WorkerState(r.State), StartedAt: r.StartedAt.Time, LastSeenAt: r.LastSeenAt.Time,
		LeaseExpiresAt: r.LeaseExpiresAt.Pointer(), AvailableSince: r.AvailableSince.Pointer(),
		Gate: workqueue.OrNil(string(r.Gate)), Overrides: workqueue.JSONText(r.Overrides), DrainRequestedAt: r.DrainRequestedAt.Pointer(),
	}
	reported := r.reported()
	settings, _ := reported.With(w.Overrides) // the passes and the worker report what cannot be read
	w.Capacity, w.ReservedSlots, w.Labels, w.Channels, w.Queues = settings.Capacity, settings.ReservedSlots, settings.Labels, settings.Channels, settings.Queues
	if w.Overrides != "" {
		w.Reported = &reported
	}
	return w
}

// reported returns the settings that the process reported.
func (r *workerRow) reported() workqueue.WorkerSettings {
	return workqueue.WorkerSettings{
		Capacity: r.Capacity, ReservedSlots: r.ReservedSlots, Labels: workqueue.JSONText(r.Labels),
		Channels: workqueue.JSONText(r.Channels), Queues: workqueue.JSONText(r.Queues),
	}
}

// errLostRace reports that another process registered at the same time: try again.
var errLostRace = errors.New("another process registered at the same time")

// RegisterWorker implements workqueue.WorkerStore.
func (s *workerStore) RegisterWorker(ctx context.Context, spec workqueue.WorkerSpec) (workqueue.Worker, error) {
	var worker workqueue.Worker
	err := s.retry(ctx, fmt.Sprintf("register worker %q", spec.Name), func() (err error) {
		for range 3 {
			err = s.tx(ctx, func(tx *sql.Tx) error {
				worker, err = s.register(ctx, tx, spec)
				return err
			})
			if !errors.Is(err, errLostRace) && classify(err) != uniqueError {
				return err
			}
		}
		return err
	})
	if err == nil {
		s.registered(worker.ID)
		s.recordSeen(true) // a loss before the first heartbeat is noticed too
	}
	return worker, err
}

func (s *workerStore) register(ctx context.Context, tx *sql.Tx, spec workqueue.WorkerSpec) (workqueue.Worker, error) {
	channels, err := spec.Channels.Text()
	if err != nil {
		return workqueue.Worker{}, err
	}
	queues, err := workqueue.ServedText(spec.Queues)
	if err != nil {
		return workqueue.Worker{}, err
	}
	v := values{
		"name": spec.Name, "instance": spec.InstanceID, "host": spec.Host, "pid": spec.PID, "process": null(spec.ProcessKey), "version": spec.Version,
		"capacity": spec.Capacity, "labels": null(string(spec.Labels)), "channels": null(string(channels)),
		"queues": null(string(queues)), "reserved": spec.ReservedSlots, "now": s.nowArg(),
	}
	created, err := s.queries.exec(ctx, tx, "register_new", v)
	if err != nil {
		return workqueue.Worker{}, err
	}
	if created == 0 {
		if spec.Replaces != "" {
			// Items before the worker's row, as all transactions do. If another process gets
			// the name, this is rolled back.
			dead := values{"name": spec.Name, "replaces": spec.Replaces}
			if _, err := s.queries.exec(ctx, tx, "expire_leases", dead); err != nil {
				return workqueue.Worker{}, err
			}
		}
		v["replaces"] = spec.Replaces
		taken, err := s.queries.exec(ctx, tx, "register", v)
		if err != nil {
			return workqueue.Worker{}, err
		}
		if taken == 0 {
			return workqueue.Worker{}, s.nameTaken(ctx, tx, spec.Name)
		}
	}
	row, err := s.workerByName(ctx, tx, spec.Name)
	if err != nil {
		return workqueue.Worker{}, err
	}
	// The first heartbeat sets the lease; the statement adds the lease time to now.
	rows, err := s.queries.query(ctx, tx, "beat_worker", values{
		"worker": row.ID, "instance": spec.InstanceID, "lease_ms": ms(spec.Lease), "stuck": 0, "gate": nil, "ended_ms": nil, "now": s.nowArg(),
	})
	if err != nil {
		return workqueue.Worker{}, err
	}
	var state string
	var beats int64
	var overrides nullText
	if err := eachRow(rows, func() error { return rows.Scan(&state, &beats, &overrides) }); err != nil {
		return workqueue.Worker{}, err
	}
	if state == "" {
		return workqueue.Worker{}, errLostRace
	}
	row, err = s.workerByName(ctx, tx, spec.Name)
	return row.worker(), err
}

func (s *workerStore) workerByName(ctx context.Context, tx *sql.Tx, name string) (workerRow, error) {
	var row workerRow
	orm := s.orm.WithContext(ctx)
	orm.Statement.ConnPool = tx
	err := orm.Where(map[string]any{"Name": name}).Take(&row).Error
	return row, err
}

func (s *workerStore) nameTaken(ctx context.Context, tx *sql.Tx, name string) error {
	row, err := s.workerByName(ctx, tx, name)
	if err != nil {
		return errLostRace
	}
	now, err := s.clock(ctx, tx)
	if err != nil {
		return err
	}
	return &workqueue.NameTakenError{
		Name: row.Name, Host: row.Host, PID: row.Pid, InstanceID: row.InstanceID, ProcessKey: string(row.ProcessKey),
		LastSeenAt: row.LastSeenAt.Time, LeaseEnds: row.LeaseExpiresAt.Time, FreeIn: max(0, row.LeaseExpiresAt.Sub(now)),
	}
}

// Workers implements workqueue.WorkerStore.
func (s *workerStore) Workers(ctx context.Context) ([]workqueue.Worker, error) {
	var rows []workerRow
	err := s.retry(ctx, "list workers", func() error {
		rows = nil
		return s.listing.WithContext(ctx).Order(clause.OrderByColumn{Column: clause.Column{Name: "Name"}}).Find(&rows).Error
	})
	workers := make([]workqueue.Worker, len(rows))
	for i := range rows {
		workers[i] = rows[i].worker()
	}
	return workers, err
}

// DrainWorker implements workqueue.WorkerStore.
func (s *workerStore) DrainWorker(ctx context.Context, name, instanceID string) error {
	which := map[string]any{"Name": name, "State": []string{string(workqueue.WorkerActive), string(workqueue.WorkerDraining)}}
	if instanceID != "" {
		which["InstanceId"] = instanceID
	}
	return s.retry(ctx, fmt.Sprintf("drain worker %q", name), func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			active := s.in(ctx, tx).Model(&workerRow{}).Where(which).Where(map[string]any{"State": string(workqueue.WorkerActive)}).
				Updates(map[string]any{"State": string(workqueue.WorkerDraining)})
			switch {
			case active.Error != nil:
				return active.Error
			case active.RowsAffected > 0 && instanceID == "":
				return s.auditWorker(ctx, tx, workqueue.AuditWorkersDrain, name, "state", workqueue.WorkerActive, workqueue.WorkerDraining)
			case active.RowsAffected > 0:
				return nil // a worker that stops
			}
			var draining int64
			if err := s.in(ctx, tx).Model(&workerRow{}).Where(which).Count(&draining).Error; err != nil || draining > 0 {
				return err
			}
			return workqueue.ErrNotFound
		})
	})
}

// StopWorker implements workqueue.WorkerStore.
func (s *workerStore) StopWorker(ctx context.Context, workerID int64, instanceID string) error {
	return s.retry(ctx, "stop worker", func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			if _, err := s.queries.exec(ctx, tx, "release_assigned", values{"worker": workerID, "instance": instanceID}); err != nil {
				return err
			}
			orm := s.orm.WithContext(ctx)
			orm.Statement.ConnPool = tx
			result := orm.Model(&workerRow{}).
				Where(map[string]any{"Id": workerID, "InstanceId": instanceID}).
				Updates(map[string]any{"State": string(workqueue.WorkerStopped), "Gate": nil})
			if result.Error == nil && result.RowsAffected == 0 {
				return workqueue.ErrWorkerReplaced
			}
			return result.Error
		})
	})
}

// LabelWorker replaces the labels of a worker. It returns ErrWorkerReplaced if the instance is
// not the current one.
func (s *workerStore) LabelWorker(ctx context.Context, workerID int64, instanceID string, labels workqueue.JSONText) error {
	return s.retry(ctx, "label worker", func() error {
		return s.tx(ctx, func(tx *sql.Tx) error {
			which := map[string]any{"Id": workerID, "InstanceId": instanceID}
			var was workerRow
			err := s.in(ctx, tx).Where(which).Take(&was).Error
			if errors.Is(err, gorm.ErrRecordNotFound) {
				return workqueue.ErrWorkerReplaced
			}
			if err != nil {
				return err
			}
			result := s.in(ctx, tx).Model(&workerRow{}).Where(which).Updates(map[string]any{"Labels": null(string(labels))})
			if result.Error == nil && result.RowsAffected == 0 {
				return workqueue.ErrWorkerReplaced
			}
			if result.Error != nil || workqueue.JSONText(was.Labels) == labels {
				return result.Error
			}
			return s.auditWorker(ctx, tx, workqueue.AuditWorkersLabel, was.Name, "labels", workqueue.JSONText(was.Labels), labels)
		})
	})
}

// auditWorker writes that a value of a worker has changed.
func (s *workerStore) auditWorker(ctx context.Context, tx *sql.Tx, action, name, field string, was, now any) error {
	return s.audit(ctx, tx, auditEntry{
		action: action, kind: workqueue.TargetWorker, target: name, changed: 1,
		before: auditValues{field: valueOf(was)}, after: auditValues{field: valueOf(now)},
	})
}
