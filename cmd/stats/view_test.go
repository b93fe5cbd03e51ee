package stats_test

import (
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/cmd/stats"
	"botwork/workqueue"
)

// busy are statistics of three hours: a good one, a quiet one, and one with failures.
func busy(group workqueue.SeriesGroup) (*workqueue.SeriesParams, *workqueue.Series) {
	from := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	p := &workqueue.SeriesParams{By: workqueue.ByHour, From: from, Until: from.Add(2 * time.Hour), Group: group}
	var first, second, total workqueue.SeriesFigures
	for i := range 200 {
		first.Count(workqueue.SeriesEvent{Event: workqueue.EventEnqueued, Count: 1})
		first.Count(timed(workqueue.EventStarted, int64(10*i)))
		first.Count(timed(workqueue.EventSucceeded, int64(1000+i)))
	}
	second.Count(timed(workqueue.EventStarted, 90_000))
	for kind, n := range map[workqueue.ErrorKind]int64{workqueue.KindError: 30, workqueue.KindBusiness: 12} {
		second.Count(workqueue.SeriesEvent{Event: workqueue.EventFailed, Kind: kind, Count: n})
		second.Count(workqueue.SeriesEvent{Event: workqueue.EventCancelled, Kind: kind, Count: n / 2})
	}
	for i, event := range []string{workqueue.EventRetried, workqueue.EventRescued, workqueue.EventReleased, workqueue.EventSnoozed} {
		second.Count(workqueue.SeriesEvent{Event: event, Count: int64(i + 2)})
	}
	total.Add(&first)
	total.Add(&second)
	name := ""
	if group != workqueue.GroupNone {
		name = "invoices"
	}
	s := &workqueue.Series{By: p.By, Group: group, KeptSince: from.Add(-time.Hour), Points: []workqueue.SeriesPoint{
		first.Point(from, name), (&workqueue.SeriesFigures{}).Point(from.Add(time.Hour), name), second.Point(from.Add(2*time.Hour), name),
	}, Totals: []workqueue.SeriesPoint{total.Point(from, name)}}
	gauges := &workqueue.SeriesGauges{Samples: 60, Backlog: 41.25, MostBacklog: 120, OldestWaiting: workqueue.Duration(95 * time.Second), SlotsUsed: 3.5, MostSlotsUsed: 4}
	if group == workqueue.GroupNone {
		gauges.SlotsOffered, gauges.MostSlotsOffered = new(float64(7.5)), new(int64(8))
	}
	s.Points[0].Gauges, s.Totals[0].Gauges = gauges, gauges
	return p, s
}

// timed is one event with a duration.
func timed(event string, ms int64) workqueue.SeriesEvent {
	return workqueue.SeriesEvent{Event: event, Bucket: workqueue.DurationBucket(ms), Count: 1, Ms: ms}
}

func TestStatsTables(t *testing.T) {
	clitest.Golden(t, "stats.txt", stats.Table(busy(workqueue.GroupNone)))
	clitest.Golden(t, "stats_group.txt", stats.Table(busy(workqueue.GroupPipeline)))
	_, s := busy(workqueue.GroupNone)
	s.Points[2].Gauges = &workqueue.SeriesGauges{Samples: 60, SlotsUsed: 0.5, MostSlotsUsed: 1} // before slots were sampled
	text, err := stats.CSV(s)
	if err != nil {
		t.Fatal(err)
	}
	clitest.Golden(t, "stats.csv", text)
}

func TestATableOfManyPeriodsHasTheLastOnes(t *testing.T) {
	p, s := busy(workqueue.GroupNone)
	for i := range 402 {
		s.Points = append(s.Points, workqueue.SeriesPoint{Start: p.Until.Add(time.Duration(i+1) * time.Hour)})
	}
	lines := strings.Split(stats.Table(p, s), "\n")
	last := s.Points[404].Start.Format("2006-01-02 15:04")
	if !strings.HasPrefix(lines[1], "2026-03-01 14:00") || !strings.HasPrefix(lines[400], last) {
		t.Errorf("the table goes from %q to %q, want the last 400 of 405 hours, until %s", lines[1], lines[400], last)
	}
	if want := "the table has the last 400 rows; 5 earlier ones are left out"; !strings.HasPrefix(lines[401], want) {
		t.Errorf("after the table: %q, want %q", lines[401], want)
	}
	s.Points = s.Points[:400]
	if table := stats.Table(p, s); strings.Contains(table, "left out") {
		t.Errorf("400 hours fit, but:\n%s", table)
	}
}

func TestBarsFit(t *testing.T) {
	for terminal, want := range map[int]int{0: 24, 20: 8, 80: 16, 120: 24, 500: 40} {
		if got := stats.BarWidth(terminal); got != want {
			t.Errorf("BarWidth(%d) = %d, want %d", terminal, got, want)
		}
	}
	for _, c := range []struct {
		succeeded, failed, most int64
		want                    string
	}{
		{0, 0, 0, ""}, {0, 0, 100, ""}, {100, 0, 100, "████████"}, {50, 0, 100, "████"}, {1, 1, 1000, "█▒"}, {0, 100, 100, "▒▒▒▒▒▒▒▒"}, {999, 1, 1000, "███████▒"},
	} {
		got := stats.Bar(c.succeeded, c.failed, c.most, 8)
		if got != c.want || utf8.RuneCountInString(got) > 8 {
			t.Errorf("the bar of %d and %d of %d is %q, want %q", c.succeeded, c.failed, c.most, got, c.want)
		}
	}
}

// A sample that found nothing of a pipeline does not make it known.
func TestSamplesOfNothing(t *testing.T) {
	for _, tt := range []struct {
		gauges *workqueue.SeriesGauges
		want   bool
	}{{nil, false}, {&workqueue.SeriesGauges{Samples: 60}, false}, {&workqueue.SeriesGauges{Samples: 60, MostBacklog: 1}, true}, {&workqueue.SeriesGauges{Samples: 60, MostSlotsUsed: 1}, true}} {
		s := workqueue.Series{Totals: []workqueue.SeriesPoint{{Gauges: tt.gauges}}}
		if got := stats.Happened(&s); got != tt.want {
			t.Errorf("Happened(%+v) = %t, want %t", tt.gauges, got, tt.want)
		}
	}
}

// A mistyped pipeline is an error; one that has statistics, items or a file is not.
func TestStatsOfAnUnknownPipeline(t *testing.T) {
	worked(t)
	clitest.Do(t, "stats", "--pipeline", "wrk").WantFailure(t, cli.ExitUsage, `there are no statistics of the pipeline, and there is no pipeline "wrk"`, `did you mean "work"?`)
	quiet := []string{"stats", "--pipeline", "work", "--since", "2h", "--until", "1h"}
	if err := os.Remove("pipelines/work.yaml"); err != nil {
		t.Fatal(err)
	}
	clitest.Must(t, quiet...)
	clitest.ByHand(t, `DELETE FROM BotWorkQueueItems`)
	clitest.Must(t, quiet...)
	clitest.ByHand(t, `DELETE FROM BotStatistics`)
	clitest.ByHand(t, `DELETE FROM BotStatisticsDeltas`)
	clitest.Do(t, quiet...).WantFailure(t, cli.ExitUsage, `there is no pipeline "work"`)
}

func TestStatsOfAnEmptyDatabaseInEachFormat(t *testing.T) {
	clitest.InProject(t)
	clitest.Must(t, "db", "migrate")
	for format, golden := range map[string]string{"table": "stats_empty.txt", "json": "stats_empty.json", "yaml": "stats_empty.yaml", "csv": "stats_empty.csv"} {
		out := clitest.Must(t, "stats", "--utc", "--since", "2090-01-01T00:00:00Z", "--until", "2090-01-02T00:00:00Z", "--by", "day", "--output", format)
		clitest.Golden(t, golden, out)
	}
}
