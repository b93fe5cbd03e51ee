package sqlstore

import (
	"errors"
	"slices"
	"strings"

	mssql "github.com/microsoft/go-mssqldb"

	"botwork/internal/database"
)

// Errors by which Azure SQL asks for another try. The first six refuse a request or a
// login before anything is done.
const (
	azureBusy         = 40501 // the service is busy
	azureRequests     = 10928 // the limit of requests or sessions is reached
	azureSessions     = 10929 // likewise, below the guaranteed minimum
	azureResources    = 49918 // not enough resources for the request
	azureOperations   = 49919 // too many create or update operations
	azureSubscription = 49920 // too many operations of the subscription

	// The database moves to another node, and the session has ended. If that happened
	// during a commit, it is unknown whether the commit was done.
	azureFailure     = 40197
	azureUnavailable = 40613
)

var azureErrors = []int32{
	azureBusy, azureRequests, azureSessions, azureResources, azureOperations, azureSubscription, azureFailure, azureUnavailable,
}

func isAzureError(err error) bool {
	if _, ok := errors.AsType[*database.UnavailableError](err); ok {
		return true
	}
	ms, ok := errors.AsType[mssql.Error](err)
	return ok && slices.Contains(azureErrors, ms.Number)
}

// uncommittedError is an error of a transaction before its commit: all of it is undone,
// even if the server has ended the session. The text is that of the cause.
type uncommittedError struct{ cause error }

func (e *uncommittedError) Error() string { return e.cause.Error() }
func (e *uncommittedError) Unwrap() error { return e.cause }

// nothingCommitted reports whether a request that ended with the session has certainly
// changed nothing: it was refused at login, or its transaction had not reached the commit.
// A statement outside a transaction is its own commit.
func nothingCommitted(err error) bool {
	if _, ok := errors.AsType[*uncommittedError](err); ok {
		return true
	}
	ms, ok := errors.AsType[mssql.Error](err)
	return ok && strings.HasPrefix(ms.Message, "login error: ")
}
