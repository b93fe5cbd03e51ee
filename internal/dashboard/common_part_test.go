package dashboard

import "testing"

func TestCommonParts(t *testing.T) {
	for _, c := range []struct{ message, text, want string }{
		{"HTTP <n> from ledger.example", "HTTP 500 from ledger.example", "from ledger.example"},
		{"timeout", "timeout", "timeout"},
		{"<n> <id>", "12 deadbeef99", ""},
		{"row <n>: amount is not a number", "row 7: amount is not a number", ": amount is not a number"},
		{"cut off…", "cut off…", "cut off"},
		{"one long line and another", "one long line\n  and another", "one long line"},
		{"one long line and another", "one  long\tline\r\nand another", "and another"},
		{"GET https://host.example/<path> failed", "GET https://host.example?q=1 failed", "GET https://host.example"},
		{"nothing of it", "another text", ""},
	} {
		if got := commonPart(c.message, c.text); got != c.want {
			t.Errorf("commonPart(%q, %q) = %q, want %q", c.message, c.text, got, c.want)
		}
	}
}
