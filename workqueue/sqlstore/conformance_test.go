package sqlstore_test

import (
	"testing"

	"botwork/internal/testdb"
	"botwork/workqueue"
	"botwork/workqueue/storetest"
)

func TestConformance(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		storetest.Exercise(t, func(t *testing.T) storetest.Harness {
			dsn := e.DSN(t)
			store := e.Open(t, dsn)
			byHand := e.SQL(t, dsn)
			return storetest.Harness{
				Store:   store,
				Another: func(t *testing.T) workqueue.Store { return e.Open(t, dsn) },
				Exec: func(t *testing.T, statement string) int64 {
					t.Helper()
					result, err := byHand.ExecContext(t.Context(), statement)
					if err != nil {
						t.Fatalf("%s: %v", statement, err)
					}
					n, err := result.RowsAffected()
					if err != nil {
						t.Fatal(err)
					}
					return n
				},
			}
		})
	})
}
