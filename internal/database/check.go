package database

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/microsoft/go-mssqldb/azuread"
)

// CheckDSN checks the syntax of a DSN without a connection, and that its form is that of the
// driver. A program that retries until
// its database is available should reject such a DSN at once, because waiting does not
// fix it.
func CheckDSN(driver Driver, dsn string) error {
	if dsn == "" {
		return errors.New("the DSN is empty")
	}
	if err := checkForm(driver, dsn); err != nil {
		return err
	}
	var err error
	switch driver {
	case SQLite:
	case SQLServer:
		// This connector checks the Azure AD parameters as well.
		_, err = azuread.NewConnector(dsn)
	case Postgres:
		_, err = pgx.ParseConfig(dsn)
	default:
		_, err = ParseDriver(string(driver))
	}
	if err != nil {
		return fmt.Errorf("parse %s DSN: %w", driver, redactParse(err, dsn))
	}
	return nil
}
