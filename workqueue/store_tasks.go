package workqueue

import (
	"context"
	"time"
)

// TaskStore keeps scheduled tasks, and makes their items. What a task means
// stands in package tasks; here it is a row.
type TaskStore interface {
	// Tasks lists all tasks by name.
	Tasks(ctx context.Context) ([]TaskRow, error)

	// DefineTasks writes what a settings file says, in one transaction, and
	// returns the names that changed, sorted. A row whose Definition is that of
	// the file is left as it is, whatever a hand has changed in it since. A task
	// that a file had defined and this one does not is set inactive; rows made
	// by hand are left alone. by names who writes.
	DefineTasks(ctx context.Context, defs []TaskRow, by string) (changed []string, err error)

	// TaskFirings lists the records of each task's windows from the given
	// instant on, in no order. Firing.Schedule is TaskSchedule(name),
	// Firing.Worker the scope value.
	TaskFirings(ctx context.Context, since []TaskSince) ([]Firing, error)

	// TaskScopesBusy tells of which scope values of a task an item has not ended,
	// but waits, is assigned or runs, and since when: the first of them was made.
	TaskScopesBusy(ctx context.Context, task string) (map[string]time.Time, error)

	// FireTasks makes the items of windows, each with the unique record of its
	// window in one transaction, and returns those that it made. A window gets
	// none that has a record, that the database's clock has not reached or has
	// left behind, whose task is not active, or of whose task and scope value an
	// item has not ended. Any number of callers may try the same ones at once.
	FireTasks(ctx context.Context, windows []TaskWindow, by string) ([]TaskItem, error)

	// RunTask makes items on request, without a window, and returns their ids.
	RunTask(ctx context.Context, task string, items []ScopedItem) ([]int64, error)

	// SettleTask records windows that closed without an item, and that those
	// before until need not be looked at again. A window that has a record
	// keeps it; until never goes back.
	SettleTask(ctx context.Context, task string, closed []Firing, until time.Time) error

	// WaitingTaskItems lists up to limit items in the given state, Ready or
	// Pending, that belong to a task and whose priority nobody has set by hand
	// since the program did, in the order of their ids, which are above afterID.
	WaitingTaskItems(ctx context.Context, state State, afterID int64, limit int) ([]TaskItem, error)

	// ReviseTaskItems sets priorities, and returns how many it changed: an item
	// whose state or priority is another by now stays as it is.
	ReviseTaskItems(ctx context.Context, revisions []TaskRevision) (int, error)

	// NotifyTaskFailures takes up to limit items of tasks that were cancelled
	// because they failed, and which nobody has taken yet, and inserts what
	// notice returns for them, in one transaction: a failure is taken once. It
	// returns how many it took.
	NotifyTaskFailures(ctx context.Context, limit int, notice func(TaskFailure) (NewItem, bool)) (taken int, err error)
}

// TaskSchedule is the Schedule of a task's rows in BotScheduleFirings.
func TaskSchedule(task string) string { return "task:" + task }

// TaskRow is a row of BotTasks as it stands; a hand may have written anything.
// Times are UTC by the database's clock.
type TaskRow struct {
	Name        string
	Topic       string
	Description string
	Active      bool
	QueueName   string // "" means DefaultQueue
	Pipeline    string
	Importance  int // 0 low, 1 normal, 2 high

	// JSON; "" is NULL.
	ScheduleConfig     JSONText
	Scope              JSONText
	Payload            JSONText
	ResilienceConfig   JSONText
	NotificationConfig JSONText

	Estimate time.Duration // 0: not known

	// Definition is a hash of what the file said that wrote the row last; ""
	// for a row that no file has written, or that has left the file.
	Definition string
	DefinedBy  string // "": made by hand

	UpdatedAt time.Time
	Revision  int64 // raised by each change that the program makes

	// SettledUntil: windows that closed at or before it have their records.
	SettledUntil time.Time
}

// TaskSince asks for the records of a task from an instant on.
type TaskSince struct {
	Task string
	From time.Time
}

// ScopedItem is an item for one scope value of a task, "" for one that has none.
type ScopedItem struct {
	Scope string
	Item  NewItem
}

// TaskWindow asks for the item of one window and scope value.
type TaskWindow struct {
	Task string
	ScopedItem
	PlannedAt time.Time // when the window opened
}

// TaskItem is an item that belongs to a task.
type TaskItem struct {
	ID       int64
	Task     string
	Scope    string
	Queue    string
	Priority int

	// PlannedAt is when the item's window opened; for an item without one, when
	// it was made. Deadline is zero where it has none.
	PlannedAt time.Time
	Deadline  time.Time
}

// TaskRevision is a new priority for an item that waits.
type TaskRevision struct {
	ItemID   int64
	State    State // as it was listed
	Old, New int
}

// TaskFailure is an item of a task that has failed for good.
type TaskFailure struct {
	TaskItem
	Pipeline   string
	Error      string
	ErrorKind  ErrorKind
	Attempts   int // that failed
	FinishedAt time.Time
}
