package sqlstore_test

import (
	"context"
	"crypto/rand"

	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// historyMethods are the methods for the database's history.
var historyMethods = []method{
	{"RaiseEpoch", 1, true, func(x *behindProxy) trial {
		reason := rand.Text()
		return trial{func(ctx context.Context, s *sqlstore.Store) error {
			_, err := s.RaiseEpoch(ctx, reason)
			return err
		}, func() int { return x.count(`SELECT COUNT(*) FROM "BotInstallation" WHERE "Reason" = $1`, reason) }}
	}},
	reading("Installation", func(ctx context.Context, s *sqlstore.Store, _ workqueue.Item) error {
		_, err := s.Installation(ctx)
		return err
	}),
}
