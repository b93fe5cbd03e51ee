package cmd

import (
	"fmt"
	"strconv"

	"botwork/internal/bench"
)

// benchLines say how figures are shown to a person, in this order.
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
	{bench.EmptyItemsPerSecond, "drained from an empty table", 0, "items/s"},
	{bench.BacklogShare, "share of that", 2, ""},
	{bench.CleanUpItemsPerSecond, "drained beside CleanUp", 0, "items/s"},
	{bench.CleanUpShare, "share of that without", 2, ""},
	{bench.CleanedRows, "which removed meanwhile", 0, "rows"},
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
	{bench.P50Ms, "p50", 2, "ms"},
	{bench.P95Ms, "p95", 2, "ms"},
	{bench.P99Ms, "p99", 2, "ms"},
	{bench.FromCallP50Ms, "p50 from the call's start", 2, "ms"},
	{bench.FromCallP95Ms, "p95 from the call's start", 2, "ms"},
	{bench.FromCallP99Ms, "p99 from the call's start", 2, "ms"},
	{bench.IdleCPUPercent, "idle worker, of one core", 2, "%"},
	{bench.IdleStatementsPerSecond, "idle worker, statements", 2, "/s"},
	{bench.CPUSecondsPer1000, "CPU of this program per 1000 items", 3, "s"},
	{bench.PeakRSSMb, "largest memory of this program", 0, "MB"},
}

// benchRates say what itemsPerSecond counts, by scenario.
var benchRates = map[string]string{"drain": "drained", "enqueue": "enqueued", "limit": "drained by the engine alone", "backlog": "drained with the backlog", "latency": "enqueued", "assign": "assigned", "soak": "processed"}

func (a *app) benchSheet(r bench.Report) {
	what := fmt.Sprintf("%s on %s, %s", r.Scenario, r.Engine, count(r.N, "item"))
	if r.Scenario == "steps" {
		what = fmt.Sprintf("steps without a database, %s of each pipeline", count(r.N, "run"))
	}
	fmt.Fprintf(a.stdout, "%s, median of %s\n", what, count(r.Repeat, "round"))
	g := newGrid()
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
		g.add("  "+label, show(s.Median), line.unit, "("+show(s.Smallest)+" – "+show(s.Largest)+")")
	}
	g.writeTo(a.stdout)
	if r.Lost != nil {
		fmt.Fprintf(a.stdout, "  lost %d", *r.Lost)
		if r.RanTwice != nil {
			fmt.Fprintf(a.stdout, ", ran twice %d", *r.RanTwice)
		}
		fmt.Fprintln(a.stdout)
	}
}
