package bench

import (
	"fmt"
	"strconv"

	"botwork/cmd/internal/cli"
	"botwork/internal/bench"
)

// benchLines are the labels of the figures in the text output, in this order.
var benchLines = []struct {
	figure bench.Figure
	label  string
	digits int
	unit   string
}{
	{bench.ItemsPerSecond, "", 0, "items/s"},
	{bench.EnqueuedPerSecond, "enqueued in bulk", 0, "items/s"},
	{bench.OneByOnePerSecond, "enqueued one by one", 0, "items/s"},
	{bench.ProductItemsPerSecond, "Botwork drained", 0, "items/s"},
	{bench.ProductEnqueuedPerSecond, "Botwork enqueued in bulk", 0, "items/s"},
	{bench.ProductOneByOnePerSecond, "Botwork enqueued one by one", 0, "items/s"},
	{bench.DrainShare, "share of the limit, drained", 2, ""},
	{bench.EnqueueShare, "share of the limit, in bulk", 2, ""},
	{bench.OneByOneShare, "share of the limit, one by one", 2, ""},
	{bench.LatencyShare, "share of the limit, latency", 2, ""},
	{bench.RobotsShare, "share of the limit, robots", 3, ""},
	{bench.EmptyItemsPerSecond, "drained from an empty table", 0, "items/s"},
	{bench.BacklogShare, "share of that", 2, ""},
	{bench.CleanUpItemsPerSecond, "drained while CleanUp runs", 0, "items/s"},
	{bench.CleanUpShare, "share of that without", 2, ""},
	{bench.CleanedRows, "items removed by CleanUp meanwhile", 0, "rows"},
	{bench.PassSeconds, "one pass", 2, "s"},
	{bench.PlainStepUs, "a plain step", 2, "µs"},
	{bench.IfStepUs, "with a condition", 2, "µs"},
	{bench.ExpressionStepUs, "with an expression in a parameter", 2, "µs"},
	{bench.OutputStepUs, "with another step's output", 2, "µs"},
	{bench.Kills, "killed", 0, "processes"},
	{bench.RanAgainAfterKill, "ran again after a kill", 0, "runs"},
	{bench.LongestRepeatMs, "of these, longest from end to kill", 1, "ms"},
	{bench.RSSFirstQuarterMb, "memory in the first quarter", 0, "MB"},
	{bench.RSSLastQuarterMb, "memory in the last quarter", 0, "MB"},
	{bench.UtilisationPercent, "slots in use while work waits, beyond the allowance", 2, "%"},
	{bench.WaitedSeconds, "duration of that waiting", 2, "s"},
	{bench.UtilisationAtOncePercent, "slots in use while work waits, without allowance", 2, "%"},
	{bench.WaitedAtOnceSeconds, "duration of that waiting", 2, "s"},
	{bench.HighWaitP50Ms, "high items waited, p50", 2, "ms"},
	{bench.HighWaitP99Ms, "high items waited, p99", 2, "ms"},
	{bench.HighWaitWorstMs, "high items waited, worst", 2, "ms"},
	{bench.MediumWaitWorstMs, "medium items waited, worst", 0, "ms"},
	{bench.LowWaitWorstMs, "low items waited, worst", 0, "ms"},
	{bench.StartsBeforeDue, "starts before due", 0, ""},
	{bench.EarliestStartMs, "the worst, too early by", 0, "ms"},
	{bench.StartsAfterDeadline, "starts after the deadline", 0, ""},
	{bench.LatestAfterDeadlineMs, "the worst, too late by", 0, "ms"},
	{bench.StartsAfterCancel, "starts after a cancel", 0, ""},
	{bench.LatestAfterCancelMs, "the worst, too late by", 0, "ms"},
	{bench.Inversions, "inversions", 0, ""},
	{bench.LongestInversionMs, "longest wait of an overtaken item", 0, "ms"},
	{bench.DrawnHigh, "drawn: high", 0, "items"},
	{bench.DrawnMedium, "drawn: medium", 0, "items"},
	{bench.DrawnLow, "drawn: low", 0, "items"},
	{bench.DrawnAhead, "of these, scheduled ahead", 0, "items"},
	{bench.DrawnFails, "of these, fail once", 0, "items"},
	{bench.DrawnSnoozes, "of these, snooze once", 0, "items"},
	{bench.DrawnExpires, "of these, with a deadline", 0, "items"},
	{bench.DrawnCancelled, "of these, cancelled by a person", 0, "items"},
	{bench.DrawnP50Ms, "drawn: a run takes, p50", 2, "ms"},
	{bench.DrawnP99Ms, "drawn: a run takes, p99", 0, "ms"},
	{bench.DrawnLongestMs, "drawn: a run takes, longest", 0, "ms"},
	{bench.DrawnSeconds, "drawn: all runs together", 1, "s"},
	{bench.RoundSeconds, "from the start until all had ended", 1, "s"},
	{bench.RunsOfHandler, "runs", 0, ""},
	{bench.ItemsRan, "items that ran to the end", 0, ""},
	{bench.ItemsExpired, "items whose deadline passed first", 0, ""},
	{bench.ItemsCancelled, "items that were cancelled", 0, ""},
	{bench.CoveragePercent, "ended by p95 of the forecast", 1, "%"},
	{bench.NearPercent, "ended within 15 % of p50", 1, "%"},
	{bench.ForecastErrorP50Ms, "error of p50, median", 0, "ms"},
	{bench.ForecastErrorMs, "error of p50, mean", 0, "ms"},
	{bench.ForecastBiasMs, "ended later than p50, mean", 0, "ms"},
	{bench.ForecastsCompared, "forecasts of items", 0, ""},
	{bench.ForecastMoments, "moments of forecasts", 0, ""},
	{bench.FailedAttempts, "attempts that failed", 0, ""},
	{bench.CrowdReadSeconds, "reading the large queue", 2, "s"},
	{bench.CrowdForecastSeconds, "200 histories of it", 2, "s"},
	{bench.CrowdCPUSeconds, "CPU of both", 1, "s"},
	{bench.CrowdMb, "memory of both", 0, "MB"},
	{bench.P50Ms, "p50", 2, "ms"},
	{bench.P95Ms, "p95", 2, "ms"},
	{bench.P99Ms, "p99", 2, "ms"},
	{bench.WorstMs, "worst", 2, "ms"},
	{bench.LateItems, "waited for more than 20 ms", 0, "items"},
	{bench.FromCallP50Ms, "p50 from the call's start", 2, "ms"},
	{bench.FromCallP95Ms, "p95 from the call's start", 2, "ms"},
	{bench.FromCallP99Ms, "p99 from the call's start", 2, "ms"},
	{bench.IdleCPUPercent, "idle worker, of one core", 2, "%"},
	{bench.IdleStatementsPerSecond, "idle worker, statements", 2, "/s"},
	{bench.IdleRobotsCPUPercent, "server while all robots wait, of one core", 2, "%"},
	{bench.IdleRobotsStatementsPerSecond, "server while all robots wait, statements", 2, "/s"},
	{bench.NoClientsCPUPercent, "server without clients, of one core", 2, "%"},
	{bench.NoClientsStatementsPerSecond, "server without clients, statements", 2, "/s"},
	{bench.SummariesCPUPercent, "server with clients of all summaries, of one core", 2, "%"},
	{bench.SummariesStatementsPerSecond, "the same, statements", 2, "/s"},
	{bench.SummariesPerSecond, "events of each of these clients", 2, "/s"},
	{bench.FollowedCPUPercent, "server with clients that follow an item, of one core", 2, "%"},
	{bench.FollowedStatementsPerSecond, "the same, statements", 2, "/s"},
	{bench.FollowedPerSecond, "events of each of these clients", 2, "/s"},
	{bench.AllEventsCPUPercent, "server with clients of both, of one core", 2, "%"},
	{bench.AllEventsStatementsPerSecond, "the same, statements", 2, "/s"},
	{bench.AllEventsPerSecond, "events of each of these clients", 2, "/s"},
	{bench.CPUSecondsPer1000, "CPU of this program per 1000 items", 3, "s"},
	{bench.PageP50Ms, "pages, p50", 1, "ms"},
	{bench.PageP95Ms, "pages, p95", 1, "ms"},
	{bench.SlowestPageP95Ms, "slowest page, p95", 1, "ms"},
	{bench.FirstLoadKb, "first load", 0, "kB"},
	{bench.MovingCPUPercent, "server without browsers, of one core", 2, "%"},
	{bench.MovingStatementsPerSecond, "the same, statements", 2, "/s"},
	{bench.OpenPagesCPUPercent, "server with browsers, of one core", 2, "%"},
	{bench.OpenPagesStatementsPerSecond, "the same, statements", 2, "/s"},
	{bench.OpenPagesRenewedPerSecond, "pages that browsers asked for again", 2, "/s"},
	{bench.OpenPagesDrainShare, "speed of a drain, of that without", 3, ""},
	{bench.PeakRSSMb, "largest memory of this program", 0, "MB"},
}

// benchRates are the labels of itemsPerSecond, by scenario.
var benchRates = map[string]string{"drain": "drained", "enqueue": "enqueued", "limit": "drained by the engine alone", "guard": "drained by the engine alone", "backlog": "drained with the backlog", "latency": "enqueued", "api": "taken and finished", "assign": "assigned", "soak": "processed", "mixed": "ended"}

func (a *command) benchSheet(r bench.Report) {
	what := fmt.Sprintf("%s on %s, %s", r.Scenario, r.Engine, cli.Count(r.N, "item"))
	if r.Scenario == "steps" {
		what = fmt.Sprintf("steps without a database, %s of each pipeline", cli.Count(r.N, "run"))
	}
	if r.Scenario == "events" {
		what = fmt.Sprintf("events on %s, %s", r.Engine, cli.Count(r.N, "client"))
	}
	fmt.Fprintf(a.Stdout, "%s, median of %s\n", what, cli.Count(r.Repeat, "round"))
	g := cli.NewGrid()
	for _, line := range benchLines {
		s, ok := r.Figures[line.figure]
		if !ok || line.figure == bench.EnqueuedPerSecond && r.Scenario == "enqueue" {
			continue
		}
		label := line.label
		if label == "" {
			label = benchRates[r.Scenario]
		}
		show := func(v float64) string { return strconv.FormatFloat(v, 'f', line.digits, 64) }
		g.Add("  "+label, show(s.Median), line.unit, "("+show(s.Smallest)+" – "+show(s.Largest)+")")
	}
	g.Print(a.Stdout)
	if r.Lost != nil {
		fmt.Fprintf(a.Stdout, "  lost %d", *r.Lost)
		if r.RanTwice != nil {
			fmt.Fprintf(a.Stdout, ", ran twice %d", *r.RanTwice)
		}
		fmt.Fprintln(a.Stdout)
	}
}
