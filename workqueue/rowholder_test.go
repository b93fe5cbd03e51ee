package workqueue_test

import (
	"strings"
	"testing"

	"botwork/workqueue"
)

// A statement in a message shows none of its texts, which may be secrets.
func TestPlainStatement(t *testing.T) {
	for text, want := range map[string]string{
		"UPDATE t\n  SET a = 'geheim', b = 1":    "UPDATE t SET a = '…', b = 1",
		"SET a = 'it''s secret' WHERE b = N'x'":  "SET a = '…' WHERE b = N'…'",
		"SET a = 'cut in the mid":                "SET a = '…'",
		"":                                       "",
		"-- change: ann's\nUPDATE t SET a = 1":   "UPDATE t SET a = 1",
		"SELECT " + strings.Repeat("a, ", 100):   "SELECT " + strings.Repeat("a, ", 64) + "a…",
		`UPDATE "T" SET "A" = '' WHERE "Id" = 5`: `UPDATE "T" SET "A" = '…' WHERE "Id" = 5`,
	} {
		if got := workqueue.PlainStatement(text); got != want {
			t.Errorf("PlainStatement(%q) = %q, want %q", text, got, want)
		}
	}
}
