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

// migrateDriver and migrateDSN are environment variables with a database. If they are set, the
// test binary does not run tests: it is one of the processes that migrate at the same time.
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
	// Most parallel tests wait for connections that do not answer, so run more of them than
	// there are processors. The flag -parallel does not override this.
	if err := flag.Set("test.parallel", strconv.Itoa(2*runtime.GOMAXPROCS(0))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	// The cache of gorm's prepared statements never ends its goroutine.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("gorm.io/gorm/internal/lru.NewLRU[...].func1"))
}

// migrate opens a store, as a process does when it starts, and uses it once.
func migrate(driver database.Driver, dsn string) error {
	ctx := context.Background()
	store, err := sqlstore.Open(ctx, sqlstore.Options{Driver: string(driver), DSN: dsn})
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
