package sqlstore

import (
	"context"
	"database/sql"
	"fmt"

	"botwork/workqueue"
)

// trimBatch bounds one removal of archived items, so that it never locks a
// table.
const trimBatch = 500

// trimArchives removes the oldest archived items of queues beyond the number
// that each keeps. It runs behind the transaction that archived: the last one
// to run sees all that was archived before, so that the number is exact when
// nothing is under way.
func (s *Store) trimArchives(ctx context.Context, queues []string) error {
	for _, name := range queues {
		// Whatever their age: to look again behind every end would cost more than
		// a limit that counts a little later.
		q, ok := s.policies.last(name)
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

// trimAllArchives trims the archives of all queues, for callers that do not know which ones
// have grown.
func (s *Store) trimAllArchives(ctx context.Context) error {
	if _, ok := s.policies.last(workqueue.DefaultQueue); !ok {
		if err := s.readPolicies(ctx); err != nil {
			return err
		}
	}
	return s.trimArchives(ctx, s.policies.names())
}

func (s *Store) trimArchive(ctx context.Context, queue string, keep int) (removed int, err error) {
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
