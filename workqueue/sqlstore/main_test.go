package sqlstore_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"

	"go.uber.org/goleak"

	"botwork/internal/database"
	"botwork/workqueue/sqlstore"
)

// migrateDriver and migrateDSN name a database in the environment. A test
// binary that finds them is not to test: it is one of the processes that
// migrate at the same time.
const (
	migrateDriver = "BOTWORK_TEST_MIGRATE_DRIVER"
	migrateDSN    = "BOTWORK_TEST_MIGRATE_DSN"
)

func TestMain(m *testing.M) {
	if dsn := os.Getenv(migrateDSN); dsn != "" {
		if err := migrate(database.Driver(os.Getenv(migrateDriver)), dsn); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// Most that go on at the same time wait for connections that do not answer; -parallel
	// still says otherwise.
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// migrate opens a store as a process does at its start and uses it once.
func migrate(driver database.Driver, dsn string) error {
	ctx := context.Background()
	store, err := sqlstore.Open(ctx, sqlstore.Options{Driver: driver, DSN: dsn})
	if err != nil {
		return err
	}
	defer store.Close()
	if _, err := store.Migrate(ctx); err != nil {
		return err
	}
	_, err = store.Queues(ctx)
	return err
}
