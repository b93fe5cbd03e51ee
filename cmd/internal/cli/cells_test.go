package cli

import (
	"testing"
	"time"
)

func TestInstantsAreLocalUnlessUTCIsAskedFor(t *testing.T) {
	zone := time.Local
	defer func() { time.Local = zone }()
	time.Local = time.FixedZone("", 2*60*60)
	at := time.Date(2026, 1, 31, 23, 45, 7, 250_000_000, time.UTC)
	for _, c := range []struct {
		streams Streams
		at      *time.Time
		want    string
	}{
		{Streams{}, &at, "2026-02-01 01:45:07+02:00"},
		{Streams{UTC: true}, &at, "2026-01-31 23:45:07Z"},
		{Streams{}, nil, ""},
		{Streams{}, new(time.Time), ""},
	} {
		if got := c.streams.Instant(c.at); got != c.want {
			t.Errorf("Instant(%v) with %+v = %q, want %q", c.at, c.streams, got, c.want)
		}
	}
}
