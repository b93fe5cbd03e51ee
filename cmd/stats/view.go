package stats

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

// maxRows bounds the periods of a table. Fourteen days by hour fit.
const maxRows = 400

// table prints a row for each of the latest periods, or for each group, and the totals.
func (a *command) table(p *workqueue.SeriesParams, s *workqueue.Series) {
	points, title := s.Points, string(s.By)
	if p.Group != workqueue.GroupNone {
		points, title = s.Totals, string(p.Group)
	}
	earlier := 0
	if p.Group == workqueue.GroupNone {
		earlier = max(len(points)-maxRows, 0)
		points = points[earlier:]
	}
	if len(points) == 0 {
		fmt.Fprintln(a.Stdout, "nothing happened in this time")
		return
	}
	g := cli.NewGrid(title, "ended", "enqueued", "started", "succeeded", "business", "errors", "retried", "cancelled", "rescued", "released",
		"wait p50", "wait p95", "run p50", "run p95", "backlog", "oldest", "slots").
		DropWhenNarrow("released", "rescued", "retried", "run p50", "wait p50", "oldest", "started", "slots", "cancelled", "run p95", "wait p95", "backlog", "enqueued")
	most := int64(0)
	for i := range points {
		most = max(most, points[i].Succeeded+points[i].Failed)
	}
	longest := barWidth(cli.TerminalWidth(a.Stdout))
	for i := range points {
		one := &points[i]
		name := cli.OrNone(one.Group)
		if p.Group == workqueue.GroupNone {
			name = a.period(s.By, one.Start)
		}
		g.Add(append([]string{name, bar(one, most, longest)}, cells(one)...)...)
	}
	g.Print(a.Stdout)
	if earlier > 0 {
		fmt.Fprintf(a.Stdout, "the table has the last %d rows; %d earlier ones are left out; hint: --output csv prints all\n", maxRows, earlier)
	}
	if p.Group == workqueue.GroupNone && len(s.Totals) == 1 {
		a.totals(&s.Totals[0])
	}
	if p.By.Start(p.From).Before(s.KeptSince) {
		fmt.Fprintf(a.Stdout, "statistics by %s are kept since %s\n", s.By, a.Instant(&s.KeptSince))
	}
}

// period returns the start of a period as short as its length allows.
func (a *command) period(by workqueue.Resolution, start time.Time) string {
	if by == workqueue.ByDay {
		return start.UTC().Format(time.DateOnly)
	}
	return start.In(a.Zone()).Format("2006-01-02 15:04")
}

// barWidth returns the length of the longest bar for a terminal with this number of columns; 0:
// not a terminal. The grid does not cut a bar of this length.
func barWidth(terminal int) int {
	if terminal == 0 {
		return 24
	}
	return min(max(terminal/5, 8), 40)
}

// bar shows the ended runs of a point: those that succeeded, then the failed ones. A point with
// the most ended runs has a bar of width characters. Each of both that is not 0 has one character
// at least.
func bar(p *workqueue.SeriesPoint, most int64, width int) string {
	if most == 0 {
		return ""
	}
	length := func(n int64) int {
		if n == 0 {
			return 0
		}
		return max(int(n*int64(width)/most), 1)
	}
	return strings.Repeat("█", length(p.Succeeded)) + strings.Repeat("▒", length(p.Failed))
}

// cells are the figures of a point in the order of the columns.
func cells(p *workqueue.SeriesPoint) []string {
	row := []string{}
	if empty(p) {
		return make([]string, columns) // a quiet period stays quiet on the screen
	}
	for _, n := range counts(p) {
		row = append(row, fmt.Sprint(n))
	}
	row = append(row, spans(p.Wait)...)
	row = append(row, spans(p.Run)...)
	if p.Gauges == nil {
		return append(row, "-", "-", "-")
	}
	return append(row, fmt.Sprintf("%.1f", p.Gauges.Backlog), oldest(p.Gauges), slots(p.Gauges))
}

// columns is the number of figures of a row.
const columns = 16

// oldest is how long the oldest due item had waited; "-": none waited.
func oldest(g *workqueue.SeriesGauges) string {
	if g.MostBacklog == 0 {
		return "-"
	}
	return short(g.OldestWaiting)
}

// slots are the used slots, and those that the workers offered if that is known.
func slots(g *workqueue.SeriesGauges) string {
	if g.SlotsOffered == nil {
		return fmt.Sprintf("%.1f", g.SlotsUsed)
	}
	return fmt.Sprintf("%.1f/%.1f", g.SlotsUsed, *g.SlotsOffered)
}

func empty(p *workqueue.SeriesPoint) bool {
	return p.Gauges == nil && !slices.ContainsFunc(counts(p), func(n int64) bool { return n != 0 })
}

func counts(p *workqueue.SeriesPoint) []int64 {
	return []int64{p.Enqueued, p.Started, p.Succeeded, p.BusinessErrors, p.Errors, p.Retried, p.Cancelled, p.Rescued, p.Released}
}

func spans(t *workqueue.SeriesTimes) []string {
	if t == nil {
		return []string{"-", "-"}
	}
	return []string{short(t.P50), short(t.P95)}
}

// short rounds a duration to what a person reads.
func short(d workqueue.Duration) string {
	v := time.Duration(d)
	switch {
	case v >= time.Minute:
		v = v.Round(time.Second)
	case v >= time.Second:
		v = v.Round(100 * time.Millisecond)
	default:
		v = v.Round(time.Millisecond)
	}
	return workqueue.Duration(v).String()
}

// totals prints the sums of the whole time.
func (a *command) totals(p *workqueue.SeriesPoint) {
	fmt.Fprintf(a.Stdout, "in all: enqueued %d, succeeded %d, business errors %d, errors %d, cancelled %d\n",
		p.Enqueued, p.Succeeded, p.BusinessErrors, p.Errors, p.Cancelled)
	for _, t := range []struct {
		what  string
		times *workqueue.SeriesTimes
	}{{"waited", p.Wait}, {"ran", p.Run}} {
		if t.times != nil {
			fmt.Fprintf(a.Stdout, "%s: mean %s, p50 %s, p95 %s, p99 %s\n", t.what, short(t.times.Mean), short(t.times.P50), short(t.times.P95), short(t.times.P99))
		}
	}
	if g := p.Gauges; g != nil {
		fmt.Fprintf(a.Stdout, "backlog: mean %.1f, most %d, oldest waited %s; slots used: mean %.1f, most %d",
			g.Backlog, g.MostBacklog, short(g.OldestWaiting), g.SlotsUsed, g.MostSlotsUsed)
		if g.SlotsOffered != nil {
			fmt.Fprintf(a.Stdout, "; slots of the workers: mean %.1f, most %d", *g.SlotsOffered, *g.MostSlotsOffered)
		}
		fmt.Fprintln(a.Stdout)
	}
}

// csvHeader has the columns of the CSV form. Times are RFC 3339 in UTC, durations milliseconds.
var csvHeader = []string{
	"start", "group", "enqueued", "started", "succeeded", "businessErrors", "errors", "retried", "cancelled", "rescued", "released", "snoozed",
	"waitCount", "waitMeanMs", "waitP50Ms", "waitP95Ms", "waitP99Ms", "runCount", "runMeanMs", "runP50Ms", "runP95Ms", "runP99Ms",
	"backlog", "mostBacklog", "oldestWaitingMs", "slotsUsed", "mostSlotsUsed", "slotsOffered", "mostSlotsOffered",
}

func writeCSV(to io.Writer, s *workqueue.Series) error {
	w := csv.NewWriter(to)
	if err := w.Write(csvHeader); err != nil {
		return err
	}
	for i := range s.Points {
		p := &s.Points[i]
		row := []string{p.Start.UTC().Format(time.RFC3339), p.Group}
		for _, n := range append(counts(p), p.Snoozed) {
			row = append(row, strconv.FormatInt(n, 10))
		}
		row = append(row, csvTimes(p.Wait)...)
		row = append(row, csvTimes(p.Run)...)
		if g := p.Gauges; g != nil {
			row = append(row, strconv.FormatFloat(g.Backlog, 'f', 2, 64), strconv.FormatInt(g.MostBacklog, 10), csvMs(g.OldestWaiting),
				strconv.FormatFloat(g.SlotsUsed, 'f', 2, 64), strconv.FormatInt(g.MostSlotsUsed, 10))
			if g.SlotsOffered != nil {
				row = append(row, strconv.FormatFloat(*g.SlotsOffered, 'f', 2, 64), strconv.FormatInt(*g.MostSlotsOffered, 10))
			} else {
				row = append(row, "", "")
			}
		} else {
			row = append(row, "", "", "", "", "", "", "")
		}
		if err := w.Write(row); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

func csvTimes(t *workqueue.SeriesTimes) []string {
	if t == nil {
		return []string{"0", "", "", "", ""}
	}
	return []string{strconv.FormatInt(t.Count, 10), csvMs(t.Mean), csvMs(t.P50), csvMs(t.P95), csvMs(t.P99)}
}

func csvMs(d workqueue.Duration) string {
	return strconv.FormatInt(time.Duration(d).Milliseconds(), 10)
}
