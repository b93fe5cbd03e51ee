package cli

import (
	"context"
	"errors"
	"time"

	"botwork/cmd/internal/remote"
	"botwork/internal/operations"
	"botwork/workqueue"
	"botwork/workqueue/forecast"
	"botwork/workqueue/learned"
	"botwork/workqueue/report"
)

// Backend is what the commands call that work over a server as well: the database, or the HTTP API.
type Backend interface {
	QueueReader
	QueueBackend
	ItemBackend

	AuditItems(ctx context.Context, entryID, afterID int64, limit int) ([]workqueue.AuditItem, error)
	Now(ctx context.Context) (time.Time, error)

	DeletedQueues(ctx context.Context) ([]workqueue.DeletedQueue, error)
	PauseQueue(ctx context.Context, name string) (changed bool, err error)
	ResumeQueue(ctx context.Context, name string) (changed bool, err error)
	Statistics(ctx context.Context, queue string) ([]workqueue.QueueStatistics, error)
	Series(ctx context.Context, p workqueue.SeriesParams) (workqueue.Series, error)
	Report(ctx context.Context, p report.Params) (*report.Report, error)
	ForecastAccuracy(ctx context.Context, p forecast.AccuracyParams) (*forecast.Accuracy, error)

	SetWorker(ctx context.Context, name string, reset bool, o workqueue.WorkerOverrides) (workqueue.Worker, error)
	DrainWorker(ctx context.Context, name, instanceID string) error
	RequestDrain(ctx context.Context, name string) error
	ResumeWorker(ctx context.Context, name string) (changed bool, err error)

	LearnedDurations(ctx context.Context, f learned.Filter) ([]operations.Duration, error)
	ForgetDurations(ctx context.Context, f learned.Filter) (int, error)

	ViewTasks(ctx context.Context) ([]operations.Task, error)
	ViewTask(ctx context.Context, name string, most int) (operations.TaskDetails, error)
	RunTask(ctx context.Context, name string, scopes []string, by string) ([]operations.ScopedItem, error)

	FindRuns(ctx context.Context, f operations.RunFilter) ([]operations.Run, error)
	RunByID(ctx context.Context, id int64) (operations.Run, error)
	Runs(ctx context.Context, f workqueue.RunFilter) ([]workqueue.PipelineRun, error)
	RequestRuns(ctx context.Context, n workqueue.NewRunRequests) ([]int64, error)
	RunRequests(ctx context.Context, f workqueue.RequestFilter) ([]workqueue.RunRequest, error)

	Controls(ctx context.Context) (workqueue.Controls, error)
	PausePipeline(ctx context.Context, p workqueue.PipelinePause) (changed bool, err error)
	ResumePipeline(ctx context.Context, pipeline, by string) (changed bool, err error)
}

// ItemBackend is the part of a Backend that reads and changes items.
type ItemBackend interface {
	workqueue.BatchStore

	Item(ctx context.Context, id int64) (workqueue.Item, error)
	Items(ctx context.Context, f workqueue.ItemFilter) ([]workqueue.Item, error)
	CountItems(ctx context.Context, f workqueue.ItemFilter) (int64, error)
	Attempts(ctx context.Context, itemID int64) ([]workqueue.Attempt, error)
	AuditEntries(ctx context.Context, f workqueue.AuditFilter) ([]workqueue.AuditEntry, error)
	Workers(ctx context.Context) ([]workqueue.Worker, error)

	ChangeItem(ctx context.Context, id int64, c workqueue.Change) (clone int64, err error)
	ChangeItems(ctx context.Context, f workqueue.ItemFilter, c workqueue.Change) (workqueue.ChangeResult, error)
	ReleaseFromRobot(ctx context.Context, id int64, reason string) error
}

// WithBackend calls do with the server of the flags, or with the database as WithStore does.
func (a *App) WithBackend(ctx context.Context, do func(Backend) error) error {
	return a.withBackend(ctx, a.WithStore, do)
}

// WithReadOnlyBackend is WithBackend for commands that change nothing.
func (a *App) WithReadOnlyBackend(ctx context.Context, do func(Backend) error) error {
	return a.withBackend(ctx, a.WithReadOnlyStore, do)
}

func (a *App) withBackend(ctx context.Context, withStore func(context.Context, func(Store) error) error, do func(Backend) error) error {
	if !a.UsesServer() {
		return withStore(ctx, func(store Store) error { return do(local{store}) })
	}
	return a.WithServer(func(s *remote.Server) error { return do(s) })
}

// WithServer calls do with the server of the flags, for commands that do more over a server than
// another Backend.
func (a *App) WithServer(do func(*remote.Server) error) error {
	s, err := a.openServer()
	if err != nil {
		return err
	}
	return errors.Join(do(s), s.Close())
}

// WithOpenServer is WithServer for what needs no token.
func (a *App) WithOpenServer(do func(*remote.Server) error) error {
	s, err := remote.Open(remote.Options{Server: a.Server, Token: remote.NoToken, CAFile: a.CAFile})
	if err != nil {
		return &UsageError{Message: err.Error()}
	}
	return errors.Join(do(s), s.Close())
}

// OpenBackend returns the server of the flags, or the database as OpenStore does, and what closes it.
func (a *App) OpenBackend(ctx context.Context) (Backend, func(), error) {
	if a.UsesServer() {
		s, err := a.openServer()
		if err != nil {
			return nil, nil, err
		}
		return s, func() { _ = s.Close() }, nil
	}
	store, err := a.OpenStore(ctx)
	if err != nil {
		return nil, nil, err
	}
	return local{store}, func() { _ = store.Close() }, nil
}

// StoreOf returns the database behind a Backend; ok is false if it is a server.
func StoreOf(b Backend) (store Store, ok bool) {
	l, ok := b.(local)
	return l.Store, ok
}

// UnknownAsUsage returns a server's "not found" as an error of the command line.
func UnknownAsUsage(err error) error {
	if unknown, ok := errors.AsType[*remote.Error](err); ok && errors.Is(err, workqueue.ErrNotFound) {
		return &UsageError{Message: unknown.Problem.Detail, Hint: unknown.Problem.Hint}
	}
	return err
}

// Answerer names what has not answered, for errors.
func (a *App) Answerer() string {
	if a.UsesServer() {
		return "server"
	}
	return "database"
}

var (
	_ Backend = local{}
	_ Backend = (*remote.Server)(nil)
)

// local is the database as a Backend.
type local struct{ Store }

func (l local) LearnedDurations(ctx context.Context, f learned.Filter) ([]operations.Duration, error) {
	all, err := l.Durations(ctx, f)
	views := make([]operations.Duration, len(all))
	for i := range all {
		views[i] = operations.ViewDuration(&all[i])
	}
	return views, err
}

func (l local) Report(ctx context.Context, p report.Params) (*report.Report, error) {
	return report.Make(ctx, l.Store, p)
}

func (l local) ForecastAccuracy(ctx context.Context, p forecast.AccuracyParams) (*forecast.Accuracy, error) {
	return forecast.Compare(ctx, l.Store, p)
}

func (l local) ViewTasks(ctx context.Context) ([]operations.Task, error) {
	return operations.Tasks(ctx, l.Store)
}

func (l local) ViewTask(ctx context.Context, name string, most int) (operations.TaskDetails, error) {
	return operations.TaskByName(ctx, l.Store, name, most)
}

func (l local) RunTask(ctx context.Context, name string, scopes []string, by string) ([]operations.ScopedItem, error) {
	return operations.RunTask(ctx, l.Store, name, workqueue.BatchPart{}, scopes, by)
}

func (l local) FindRuns(ctx context.Context, f operations.RunFilter) ([]operations.Run, error) {
	return operations.FindRuns(ctx, l.Store, f)
}

func (l local) RunByID(ctx context.Context, id int64) (operations.Run, error) {
	return operations.RunByID(ctx, l.Store, id)
}
