package api

import (
	"testing"
	"time"
)

// PasswordChecks returns how many passwords were checked.
func (a *API) PasswordChecks() int64 { return a.signIns.Passwords().Checks() }

// SetManyTime sets how long a request changes items until the test ends.
func SetManyTime(t *testing.T, d time.Duration) {
	before := manyTime
	manyTime = d
	t.Cleanup(func() { manyTime = before })
}

// QuoteInexact is quoteInexact.
func QuoteInexact(text []byte) []byte { return quoteInexact(text) }
