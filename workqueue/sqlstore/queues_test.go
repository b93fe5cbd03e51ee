package sqlstore_test

import (
	"strings"
	"testing"

	"botwork/internal/testdb"
)

// A constraint refuses invalid values that are written by hand. Its name shows why.
func TestQueuePoliciesByHand(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		e.Open(t, dsn) // migrates
		byHand := e.SQL(t, dsn)
		for _, c := range []struct{ constraint, set string }{
			{"CK_BotQueues_Consumer", `"Consumer" = 'people'`},
			{"CK_BotQueues_TtlMs", `"TtlMs" = -1`},
			{"CK_BotQueues_RetainMs", `"RetainMs" = -1`},
			{"CK_BotQueues_ArchiveAgeMs", `"ArchiveAgeMs" = -1`},
			{"CK_BotQueues_ArchiveLimit", `"ArchiveLimit" = -1`},
			{"CK_BotQueues_RetryAs", `"RetryAs" = 'clone'`},
			{"CK_BotQueues_KeyScope", `"KeyScope" = 'local'`},
			{"CK_BotQueues_Deletion", `"Deletion" = 'soft'`},
			{"CK_BotQueues_OnExpiry", `"OnExpiry" = 'delete'`},
			{"CK_BotQueues_Payloads", `"Payloads" = 'secret'`},
			{"CK_BotQueues_CheckoutMs", `"CheckoutMs" = 0`},
			{"CK_BotQueues_ConcurrencyLimit", `"ConcurrencyLimit" = 0`},
			{"CK_BotQueues_KeyConcurrencyLimit", `"KeyConcurrencyLimit" = -3`},
			{"CK_BotQueues_RatePeriodMs", `"RatePeriodMs" = -1000, "RateLimit" = 1`},
			{"CK_BotQueues_RateLimit", `"RateLimit" = 10`},
			{"CK_BotQueues_RateLimit", `"RatePeriodMs" = 1000`},
			{"CK_BotQueues_RateLimit", `"RateLimit" = 0, "RatePeriodMs" = 1000`},
			{"CK_BotQueues_KeyRatePeriodMs", `"KeyRatePeriodMs" = 0, "KeyRateLimit" = 1`},
			{"CK_BotQueues_KeyRateLimit", `"KeyRateLimit" = 10`},
			{"CK_BotQueues_KeyRateLimit", `"KeyRatePeriodMs" = 1000`},
		} {
			_, err := byHand.ExecContext(t.Context(), `UPDATE "BotQueues" SET `+c.set+` WHERE "Name" = 'default'`)
			// Some servers write names in lower case.
			if err == nil || !strings.Contains(strings.ToLower(err.Error()), strings.ToLower(c.constraint)) {
				t.Errorf("SET %s: error %v, want it to name %s", c.set, err, c.constraint)
			}
		}
	})
}
