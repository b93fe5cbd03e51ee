package workqueue

import (
	"context"
	"time"
)

// TaskStore keeps scheduled tasks and creates their items. Package tasks defines what
// a task means; here it is a row.
type TaskStore interface {
	// Tasks lists all tasks by name.
	Tasks(ctx context.Context) ([]TaskRow, error)

	// DefineTasks writes the tasks of a settings file, in one transaction, and
	// returns the names that changed, sorted. A row whose Definition matches the file
	// stays unchanged, including changes made to it by hand. A task that an earlier
	// file defined and this one does not is set inactive; rows created by hand stay
	// unchanged. by names the author of the change.
	DefineTasks(ctx context.Context, defs []TaskRow, by string) (changed []string, err error)

	// TaskFirings lists the records of each task's windows from the given time on, in
	// no particular order. Firing.Schedule is TaskSchedule(name), Firing.Worker the
	// scope value.
	TaskFirings(ctx context.Context, since []TaskSince) ([]Firing, error)

	// TaskScopesBusy returns the scope values of a task that have an item which has
	// not finished: it waits, is assigned or runs. The value is the time at which the
	// first such item was created.
	TaskScopesBusy(ctx context.Context, task string) (map[string]time.Time, error)

	// FireTasks creates the items of windows, each in one transaction with the unique
	// record of its window, and returns the items that it created. It creates none
	// for a window that has a record, that has not opened yet or has closed by the
	// database's clock, whose task is not active, or whose task and scope value have
	// an item that has not finished. Any number of callers may try the same windows
	// at the same time.
	FireTasks(ctx context.Context, windows []TaskWindow, by string) ([]TaskItem, error)

	// RunTask creates items on request, without a window, and returns their ids. A repeated
	// call with the same part of a batch creates none and returns the ids of the first.
	RunTask(ctx context.Context, task string, part BatchPart, items []ScopedItem) ([]int64, error)

	// SettleTask records windows that closed without an item, and that windows before
	// until need no further check. A window that has a record keeps it; until never
	// moves back.
	SettleTask(ctx context.Context, task string, closed []Firing, until time.Time) error

	// WaitingTaskItems lists up to limit items in the given state, Ready or Pending,
	// with ids above afterID, in the order of their ids. It lists only items that
	// belong to a task and whose priority was not changed by hand since the program
	// set it.
	WaitingTaskItems(ctx context.Context, state State, afterID int64, limit int) ([]TaskItem, error)

	// ReviseTaskItems sets priorities and returns the number of changed items: an
	// item whose state or priority has changed meanwhile stays unchanged.
	ReviseTaskItems(ctx context.Context, revisions []TaskRevision) (int, error)

	// NotifyTaskFailures takes up to limit items of tasks that were cancelled because
	// they failed and that no call has taken yet. In one transaction it marks them as
	// taken and inserts the items that notice returns for them, so that each failure
	// is taken once. It returns the number of failures taken.
	NotifyTaskFailures(ctx context.Context, limit int, notice func(TaskFailure) (NewItem, bool)) (taken int, err error)
}

// TaskSchedule is the Schedule of a task's rows in BotScheduleFirings.
func TaskSchedule(task string) string { return "task:" + task }

// TaskRow is a row of BotTasks as stored; values written by hand may be invalid.
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

	Estimate time.Duration // 0: unknown

	// Definition is a hash of the file's definition that last wrote the row; "" for a
	// row that no file has written, or that was removed from the file.
	Definition string
	DefinedBy  string // "": created by hand

	UpdatedAt time.Time
	Revision  int64 // incremented by each change that the program makes

	// SettledUntil: windows that closed at or before it have their records.
	SettledUntil time.Time
}

// TaskSince selects the records of a task from a time on.
type TaskSince struct {
	Task string
	From time.Time
}

// ScopedItem is an item for one scope value of a task, "" for a task without a scope.
type ScopedItem struct {
	Scope string
	Item  NewItem
}

// TaskWindow is a request for the item of one window and scope value.
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

	// PlannedAt is when the item's window opened; for an item without a window, when
	// it was created. Deadline is zero if the item has none.
	PlannedAt time.Time
	Deadline  time.Time
}

// TaskRevision is a new priority for a waiting item.
type TaskRevision struct {
	ItemID   int64
	State    State // as listed
	Old, New int
}

// TaskFailure is an item of a task that has permanently failed.
type TaskFailure struct {
	TaskItem
	Pipeline   string
	Error      string
	ErrorKind  ErrorKind
	Attempts   int // that failed
	FinishedAt time.Time
}
