package sqlstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"botwork/workqueue"
)

var _ workqueue.MarkStore = (*markStore)(nil)

// markStore reads what changes when queues, workers and runs do.
type markStore struct {
	*connection
}

// markRow is a row of the statement state_marks.
type markRow struct {
	kind, name, state  string
	id, revision, flag int64
}

// Marks implements workqueue.MarkStore.
func (s *markStore) Marks(ctx context.Context, runs int) (marks workqueue.Marks, err error) {
	err = s.retry(ctx, "read the marks of queues, workers and runs", func() error {
		marks = workqueue.Marks{}
		rows, err := s.reading.query(ctx, s.readers, "state_marks", values{"limit_rows": runs, "now": s.nowArg()})
		if err != nil {
			return err
		}
		return eachRow(rows, func() error {
			var r markRow
			if err := rows.Scan(&r.kind, &r.id, &r.name, &r.state, &r.revision, &r.flag); err != nil {
				return err
			}
			return r.addTo(&marks)
		})
	})
	// The parts of a UNION have no order.
	slices.SortStableFunc(marks.Runs, func(a, b workqueue.RunMark) int { return cmp.Compare(b.ID, a.ID) })
	return marks, err
}

func (r *markRow) addTo(marks *workqueue.Marks) error {
	switch r.kind {
	case "queue":
		marks.Queues = append(marks.Queues, workqueue.QueueMark{Name: r.name, Revision: r.revision, Paused: r.flag != 0})
	case "worker":
		marks.Workers = append(marks.Workers, workqueue.WorkerMark{ID: r.id, Name: r.name, State: workqueue.WorkerState(r.state), Gone: r.flag != 0})
	case "run":
		marks.Runs = append(marks.Runs, workqueue.RunMark{ID: r.id, Pipeline: r.name, Outcome: workqueue.RunOutcome(r.state)})
	default:
		return fmt.Errorf("state_marks: got a row of the kind %q", r.kind)
	}
	return nil
}
