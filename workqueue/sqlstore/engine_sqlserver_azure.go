package sqlstore

import (
	"errors"
	"slices"
	"strings"

	mssql "github.com/microsoft/go-mssqldb"

	"botwork/internal/database"
)

// Errors of Azure SQL that ask the client to try again. The first six refuse a request or a
// login before anything is done.
const (
	azureBusy         = 40501 // the service is busy
	azureRequests     = 10928 // the limit of requests or sessions is reached
	azureSessions     = 10929 // the same, below the guaranteed minimum
	azureResources    = 49918 // not enough resources for the request
	azureOperations   = 49919 // too many create or update operations
	azureSubscription = 49920 // too many operations in the subscription

	// The database moves to another node and the session has ended. If that happened during a
	// commit, the outcome of the commit is unknown.
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

// uncommittedError is an error of a transaction before its commit: the transaction was rolled
// back, even if the server has ended the session. Its text is that of the cause.
type uncommittedError struct{ cause error }

func (e *uncommittedError) Error() string { return e.cause.Error() }
func (e *uncommittedError) Unwrap() error { return e.cause }

// nothingCommitted reports whether a request that ended with the session has certainly changed
// nothing: the login was refused, or the transaction had not reached its commit. A statement
// outside a transaction commits itself.
func nothingCommitted(err error) bool {
	if _, ok := errors.AsType[*uncommittedError](err); ok {
		return true
	}
	ms, ok := errors.AsType[mssql.Error](err)
	return ok && strings.HasPrefix(ms.Message, "login error: ")
}
