package report

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMessage(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "",
		"no such customer":                "no such customer",
		"  two\n\tlines \x00 and more ":   "two lines and more",
		"order 4711 of 12 has 3.5 kg":     "order <n> of <n> has <n> kg",
		"total 1,234.56 differs":          "total <n> differs",
		"order-17 is locked":              "order-<n> is locked",
		"table_17 is full":                "table_<n> is full",
		"row 17, column 4: not a number":  "row <n>, column <n>: not a number",
		"invoice INV2026001 is unknown":   "invoice INV<n> is unknown",
		"x509: unknown authority, sha256": "x509: unknown authority, sha256",
		"item 0b1c2d3e-aaaa-bbbb-cccc-0123456789ab is gone":                     "item <id> is gone",
		"commit 9f8e7d6c5b is missing":                                          "commit <id> is missing",
		"key 01J9ZQ4T8B7N3M6K5H2R is used":                                      "key <id> is used",
		"HTTP 503 from https://erp.example.test/api/v1/orders/17?x=1 try again": "HTTP 503 from https://erp.example.test/<path> try again",
		`Get "https://erp.example.test/a/17": EOF`:                              `Get "https://erp.example.test/<path>": EOF`,
		"POST https://erp.example.test: status 404":                             "POST https://erp.example.test: status 404",
		"status code 500":                                           "status code 500",
		"exit status 2":                                             "exit status 2",
		"ERROR: duplicate (SQLSTATE 23505)":                         "ERROR: duplicate (SQLSTATE 23505)",
		"ORA-00942: no table 17":                                    "ORA-00942: no table <n>",
		"error at 17":                                               "error at <n>",
		"mssql: error 1205: deadlock of process 71":                 "mssql: error 1205: deadlock of process <n>",
		"mail to ada.l@example.test was refused":                    "mail to <mail> was refused",
		"at 2026-01-31T13:45:00Z and 2026-01-31 13:45:00.123 +0100": "at <time> and <time>",
		"due 2026-01-31, at 13:45:07":                               "due <time>, at <time>",
		"dial tcp 10.1.2.3:5432: connection refused":                "dial tcp <address>: connection refused",
		"open /var/lib/app/in/17.csv: no such file":                 "open <path>: no such file",
		`open C:\jobs\in\17.csv: access denied`:                     "open <path>: access denied",
		`copy \\files\in\17.csv failed`:                             "copy <path> failed",
		`read "C:\my jobs\17.csv": denied`:                          `read "<path> <path>": denied`,
		`read "/in/my jobs/17.csv": denied`:                         `read "<path> jobs/<n>.csv": denied`,
		"timeout after 1m30.5s, 250ms and 45s":                      "timeout after <duration>, <duration> and <duration>",
		`column "total" is missing`:                                 `column "total" is missing`,
		strings.Repeat("ab ", 100):                                  strings.TrimRight(strings.Repeat("ab ", 66)+"a", " ") + "…",
	} {
		if got := Message(text); got != want {
			t.Errorf("Message(%q) = %q, want %q", text, got, want)
		}
	}
}

// Whatever a handler writes, the message is short, valid and without digits that only count.
func FuzzMessage(f *testing.F) {
	for _, seed := range []string{"order 4711", "HTTP 503 https://a/b", "\xff 12:00:00", "/a/b/c", `\\x\y`, "é1" + strings.Repeat("7é", 300)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := Message(text)
		if n := utf8.RuneCountInString(got); n > messageLen {
			t.Errorf("Message(%q) has %d characters", text, n)
		}
		if strings.ContainsAny(got, "\n\r\t\x00") {
			t.Errorf("Message(%q) = %q has control characters", text, got)
		}
		if again := Message(text + " item 17"); len(text) < 50 && again != Message(text+" item 4711") {
			t.Errorf("Message differs for %q and another number", text)
		}
	})
}
