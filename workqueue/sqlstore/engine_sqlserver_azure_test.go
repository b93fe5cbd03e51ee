package sqlstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	mssql "github.com/microsoft/go-mssqldb"

	"botwork/internal/database"
	sqlfiles "botwork/sql"
)

// azureServer is a database that fails a few times with an error of Azure SQL.
type azureServer struct {
	atLogin, inStatement, atCommit error
	refusals                       int // how often it still fails
	asked                          int // how often the failing step was reached
}

func (a *azureServer) refuse(err error) error {
	if err == nil {
		return nil
	}
	if a.asked++; a.asked > a.refusals {
		return nil
	}
	return err
}

func (a *azureServer) Connect(context.Context) (driver.Conn, error) {
	return a, a.refuse(a.atLogin)
}
func (a *azureServer) Driver() driver.Driver { return nil }

func (a *azureServer) Prepare(string) (driver.Stmt, error) { return nil, errors.ErrUnsupported }
func (a *azureServer) Close() error                        { return nil }
func (a *azureServer) Begin() (driver.Tx, error)           { return a, nil }
func (a *azureServer) Commit() error                       { return a.refuse(a.atCommit) }
func (a *azureServer) Rollback() error                     { return nil }

func (a *azureServer) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	return driver.RowsAffected(1), a.refuse(a.inStatement)
}

func TestAzureErrorsAreRetriedUnlessCommitted(t *testing.T) {
	e, err := newEngine(database.SQLServer)
	if err != nil {
		t.Fatal(err)
	}
	statement := func(ctx context.Context, on runner) error { _, err := on.ExecContext(ctx, "UPDATE"); return err }
	inTx := func(ctx context.Context, s *Store) error {
		return s.tx(ctx, func(tx *sql.Tx) error { return statement(ctx, tx) })
	}
	alone := func(ctx context.Context, s *Store) error {
		return s.engine.alone(ctx, s.connection, func(on runner) error { return statement(ctx, on) })
	}
	tests := []struct {
		numbers                 []int32
		inTx, alone, at, commit bool // retried
	}{
		{[]int32{1205, 40501, 10928, 10929, 49918, 49919, 49920}, true, true, true, true},
		{[]int32{40197, 40613}, true, false, true, false},
		{[]int32{4060, 18456}, false, false, false, false},
	}
	for _, tt := range tests {
		for _, number := range tt.numbers {
			refusal := mssql.Error{Number: number, Message: "refused"}
			login := mssql.Error{Number: number, Message: "login error: refused"}
			for name, c := range map[string]struct {
				server  azureServer
				do      func(context.Context, *Store) error
				retried bool
			}{
				"a statement in a transaction": {azureServer{inStatement: refusal}, inTx, tt.inTx},
				"a single statement":           {azureServer{inStatement: refusal}, alone, tt.alone},
				"a login":                      {azureServer{atLogin: login}, alone, tt.at},
				"a commit":                     {azureServer{atCommit: refusal}, inTx, tt.commit},
			} {
				t.Run(fmt.Sprintf("%d refuses %s", number, name), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						server := c.server
						server.refusals = 3
						s := newStore(&connection{statements: sqlfiles.Files, engine: e, db: sql.OpenDB(&server)})
						defer s.db.Close()
						if s.queries, err = loadQueries(s.statements, e.dialect(), "queries", s.db); err != nil {
							t.Fatal(err)
						}
						err := s.retry(t.Context(), "try", func() error { return c.do(t.Context(), s) })
						if want := map[bool]int{true: 4, false: 1}[c.retried]; server.asked != want || (err == nil) != c.retried {
							t.Errorf("tried %d times, %v; want %d times", server.asked, err, want)
						}
						if ms, ok := errors.AsType[mssql.Error](err); err != nil && (!ok || ms.Number != number) {
							t.Errorf("error %v, want the driver's", err)
						}
					})
				})
			}
		}
	}
}
