package cmd

import (
	"context"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/projectdir"
	"botwork/config"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// storeOpener returns the function with which an app opens databases.
func storeOpener(a *projectdir.App) func(ctx context.Context, db config.Database, dsn string, cipher workqueue.Cipher) (cli.Store, error) {
	return func(ctx context.Context, db config.Database, dsn string, cipher workqueue.Cipher) (cli.Store, error) {
		store, err := sqlstore.Open(ctx, sqlstore.Options{
			Driver: string(db.Driver), DSN: dsn,
			MaxOpen: db.Pool.MaxOpen, MaxIdle: db.Pool.MaxIdle, MaxLifetime: db.Pool.MaxLifetime,
			Cipher: cipher, Observe: a.ObserveStatement,
			LockTimeout: a.LockTimeout, Waiting: a.ReportRowHolders,
		})
		if err != nil {
			return nil, err // not store: an interface that holds nil is not nil
		}
		store.SetBatches(a.ItemBatches())
		return store, nil
	}
}
