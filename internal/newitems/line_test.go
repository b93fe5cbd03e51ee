package newitems_test

import (
	"strings"
	"testing"
	"time"

	"botwork/internal/newitems"
	"botwork/workqueue"
)

// The body of a request may have several lines, and its times are in the zone of the caller's choice.
func TestParseLine(t *testing.T) {
	at := newitems.Place{File: "body", Line: 1, Flags: map[string]string{"key": "body.key"}}
	it, findings := newitems.ParseLine([]byte("\r\n{\n  \"pipeline\": \"p\",\n  \"at\": \"2026-01-31 13:45\",\n  \"payload\": {\"n\": 12345678901234567890}\n}\n"), workqueue.NewItem{Priority: 7}, time.UTC, &at)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	if !it.At.Equal(time.Date(2026, 1, 31, 13, 45, 0, 0, time.UTC)) || it.Priority != 7 || it.Payload != `{"n": 12345678901234567890}` {
		t.Errorf("got %+v", it)
	}
	_, findings = newitems.ParseLine([]byte(`{"key": "", "at": "soon"}`), workqueue.NewItem{}, time.UTC, &at)
	if len(findings) != 2 || findings[0].File != "body.key" || findings[1].File != "body" || !strings.Contains(findings[1].Message, "in UTC") {
		t.Errorf("got %+v", findings)
	}
}

func FuzzParseLine(f *testing.F) {
	f.Add([]byte(`{"pipeline": {"steps": []}, "unique": true, "tags": ["a"], "metadata": {"a": "b"}, "resilience": {"limit": 5}, "selectors": ["ram >= 3"], "labels": {"a": 1}}`))
	f.Add([]byte(`{"at": "2026-01-01", "in": "1h", "deadline": null, "retain": "0s", "conflict": "fail"}`))
	f.Add([]byte("{\"a\\u0062\": 1, \"a\\u0062\": \"\xff\"}"))
	f.Add([]byte(`[{"x`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if len(strings.TrimSpace(string(line))) == 0 {
			return // not a line
		}
		at := newitems.Place{File: "line", Line: 1}
		it, findings := newitems.ParseLine(line, workqueue.NewItem{}, time.UTC, &at)
		if len(findings) == 0 {
			_ = it.Validate()
		}
	})
}
