package sqlstore

import (
	"errors"

	"gorm.io/gorm"

	"botwork/internal/database"
)

// errorClass sorts drivers' errors. Each engine classifies those of its own driver.
type errorClass int

const (
	otherError       errorClass = iota
	transientError              // the same statement may succeed at once
	uniqueError                 // a unique key refuses the row
	foreignKeyError             // the row names another that does not exist
	noSuchTableError            // the schema is missing
)

func classify(err error) errorClass {
	for _, classifyDriver := range []func(error) errorClass{classifySQLite, classifyPostgres, classifySQLServer} {
		if class := classifyDriver(err); class != otherError {
			return class
		}
	}
	if _, ok := errors.AsType[*database.UnavailableError](err); ok {
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
