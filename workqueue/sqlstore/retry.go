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
var transient = retrypolicy.NewBuilder[any]().
	HandleIf(func(_ any, err error) bool { return classify(err) == transientError }).
	WithMaxAttempts(6).
	WithBackoff(5*time.Millisecond, 320*time.Millisecond).
	WithJitterFactor(0.5).
	ReturnLastFailure().
	Build()

// retry runs a whole transaction, again when the engine asked for it, and adds
// what was done to the error. The DSN's password never shows.
func (s *Store) retry(ctx context.Context, doing string, do func() error) error {
	if err := s.checkFileAtTimes(); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	s.queries.warm(ctx)
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
