package cron_test

import (
	"strings"
	"testing"
	"time"

	"botwork/internal/cron"
)

func TestParseRefuses(t *testing.T) {
	tests := map[string]struct {
		spec string
		dst  cron.DST
		want []string // substrings of the message
	}{
		"nothing":               {spec: " ", want: []string{"got 0 fields", "want 5", "or 6"}},
		"too few fields":        {spec: "* * * *", want: []string{"got 4 fields"}},
		"too many fields":       {spec: "0 0 0 1 1 * 2026", want: []string{"got 7 fields"}},
		"minute out of range":   {spec: "61 * * * *", want: []string{`cron "61 * * * *"`, `minute is "61"`, "want 0-59"}},
		"second out of range":   {spec: "60 * * * * *", want: []string{`second is "60"`}},
		"hour out of range":     {spec: "0 24 * * *", want: []string{`hour is "24"`, "want 0-23"}},
		"element of a list":     {spec: "0 1,25,3 * * *", want: []string{`hour is "25" in "1,25,3"`}},
		"day zero":              {spec: "0 0 0 * *", want: []string{`day of month is "0"`, "want 1-31"}},
		"unknown month":         {spec: "0 0 1 foo *", want: []string{`month is "foo"`, "jan-dec"}},
		"Sunday as seven":       {spec: "0 0 * * 7", want: []string{`day of week is "7"`, "Sunday is 0"}},
		"range from high":       {spec: "0 0 * * fri-mon", want: []string{`"fri-mon"`, "from low to high"}},
		"step of zero":          {spec: "*/0 * * * *", want: []string{`minute is "*/0"`}},
		"negative":              {spec: "-5 * * * *", want: []string{`minute is "-5"`}},
		"number too large":      {spec: "99999999999999999999 * * * *", want: []string{`minute is "99999999999999999999"`}},
		"star with a range":     {spec: "*-5 * * * *", want: []string{`minute is "*-5"`}},
		"empty element":         {spec: "1,,2 * * * *", want: []string{`minute is "" in "1,,2"`}},
		"last day":              {spec: "0 0 L * *", want: []string{`day of month is "L"`}},
		"zone in a late field":  {spec: "* * * * TZ=UTC", want: []string{`day of week is "TZ=UTC"`}},
		"zone in front":         {spec: "CRON_TZ=Asia/Tokyo 0 9 * * *", want: []string{"hint: write timezone: Asia/Tokyo"}},
		"zone in front, short":  {spec: "TZ=Asia/Tokyo", want: []string{"hint: write timezone: Asia/Tokyo"}},
		"interval":              {spec: "@every 90s", want: []string{"hint: write every: 90s"}},
		"interval without one":  {spec: "@every", want: []string{"hint: write every: 90s"}},
		"start-up":              {spec: "@reboot", want: []string{"hint: write atStart: true"}},
		"unknown descriptor":    {spec: "@fortnightly", want: []string{`cron "@fortnightly"`, "want @hourly, @daily"}},
		"descriptor in a field": {spec: "@daily * * * *", want: []string{"unknown descriptor"}},
		"30 February":           {spec: "0 0 30 2 *", want: []string{"never fires", "day of month 30 in month 2"}},
		"31st of short months":  {spec: "0 0 31 2,4,6,9,11 *", want: []string{"never fires"}},
		"unknown policy":        {spec: "* * * * *", dst: "frist", want: []string{`dst is "frist"`, "first, last, both or skip"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := cron.Parse(tt.spec, time.UTC, tt.dst)
			if err == nil {
				t.Fatalf("Parse(%q, %q) succeeded", tt.spec, tt.dst)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("Parse(%q, %q) = %q, want it to contain %q", tt.spec, tt.dst, err, want)
				}
			}
		})
	}
}

func TestParseReadsExpressions(t *testing.T) {
	const after = "2026-03-04T05:06:07Z" // a Wednesday
	tests := map[string]string{
		"* * * * *":              "2026-03-04T05:07:00Z",
		"  */5   *  * * *  ":     "2026-03-04T05:10:00Z",
		"0/20 * * * *":           "2026-03-04T05:20:00Z",
		"10-30/10,45 * * * *":    "2026-03-04T05:10:00Z",
		"*/30 * * * * *":         "2026-03-04T05:06:30Z",
		"8 6 5 * * *":            "2026-03-04T05:06:08Z",
		"7 6 5 * * *":            "2026-03-05T05:06:07Z",
		"0 9 * * MON-fri":        "2026-03-04T09:00:00Z",
		"0 9 * * sat,sun":        "2026-03-07T09:00:00Z",
		"0 9 ? * 0":              "2026-03-08T09:00:00Z",
		"0 0 1 jan,Jul *":        "2026-07-01T00:00:00Z",
		"0 0 31 * *":             "2026-03-31T00:00:00Z",
		"0 0 13 * 5":             "2026-03-06T00:00:00Z", // one matching day field is enough
		"0 0 29 2 *":             "2028-02-29T00:00:00Z",
		"@hourly":                "2026-03-04T06:00:00Z",
		"@daily":                 "2026-03-05T00:00:00Z",
		"@midnight":              "2026-03-05T00:00:00Z",
		"@weekly":                "2026-03-08T00:00:00Z",
		"@monthly":               "2026-04-01T00:00:00Z",
		"@yearly":                "2027-01-01T00:00:00Z",
		"@annually":              "2027-01-01T00:00:00Z",
		"59 59 23 31 12 *":       "2026-12-31T23:59:59Z",
		"0 0 0 1 1 ?":            "2027-01-01T00:00:00Z",
		"0 */3 * * *":            "2026-03-04T06:00:00Z",
		"0 0-23 * * *":           "2026-03-04T06:00:00Z",
		"0 12 * 2-3,11-12 1-5":   "2026-03-04T12:00:00Z",
		"15,45 5 * * *":          "2026-03-04T05:15:00Z",
		"0 5 * * 3":              "2026-03-11T05:00:00Z",
		"6 5 4 3 *":              "2027-03-04T05:06:00Z",
		"0 0 1-7 */3 *":          "2026-04-01T00:00:00Z",
		"0 0 * * sun,0":          "2026-03-08T00:00:00Z",
		"0,0,0 6 * * *":          "2026-03-04T06:00:00Z",
		"0 0 29 2 */1":           "2028-02-29T00:00:00Z",
		"0 0 30 2 1":             "2027-02-01T00:00:00Z", // a Monday in February
		"5/10 * * * * *":         "2026-03-04T05:06:15Z",
		"0-59 0-59 0-23 4 3 */1": "2026-03-04T05:06:08Z",
	}
	for spec, want := range tests {
		s, err := cron.Parse(spec, nil, "")
		if err != nil {
			t.Errorf("Parse(%q): %v", spec, err)
			continue
		}
		if got := s.Next(instant(t, after)).Format(time.RFC3339Nano); got != want {
			t.Errorf("%q: Next(%s) = %s, want %s", spec, after, got, want)
		}
	}
}

func TestEveryRefuses(t *testing.T) {
	for _, d := range []time.Duration{0, -time.Minute, time.Second - 1, 999 * time.Millisecond, time.Second + time.Microsecond} {
		if _, err := cron.Every(d); err == nil || !strings.Contains(err.Error(), d.String()) {
			t.Errorf("Every(%v) = %v, want an error that names the interval", d, err)
		}
	}
}

func instant(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
