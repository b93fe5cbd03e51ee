package cli

import (
	"strings"
	"testing"
	"time"
)

func TestTheConsoleShowsNoJSON(t *testing.T) {
	zone := time.Local
	t.Cleanup(func() { time.Local = zone })
	time.Local = time.FixedZone("CET", 3600)
	for line, want := range map[string]string{
		`{"level":"info","time":"2026-01-31T13:45:00Z","message":"updated tasks","tasks":["a","b c"],"n":2}`: `2026-01-31 14:45:00 +01:00 INF updated tasks n=2 tasks="a, b c"`,
		`{"level":"warn","time":"2026-01-31T13:45:00Z","message":"x","labels":{"size":3,"on":[true,null]}}`:  `2026-01-31 14:45:00 +01:00 WRN x labels="on: true, -, size: 3"`,
		`{"level":"error","time":"2026-01-31T13:45:00Z","message":"failed","error":"no disk","at":null}`:     `2026-01-31 14:45:00 +01:00 ERR failed error="no disk" at=-`,
	} {
		var out strings.Builder
		if _, err := ConsoleForm(&out, false).Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(out.String()); got != want {
			t.Errorf("%s\nis shown as %s\nwant        %s", line, got, want)
		}
	}
}
