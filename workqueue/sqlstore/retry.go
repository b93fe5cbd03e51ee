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

// transient repeats what a deadlock, a lock timeout or a busy file refused:
// the engine asks for exactly that. Everything else goes to the caller at once.
var transient = retries().Build()

func retries() retrypolicy.Builder[any] {
	return retrypolicy.NewBuilder[any]().
		HandleIf(func(_ any, err error) bool { return classify(err) == transientError }).
		WithMaxAttempts(6).
		WithDelayFunc(retryDelay).
		WithJitterFactor(0.5).
		ReturnLastFailure()
}

// Microsoft asks clients of Azure SQL to wait for 5 seconds before they try again, then
// longer each time, for up to a minute ("Troubleshoot transient connection errors in SQL
// Database"). The jitter takes off up to half.
const azureFirstDelay, azureMostDelay = 10 * time.Second, 40 * time.Second

// retryDelay is 5, 10, 20, 40 and 80 ms: a lock is free again soon. A service that is busy
// or moves the database needs seconds: it gets 10, 20, and 40 from then on.
func retryDelay(exec failsafe.ExecutionAttempt[any]) time.Duration {
	shift := min(max(exec.Attempts()-1, 0), 4)
	if isAzureError(exec.LastError()) {
		return min(azureFirstDelay<<shift, azureMostDelay)
	}
	return 5 * time.Millisecond << shift
}

// retry runs a whole transaction, again when the engine asked for it, and adds
// what was done to the error. The DSN's password never shows.
func (s *Store) retry(ctx context.Context, doing string, do func() error) error {
	if err := s.engine.lost(false); err != nil {
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
