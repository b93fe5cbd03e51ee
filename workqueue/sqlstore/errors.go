package sqlstore

import (
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
	mssql "github.com/microsoft/go-mssqldb"
	"gorm.io/gorm"

	"botwork/internal/database"
	"botwork/workqueue"
)

// errorClass classifies the errors of drivers. Each engine classifies those of its own driver.
type errorClass int

const (
	otherError       errorClass = iota
	transientError              // the same statement may succeed if it is retried
	uniqueError                 // the row violates a unique key
	foreignKeyError             // the row refers to another that does not exist
	noSuchTableError            // the schema is missing
)

// isLockTimeout reports whether a server did not wait longer for a row that another session holds.
func isLockTimeout(err error) bool {
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok {
		return pg.Code == "55P03"
	}
	ms, ok := errors.AsType[mssql.Error](err)
	return ok && ms.Number == 1222
}

func classify(err error) errorClass {
	for _, classifyDriver := range []func(error) errorClass{classifySQLite, classifyPostgres, classifySQLServer} {
		if class := classifyDriver(err); class != otherError {
			return class
		}
	}
	if _, ok := errors.AsType[*database.UnavailableError](err); ok {
		return transientError
	}
	if _, ok := errors.AsType[*workqueue.LockedError](err); ok {
		return transientError
	}
	switch {
	case errors.Is(err, gorm.ErrDuplicatedKey):
		return uniqueError
	case errors.Is(err, gorm.ErrForeignKeyViolated):
		return foreignKeyError
	}
	return otherError
}
