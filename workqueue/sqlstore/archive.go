package sqlstore

import (
	"context"
	"database/sql"
	"fmt"

	"botwork/workqueue"
)

// archive keeps as many archived items as each queue allows.
type archive struct {
	*connection
	*policies
	*bookkeeping
}

// trimBatch limits how many archived items one statement removes, so that it never locks the
// table.
const trimBatch = 500

// trimArchives removes the oldest archived items of queues that exceed their limit. It runs
// after the transaction that archived items. If several run at once, the last one sees all
// archived items, so the limit is exact once nothing is in progress.
func (s *archive) trimArchives(ctx context.Context, queues []string) error {
	for _, name := range queues {
		// Cached policies are good enough, however old: reading them after every end would cost
		// more than applying a changed limit a little later.
		q, ok := s.lastQueue(name)
		if !ok {
			var err error
			if q, err = s.queue(ctx, name); err != nil {
				return err
			}
		}
		if q.ArchiveLimit == nil {
			continue
		}
		if _, err := s.trimArchive(ctx, name, *q.ArchiveLimit); err != nil {
			return err
		}
	}
	return nil
}

// trimAllArchives trims the archives of all queues, for callers that do not know which archives
// have grown.
func (s *archive) trimAllArchives(ctx context.Context) error {
	if _, ok := s.lastQueue(workqueue.DefaultQueue); !ok {
		if err := s.readPolicies(ctx); err != nil {
			return err
		}
	}
	return s.trimArchives(ctx, s.queueNames())
}

func (s *archive) trimArchive(ctx context.Context, queue string, keep int) (removed int, err error) {
	for {
		var n int64
		err := s.retry(ctx, fmt.Sprintf("trim the archive of queue %q", queue), func() error {
			return s.tx(ctx, func(tx *sql.Tx) (err error) {
				n, err = s.queries.exec(ctx, tx, "trim_archive", values{"queue": queue, "keep": keep, "limit_rows": trimBatch})
				if err != nil || n == 0 {
					return err
				}
				return s.keepRemoved(ctx, tx, queue, workqueue.LifeArchived, n)
			})
		})
		if removed += int(n); err != nil || n < trimBatch {
			return removed, err
		}
	}
}
