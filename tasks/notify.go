package tasks

import (
	"context"
	"fmt"

	"botwork/workqueue"
)

// notify creates the notifications for items that failed finally, page by page.
func (l *Loader) notify(ctx context.Context, known map[string]*Task, result *LoadResult) error {
	for {
		notices := 0
		taken, err := l.Store.NotifyTaskFailures(ctx, failuresAtOnce, func(f workqueue.TaskFailure) (workqueue.NewItem, bool) {
			t := known[f.Task]
			if t == nil || t.Notify == nil {
				return workqueue.NewItem{}, false
			}
			item, err := t.notice(f)
			if err != nil {
				l.Report(t.Name, fmt.Errorf("notify of item %d: %w", f.ID, err))
				return workqueue.NewItem{}, false
			}
			notices++
			return item, true
		})
		result.Failures += taken
		result.Notices += notices
		if err != nil || taken < failuresAtOnce {
			return err
		}
	}
}
