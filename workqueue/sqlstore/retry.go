package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/retrypolicy"

	"botwork/internal/database"
)

// transient retries after a deadlock, a lock timeout or a busy file, because the engines ask
// clients to do so. All other errors go to the caller at once.
var transient = retries().Build()

func retries() retrypolicy.Builder[any] {
	return retrypolicy.NewBuilder[any]().
		HandleIf(func(_ any, err error) bool { return classify(err) == transientError }).
		WithMaxAttempts(6).
		WithDelayFunc(retryDelay).
		WithJitterFactor(0.5).
		ReturnLastFailure()
}

// Microsoft asks clients of Azure SQL to wait 5 seconds before they try again, and longer each
// time, up to a minute ("Troubleshoot transient connection errors in SQL Database"). The jitter
// subtracts up to half.
const azureFirstDelay, azureMostDelay = 10 * time.Second, 40 * time.Second

// retryDelay returns 5, 10, 20, 40 and 80 ms, since locks are soon free again. A busy service,
// or one that moves the database, needs seconds: 10, 20, and then 40.
func retryDelay(exec failsafe.ExecutionAttempt[any]) time.Duration {
	shift := min(max(exec.Attempts()-1, 0), 4)
	if isAzureError(exec.LastError()) {
		return min(azureFirstDelay<<shift, azureMostDelay)
	}
	return 5 * time.Millisecond << shift
}

// retry runs a whole transaction, retries it after transient errors, and prefixes the error
// with what was done. It removes the DSN's password from the error.
func (s *connection) retry(ctx context.Context, doing string, do func() error) error {
	if err := s.engine.lost(atCalls); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	s.queries.warm(ctx)
	s.verifyIfReconnected(ctx)
	err := failsafe.With(transient).WithContext(ctx).Run(do)
	if err == nil {
		return nil
	}
	err = database.Redact(err, s.dsn)
	if classify(err) == noSuchTableError {
		err = errors.Join(err, errors.New("the schema is missing: run `botwork db migrate`"))
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// retryReading is retry for a call that reads often. It prepares statements on the readers, which a
// call that only writes must not wait for.
func (s *connection) retryReading(ctx context.Context, doing string, do func() error) error {
	return s.retry(ctx, doing, func() error {
		s.reading.warm(ctx)
		return do()
	})
}
