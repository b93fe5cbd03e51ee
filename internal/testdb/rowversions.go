package testdb

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"botwork/internal/database"
)

// RowVersionsVariable is the environment variable that sets how SQL Server databases of
// tests are created: ON with READ_COMMITTED_SNAPSHOT, OFF without. If it is not
// set, the server decides.
const RowVersionsVariable = "BOTWORK_TEST_SQLSERVER_SNAPSHOT"

// setRowVersions turns READ_COMMITTED_SNAPSHOT of a new database on or off.
func setRowVersions(t testing.TB, dsn, on string) (err error) {
	t.Helper()
	if on != "ON" && on != "OFF" {
		return fmt.Errorf("%s: got %q, want ON or OFF", RowVersionsVariable, on)
	}
	db, err := database.Open(database.SQLServer, dsn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	// The database has only this connection; others would have to close first.
	_, err = db.ExecContext(context.Background(), "ALTER DATABASE CURRENT SET READ_COMMITTED_SNAPSHOT "+on+" WITH ROLLBACK IMMEDIATE")
	return err
}
