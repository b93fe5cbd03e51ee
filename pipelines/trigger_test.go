package pipelines

import (
	"testing"
	"time"

	"botwork/internal/cron"
)

func TestTriggerWords(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		trigger *Trigger
		want    string
	}{
		{nil, "by hand or by items"},
		{&Trigger{Cron: "30 6 * * *", Location: berlin}, "every day at 06:30 Europe/Berlin"},
		{&Trigger{Cron: "30 6 * * *"}, "every day at 06:30 UTC"},
		{&Trigger{Cron: "0 0 13 * fri", Location: berlin}, "cron 0 0 13 * fri, Europe/Berlin"},
		{&Trigger{Cron: "30 2 * * *", Location: berlin, DST: cron.Skip}, "every day at 02:30 Europe/Berlin (not at a time that the clocks skip)"},
		{&Trigger{Cron: "*/5 * * * *", Location: berlin, DST: cron.Skip}, "every 5 minutes"},
		{&Trigger{Cron: "30 6 * * *", Location: time.Local}, "every day at 06:30 local time"},
		{&Trigger{Every: 90 * time.Second}, "every 1 minute 30 seconds"},
		{&Trigger{Cron: "* * * * *", AtStart: true, Wake: true}, "every minute, when a worker starts and as soon as there are items to run"},
		{&Trigger{AtStart: true}, "when a worker starts"},
		{&Trigger{Wake: true}, "as soon as there are items to run"},
	} {
		if got := c.trigger.Words(); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
