package sqlstore

import (
	"context"
	"errors"

	"botwork/internal/database"
	"botwork/workqueue"
)

// failureStore reads failures for reports.
type failureStore struct {
	*connection
}

// Failures implements workqueue.FailureStore.
func (s *failureStore) Failures(ctx context.Context, f workqueue.FailureFilter) ([]workqueue.Failure, error) {
	if f.Ended != (f.Queue != "") {
		return nil, errors.New("list failures: want a queue for ended items, and none for attempts")
	}
	name := "failed_attempts"
	v := values{
		"since": s.engine.timeArg(f.Since), "until": s.engine.timeArg(f.Until), "before_id": f.BeforeID,
		"limit_rows": min(orDefault(f.Limit, workqueue.MaxFailures), workqueue.MaxFailures),
		"name_len":   workqueue.FailurePipelineLen, "text_len": workqueue.FailureTextLen,
	}
	if f.Ended {
		name, v["queue"] = "failed_items", f.Queue
	}
	var list []workqueue.Failure
	err := s.retry(ctx, "list failures", func() error {
		list = nil
		rows, err := s.reading.query(ctx, s.readers, name, v)
		if err != nil {
			return err
		}
		return eachRow(rows, func() error {
			var one workqueue.Failure
			var step, kind, text, worker, host nullText
			var rescued int
			var at database.Time
			if err := rows.Scan(&one.ID, &one.ItemID, &one.Queue, &one.Pipeline, &step, &kind, &text, &worker, &host, &rescued, &at); err != nil {
				return err
			}
			one.Step, one.Kind, one.Error = string(step), workqueue.ErrorKind(kind), string(text)
			one.Worker, one.Host, one.Rescued, one.At = string(worker), string(host), rescued == 1, at.Time
			list = append(list, one)
			return nil
		})
	})
	return list, err
}
