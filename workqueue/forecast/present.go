package forecast

import (
	"context"
	"fmt"
	"time"

	"botwork/tasks"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/learned"
)

const (
	// mostLater bounds the items that are not due yet that a forecast reads, and pageOf one page of them.
	mostLater, pageOf = 20_000, 1000

	// mostFinishing bounds the waiting items with a time to finish by that a forecast knows.
	mostFinishing = 20_000

	// mostKeys bounds the learned durations that a forecast reads, as for passes.
	mostKeys = 20_000

	// failuresOver is over how long failures are counted.
	failuresOver = 7 * 24 * time.Hour
)

// Store is what a forecast reads.
type Store interface {
	assign.WhyStore

	Queues(ctx context.Context) ([]workqueue.Queue, error)
	Items(ctx context.Context, f workqueue.ItemFilter) ([]workqueue.Item, error)
	Series(ctx context.Context, p workqueue.SeriesParams) (workqueue.Series, error)
	Durations(ctx context.Context, f learned.Filter) ([]learned.Duration, error)
	Tasks(ctx context.Context) ([]workqueue.TaskRow, error)
	Controls(ctx context.Context) (workqueue.Controls, error)
}

// Present is what a forecast knows of the queue: what there is now, what has been learned, and what is
// likely to arrive. It may be used for any number of forecasts at the same time.
type Present struct {
	// Notes are sentences about what the forecast cannot know, such as paused queues.
	Notes []string

	situation *assign.Situation
	profiles  workqueue.Profiles
	learned   map[learned.Key]*learned.Duration
	failures  map[string]failureRate // by pipeline

	resilience func(integrationConfig string) workqueue.Resilience
	queues     map[string]*workqueue.Queue

	tasks   []tasks.Task
	streams []stream
}

// failureRate is what part of the attempts of a pipeline failed lately, and what part of the
// failed ones were followed by another attempt.
type failureRate struct{ fails, again float64 }

// Read reads the present. It takes no lock and writes nothing; what it reads may change meanwhile.
func Read(ctx context.Context, store Store, p assign.WhyParams) (*Present, error) {
	controls, err := store.Controls(ctx)
	if err != nil {
		return nil, err
	}
	r := &Present{profiles: p.Profiles, resilience: p.Resilience, queues: map[string]*workqueue.Queue{}}
	var running []assign.SystemPipeline
	for _, pipeline := range p.Pipelines {
		if _, paused := controls.Paused[pipeline.Name]; paused {
			r.note("pipeline %s is paused", pipeline.Name)
			continue
		}
		running = append(running, pipeline)
	}
	p.Pipelines = running
	if r.situation, err = assign.ReadSituation(ctx, store, p); err != nil {
		return nil, fmt.Errorf("read the queue: %w", err)
	}
	if len(r.situation.Workers) == 0 {
		r.note("no worker is alive")
	}
	if r.situation.Cut > 0 {
		r.note("more than %d items are due; those that passes take after them are not part of the forecast, so queues and bands may be empty later than it says", r.situation.Cut)
	}
	r.noteRules()
	for _, read := range []func(context.Context, Store) error{r.readQueues, r.readLater, r.readFinishing, r.readLearned, r.readFailures, r.readTasks, r.readStreams} {
		if err := read(ctx, store); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// At is when it was read, UTC by the database's clock.
func (r *Present) At() time.Time { return r.situation.At }

func (r *Present) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}

// noteRules names the rules of escalation about which the forecast assumes something.
func (r *Present) noteRules() {
	for i := range r.situation.Rules {
		rule := &r.situation.Rules[i]
		switch {
		case rule.Rule.Notify:
		case !rule.Simulated():
			r.note("the %s leaves some items alone; it is not part of the forecast", rule.String())
		case rule.Rule.When != "" && rule.Holds:
			r.note("the %s acts while %s; the forecast takes that to stay true", rule.String(), rule.Rule.When)
		case rule.Rule.When != "":
			r.note("the %s acts while %s, which is not true now; the forecast takes that to stay so", rule.String(), rule.Rule.When)
		}
	}
}

func (r *Present) readQueues(ctx context.Context, store Store) error {
	queues, err := store.Queues(ctx)
	for i := range queues {
		q := &queues[i]
		r.queues[q.Name] = q
		if q.Paused {
			r.note("queue %s is paused", q.Name)
		}
	}
	return err
}

// assigned reports whether workers get the items of a queue.
func (r *Present) assigned(queue string) bool {
	q := r.queues[queue]
	return q == nil || !q.Paused && q.Consumer != workqueue.ConsumerRobots
}

// readLater reads the items that are not due yet, the newest first.
func (r *Present) readLater(ctx context.Context, store Store) error {
	f := workqueue.ItemFilter{Statuses: []workqueue.Status{workqueue.StatusScheduled, workqueue.StatusRetry}, Limit: pageOf}
	for read := 0; ; {
		items, err := store.Items(ctx, f)
		if err != nil {
			return fmt.Errorf("read the scheduled items: %w", err)
		}
		for i := range items {
			if r.assigned(items[i].QueueName) && items[i].AvailableAt.After(r.situation.At) {
				r.situation.AddLater(&items[i])
			}
		}
		if read += len(items); len(items) < pageOf {
			return nil
		}
		if read >= mostLater {
			r.note("more than %d items are scheduled; only the newest are part of the forecast", mostLater)
			return nil
		}
		f.BeforeID = items[len(items)-1].ID
	}
}

// readFinishing reads by when the waiting items have to finish. Such a time is also a deadline.
func (r *Present) readFinishing(ctx context.Context, store Store) error {
	s := r.situation
	at := make(map[int64]int, len(s.Items))
	for i := range s.Items {
		if it := &s.Items[i]; !it.Running && it.Holder == 0 && !it.Deadline.IsZero() {
			at[it.ID] = i
		}
	}
	if len(at) == 0 {
		return nil
	}
	f := workqueue.ItemFilter{Statuses: []workqueue.Status{workqueue.StatusPending}, Deadline: workqueue.TimeRange{Since: s.At}, Limit: pageOf}
	for read := 0; ; {
		items, err := store.Items(ctx, f)
		if err != nil {
			return fmt.Errorf("read the items that have to finish by a time: %w", err)
		}
		for i := range items {
			if n, ok := at[items[i].ID]; ok && items[i].FinishBy != nil {
				s.Items[n].FinishBy = *items[i].FinishBy
			}
		}
		if read += len(items); len(items) < pageOf {
			return nil
		}
		if read >= mostFinishing {
			r.note("more than %d items have a deadline; the forecast knows by when the newest of them have to finish", mostFinishing)
			return nil
		}
		f.BeforeID = items[len(items)-1].ID
	}
}

func (r *Present) readLearned(ctx context.Context, store Store) error {
	list, err := store.Durations(ctx, learned.Filter{Limit: mostKeys})
	r.learned = make(map[learned.Key]*learned.Duration, len(list))
	for i := range list {
		if list[i].Runs >= learned.LeastRuns {
			r.learned[list[i].Key] = &list[i]
		}
	}
	return err
}

func (r *Present) readFailures(ctx context.Context, store Store) error {
	s, err := store.Series(ctx, workqueue.SeriesParams{
		By: workqueue.ByDay, From: r.situation.At.Add(-failuresOver), Until: r.situation.At, Group: workqueue.GroupPipeline,
	})
	r.failures = map[string]failureRate{}
	for i := range s.Totals {
		t := &s.Totals[i]
		if t.Failed > 0 {
			r.failures[t.Group] = failureRate{fails: float64(t.Failed) / float64(t.Failed+t.Succeeded), again: float64(t.Retried) / float64(t.Failed)}
		}
	}
	return err
}

func (r *Present) readTasks(ctx context.Context, store Store) error {
	rows, err := store.Tasks(ctx)
	for _, row := range rows {
		task, err := tasks.Read(row)
		if err != nil {
			r.note("task %s cannot be read: %v", row.Name, err)
			continue
		}
		if task.Active && task.Plan() != nil && r.assigned(task.Queue) {
			r.tasks = append(r.tasks, task)
		}
	}
	return err
}
