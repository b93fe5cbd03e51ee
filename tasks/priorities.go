package tasks

import (
	"context"

	"botwork/workqueue"
)

// priorityPage is the maximum number of items that are read and written at a time.
const priorityPage = 1000

// RaisePriorities raises the priorities of waiting items in the state, Ready or Pending, to the result
// of [Priority] plus their queue's offset. It never lowers a priority, and does not change
// priorities that a person has set. It returns how many items it checked and how many it
// changed. Without tasks it is one query.
func RaisePriorities(ctx context.Context, store Store, state workqueue.State) (seen, changed int, err error) {
	rows, err := store.Tasks(ctx)
	if err != nil || len(rows) == 0 {
		return 0, 0, err
	}
	importances := map[string]Importance{}
	for _, row := range rows {
		importances[row.Name] = Importance(row.Importance)
	}
	now, err := store.Now(ctx)
	if err != nil {
		return 0, 0, err
	}
	offsets := map[string]int{}
	queues, err := store.Queues(ctx)
	if err != nil {
		return 0, 0, err
	}
	for _, q := range queues {
		offsets[q.Name] = q.PriorityOffset
	}
	for after := int64(0); ; {
		items, err := store.WaitingTaskItems(ctx, state, after, priorityPage)
		if err != nil {
			return seen, changed, err
		}
		var revisions []workqueue.TaskRevision
		for _, it := range items {
			after = it.ID
			importance, known := importances[it.Task]
			if !known {
				continue // not a known task: the name was written by hand
			}
			p := Priority(importance, it.PlannedAt, it.Deadline, now) + offsets[it.Queue]
			if p > it.Priority && workqueue.ItemPriorityRange(p) {
				revisions = append(revisions, workqueue.TaskRevision{ItemID: it.ID, State: state, Old: it.Priority, New: p})
			}
		}
		n := 0
		if len(revisions) > 0 {
			if n, err = store.ReviseTaskItems(ctx, revisions); err != nil {
				return seen, changed, err
			}
		}
		seen, changed = seen+len(items), changed+n
		if len(items) < priorityPage {
			return seen, changed, nil
		}
	}
}
