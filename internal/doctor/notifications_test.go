package doctor

import (
	"strings"
	"testing"
	"time"
)

func TestEvaluateNotifications(t *testing.T) {
	for _, c := range []struct {
		rules     int
		ago, runs time.Duration
		state     State
		want      string
	}{
		{0, -1, time.Hour, OK, "no rules"},
		{2, -1, 0, OK, "never evaluated, and no worker"},
		{2, time.Hour, time.Minute, OK, "evaluated 1h0m0s ago, and no worker has been running for 5m"},
		{2, time.Minute, time.Hour, OK, "evaluated 1m0s ago"},
		{2, 5 * time.Minute, time.Hour, Fault, "evaluated 5m0s ago although a worker runs"},
		{2, -1, 5 * time.Minute, Fault, "never evaluated although a worker runs"},
	} {
		got := evaluateNotifications(c.rules, c.ago, c.runs)
		if len(got) != 1 || got[0].State != c.state || !strings.Contains(got[0].Found, c.want) {
			t.Errorf("%+v: got %+v", c, got)
		}
	}
}
