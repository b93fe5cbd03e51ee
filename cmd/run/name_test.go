package run

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/rs/zerolog"

	"botwork/internal/process"
)

// A database that is away when the worker registers is waited for; another error ends the worker at once, or
// after one more attempt if the database answers again meanwhile.
func TestRegistrationWaitsForTheDatabase(t *testing.T) {
	away, refused := errors.New("connection timed out"), errors.New("the schema is newer than the program")
	for name, c := range map[string]struct {
		registers []error // of the attempts; the last one is repeated
		answers   []error // of the database after a failed attempt
		attempts  int
		want      error
	}{
		"at once":                   {[]error{nil}, nil, 1, nil},
		"away for three attempts":   {[]error{away, away, away, nil}, []error{away, away, nil}, 4, nil},
		"back before it is asked":   {[]error{away, nil}, []error{nil}, 2, nil},
		"refused":                   {[]error{refused}, []error{nil}, 2, refused},
		"refused after it was away": {[]error{away, refused}, []error{away, nil}, 3, refused},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				attempts := 0
				r := registration{status: func(string) {}, log: zerolog.Nop()}
				r.register = func() (*process.Process, error) {
					attempts++
					return nil, c.registers[min(attempts, len(c.registers))-1]
				}
				r.answers = func() error { return c.answers[min(attempts, len(c.answers))-1] }
				if _, err := r.patiently(t.Context()); !errors.Is(err, c.want) || attempts != c.attempts {
					t.Errorf("%v after %d attempts, want %v after %d", err, attempts, c.want, c.attempts)
				}
			})
		})
	}
	t.Run("interrupted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 10*registerAgain+registerAgain/2)
			defer cancel()
			r := registration{
				register: func() (*process.Process, error) { return nil, away }, answers: func() error { return away },
				status: func(string) {}, log: zerolog.Nop(),
			}
			if _, err := r.patiently(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, want the end of the context", err)
			}
		})
	})
}
