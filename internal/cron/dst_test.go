package cron_test

import (
	"testing"
	"time"
	_ "time/tzdata" // the cases must not depend on the zones of the machine

	"github.com/google/go-cmp/cmp"

	"botwork/internal/cron"
)

// policies are the results of one expression under each of the four policies. A case with
// only first expects the same result for all.
type policies struct {
	first, last, both, skip []string
}

// TestClockChanges has one case for each range of local days around a clock change.
// Expected instants are local times with their offset, to distinguish the two passes of
// an overlap.
func TestClockChanges(t *testing.T) {
	const layout = "01-02T15:04Z07:00"
	tests := map[string]struct {
		zone     string
		from, to string // local wall time; the end is left out
		spec     string
		want     policies
	}{
		"New York gap, fixed hour": {
			"America/New_York", "2026-03-07", "2026-03-10", "30 2 * * *",
			policies{
				first: []string{"03-07T02:30-05:00", "03-08T03:00-04:00", "03-09T02:30-04:00"},
				skip:  []string{"03-07T02:30-05:00", "03-09T02:30-04:00"},
			},
		},
		"New York gap, several firings collapse": {
			"America/New_York", "2026-03-08", "2026-03-09", "*/15 2,3 * * *",
			policies{first: []string{"03-08T03:00-04:00", "03-08T03:15-04:00", "03-08T03:30-04:00", "03-08T03:45-04:00"}},
		},
		"New York gap, its first and last minute": {
			"America/New_York", "2026-03-08", "2026-03-09", "0,59 2 * * *",
			policies{first: []string{"03-08T03:00-04:00"}, skip: []string{}},
		},
		"New York gap, neighbours of the gap": {
			"America/New_York", "2026-03-08", "2026-03-09", "59 1,3 * * *",
			policies{first: []string{"03-08T01:59-05:00", "03-08T03:59-04:00"}},
		},
		"New York gap, free hour": {
			"America/New_York", "2026-03-08", "2026-03-08T05:00", "30 * * * *",
			policies{first: []string{"03-08T00:30-05:00", "03-08T01:30-05:00", "03-08T03:30-04:00", "03-08T04:30-04:00"}},
		},
		"New York gap, stepped hour": {
			"America/New_York", "2026-03-08", "2026-03-08T07:00", "0 */2 * * *",
			policies{first: []string{"03-08T00:00-05:00", "03-08T04:00-04:00", "03-08T06:00-04:00"}},
		},
		"New York gap, stepped hours named": {
			"America/New_York", "2026-03-08", "2026-03-08T07:00", "0 0-23/2 * * *",
			policies{
				first: []string{"03-08T00:00-05:00", "03-08T03:00-04:00", "03-08T04:00-04:00", "03-08T06:00-04:00"},
				skip:  []string{"03-08T00:00-05:00", "03-08T04:00-04:00", "03-08T06:00-04:00"},
			},
		},
		"New York gap, a list is not a free hour": {
			"America/New_York", "2026-03-08", "2026-03-08T07:00", "0 */2,6 * * *",
			policies{
				first: []string{"03-08T00:00-05:00", "03-08T03:00-04:00", "03-08T04:00-04:00", "03-08T06:00-04:00"},
				skip:  []string{"03-08T00:00-05:00", "03-08T04:00-04:00", "03-08T06:00-04:00"},
			},
		},
		"New York overlap, fixed hour": {
			"America/New_York", "2026-10-31", "2026-11-03", "30 1 * * *",
			policies{
				first: []string{"10-31T01:30-04:00", "11-01T01:30-04:00", "11-02T01:30-05:00"},
				last:  []string{"10-31T01:30-04:00", "11-01T01:30-05:00", "11-02T01:30-05:00"},
				both:  []string{"10-31T01:30-04:00", "11-01T01:30-04:00", "11-01T01:30-05:00", "11-02T01:30-05:00"},
			},
		},
		"New York overlap, its ends": {
			"America/New_York", "2026-11-01", "2026-11-02", "0 1,2 * * *",
			policies{
				first: []string{"11-01T01:00-04:00", "11-01T02:00-05:00"},
				last:  []string{"11-01T01:00-05:00", "11-01T02:00-05:00"},
				both:  []string{"11-01T01:00-04:00", "11-01T01:00-05:00", "11-01T02:00-05:00"},
			},
		},
		"New York overlap, free hour": {
			"America/New_York", "2026-11-01", "2026-11-01T03:00", "30 * * * *",
			policies{first: []string{"11-01T00:30-04:00", "11-01T01:30-04:00", "11-01T01:30-05:00", "11-01T02:30-05:00"}},
		},
		"New York overlap, all hours named are a free hour": {
			"America/New_York", "2026-11-01", "2026-11-01T03:00", "30 0-23 * * *",
			policies{first: []string{"11-01T00:30-04:00", "11-01T01:30-04:00", "11-01T01:30-05:00", "11-01T02:30-05:00"}},
		},
		"Lisbon gap": {
			"Europe/Lisbon", "2026-03-29", "2026-03-30", "15 1 * * *",
			policies{first: []string{"03-29T02:00+01:00"}, skip: []string{}},
		},
		"Lisbon overlap": {
			"Europe/Lisbon", "2026-10-25", "2026-10-26", "15 1 * * *",
			policies{
				first: []string{"10-25T01:15+01:00"},
				last:  []string{"10-25T01:15Z"},
				both:  []string{"10-25T01:15+01:00", "10-25T01:15Z"},
			},
		},
		"Lord Howe gap of half an hour": {
			"Australia/Lord_Howe", "2026-10-04", "2026-10-05", "15,45 2 * * *",
			policies{
				first: []string{"10-04T02:30+11:00", "10-04T02:45+11:00"},
				skip:  []string{"10-04T02:45+11:00"},
			},
		},
		"Lord Howe overlap of half an hour": {
			"Australia/Lord_Howe", "2026-04-05", "2026-04-06", "15,45 1 * * *",
			policies{
				first: []string{"04-05T01:15+11:00", "04-05T01:45+11:00"},
				last:  []string{"04-05T01:15+11:00", "04-05T01:45+10:30"},
				both:  []string{"04-05T01:15+11:00", "04-05T01:45+11:00", "04-05T01:45+10:30"},
			},
		},
		"Lord Howe overlap, free hour": {
			"Australia/Lord_Howe", "2026-04-05T01:00", "2026-04-05T03:00", "*/30 * * * *",
			policies{first: []string{"04-05T01:00+11:00", "04-05T01:30+11:00", "04-05T01:30+10:30", "04-05T02:00+10:30", "04-05T02:30+10:30"}},
		},
		"Sao Paulo midnight gap": {
			"America/Sao_Paulo", "2018-11-03", "2018-11-06", "0 0 * * *",
			policies{
				first: []string{"11-03T00:00-03:00", "11-04T01:00-02:00", "11-05T00:00-02:00"},
				skip:  []string{"11-03T00:00-03:00", "11-05T00:00-02:00"},
			},
		},
		"Sao Paulo midnight gap, weekday": {
			"America/Sao_Paulo", "2018-11-01", "2018-11-12", "0 0 * * sun",
			policies{
				first: []string{"11-04T01:00-02:00", "11-11T00:00-02:00"},
				skip:  []string{"11-11T00:00-02:00"},
			},
		},
		"Sao Paulo overlap before midnight": {
			"America/Sao_Paulo", "2018-02-17", "2018-02-18", "30 23 * * *",
			policies{
				first: []string{"02-17T23:30-02:00"},
				last:  []string{"02-17T23:30-03:00"},
				both:  []string{"02-17T23:30-02:00", "02-17T23:30-03:00"},
			},
		},
		"Cairo midnight gap": {
			"Africa/Cairo", "2024-04-25", "2024-04-27", "@daily",
			policies{
				first: []string{"04-25T00:00+02:00", "04-26T01:00+03:00"},
				skip:  []string{"04-25T00:00+02:00"},
			},
		},
		"Beirut midnight gap": {
			"Asia/Beirut", "2024-03-30", "2024-04-01", "5 0 * * *",
			policies{
				first: []string{"03-30T00:05+02:00", "03-31T01:00+03:00"},
				skip:  []string{"03-30T00:05+02:00"},
			},
		},
		"Apia, a day that was skipped": {
			"Pacific/Apia", "2011-12-29", "2012-01-01", "0 9,17 * * *",
			policies{
				first: []string{"12-29T09:00-10:00", "12-29T17:00-10:00", "12-31T00:00+14:00", "12-31T09:00+14:00", "12-31T17:00+14:00"},
				skip:  []string{"12-29T09:00-10:00", "12-29T17:00-10:00", "12-31T09:00+14:00", "12-31T17:00+14:00"},
			},
		},
		"Apia, free hour on the day that was skipped": {
			"Pacific/Apia", "2011-12-29", "2012-01-01", "0 * 30 12 *",
			policies{first: []string{}},
		},
		"Kathmandu, quarter of an hour off and no changes": {
			"Asia/Kathmandu", "2026-03-08", "2026-03-10", "30 2 * * *",
			policies{first: []string{"03-08T02:30+05:45", "03-09T02:30+05:45"}},
		},
		"Dublin, where winter is the special time": {
			"Europe/Dublin", "2026-10-25", "2026-10-26", "30 1 * * *",
			policies{
				first: []string{"10-25T01:30+01:00"},
				last:  []string{"10-25T01:30Z"},
				both:  []string{"10-25T01:30+01:00", "10-25T01:30Z"},
			},
		},
	}
	for name, tt := range tests {
		all := tt.want
		for policy, want := range map[cron.DST][]string{
			"": all.first, cron.First: all.first, cron.Last: all.last, cron.Both: all.both, cron.Skip: all.skip,
		} {
			if want == nil {
				want = all.first
			}
			t.Run(name+"/"+string(policy), func(t *testing.T) {
				loc, err := time.LoadLocation(tt.zone)
				if err != nil {
					t.Fatal(err)
				}
				s := parse(t, tt.spec, tt.zone, policy)
				got := []string{}
				for _, at := range s.Between(local(t, tt.from, loc).Add(-1), local(t, tt.to, loc).Add(-1), 1000) {
					got = append(got, at.In(loc).Format(layout))
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%q in %s under %q (-want +got):\n%s", tt.spec, tt.zone, policy, diff)
				}
			})
		}
	}
}

func TestFixedOffsetZone(t *testing.T) {
	s, err := cron.Parse("30 2 * * *", time.FixedZone("", -(3*60+30)*60), cron.Skip)
	if err != nil {
		t.Fatal(err)
	}
	got := s.Next(instant(t, "2026-03-08T00:00:00Z"))
	if want := instant(t, "2026-03-08T06:00:00Z"); !got.Equal(want) || got.Location() != time.UTC {
		t.Errorf("Next = %v, want %v", got, want)
	}
}

// local reads a wall time such as 2026-03-08 or 2026-03-08T05:00.
func local(t *testing.T, text string, loc *time.Location) time.Time {
	t.Helper()
	if len(text) == len(time.DateOnly) {
		text += "T00:00"
	}
	at, err := time.ParseInLocation("2006-01-02T15:04", text, loc)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
