package doctor

import (
	"database/sql"
	"testing"
	"time"
)

func TestEvaluateHistory(t *testing.T) {
	for _, tt := range []struct {
		ago  time.Duration
		want State
	}{
		{-time.Millisecond, OK},
		{time.Minute, Warning},
		{8 * 24 * time.Hour, OK},
	} {
		if got := evaluateHistory(3, tt.ago, "a backup was restored"); len(got) != 1 || got[0].State != tt.want {
			t.Errorf("raised %v ago: %+v, want %v", tt.ago, got, tt.want)
		}
	}
}

func TestEvaluateReplication(t *testing.T) {
	yes, no := sql.NullBool{Bool: true, Valid: true}, sql.NullBool{Valid: true}
	for name, tt := range map[string]struct {
		standbys []standby
		want     State
	}{
		"none":                     {nil, OK},
		"a synchronous one":        {[]standby{{"a", yes}}, OK},
		"an asynchronous one":      {[]standby{{"a", no}}, Warning},
		"one of each":              {[]standby{{"a", yes}, {"b", no}}, Warning},
		"the login may not see it": {[]standby{{"a", sql.NullBool{}}}, Skipped},
	} {
		if got := evaluateReplication(tt.standbys); len(got) != 1 || got[0].State != tt.want {
			t.Errorf("%s: %+v, want %v", name, got, tt.want)
		}
	}
}
