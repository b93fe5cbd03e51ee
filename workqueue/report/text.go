package report

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// Width is the largest number of characters in a line of a text, except in a line that is a
	// single longer word.
	Width = 78

	// textGroups is how many groups of failures a text shows.
	textGroups = 20
)

// Text returns the report as plain text, fit for a mail. Times are in the zone of the report.
func (r *Report) Text() string {
	t := &text{zone: r.zone, days: r.Since.In(r.zone).YearDay() != r.Until.In(r.zone).YearDay() || r.Until.Sub(r.Since) > 24*time.Hour}
	t.line("", "Botwork: "+r.Headline())
	t.line("", "")
	t.line("", fmt.Sprintf("From %s to %s.", t.full(r.Since), t.full(r.Until)))
	if of := r.selection(); of != "" {
		t.line("", "Only "+of+".")
	}
	t.failures(r)
	t.runs(r)
	t.workers(r)
	t.queues(r)
	if len(r.Bounds) > 0 {
		t.heading("Not complete")
		for _, b := range r.Bounds {
			t.line("  ", b)
		}
	}
	return t.String()
}

// selection describes the filters of the report.
func (r *Report) selection() string {
	var parts []string
	if r.Queue != "" {
		parts = append(parts, fmt.Sprintf("queue %q", r.Queue))
	}
	if r.Pipeline != "" {
		parts = append(parts, fmt.Sprintf("pipeline %q", r.Pipeline))
	}
	return strings.Join(parts, ", ")
}

// text writes lines of limited width.
type text struct {
	strings.Builder
	zone *time.Location
	days bool // times need their day
}

func (t *text) failures(r *Report) {
	if len(r.Failures) == 0 {
		return
	}
	t.heading("Failures")
	sum := fmt.Sprintf("%s, %s given up, %s.", plural(r.Failed.Items, "item", "items"), thousands(r.Failed.GivenUp), plural(r.Failed.Attempts, "failed attempt", "failed attempts"))
	if r.Failed.Deleted > 0 {
		sum += fmt.Sprintf(" %s deleted since.", plural(r.Failed.Deleted, "item was", "items were"))
	}
	if r.Failed.ItemsBefore != nil {
		sum += fmt.Sprintf(" The day before: %s.", plural(*r.Failed.ItemsBefore, "item", "items"))
	}
	if r.Gone != nil && *r.Gone > 0 {
		sum += fmt.Sprintf(" %s of the day before did not occur again.", plural(*r.Gone, "failure", "failures"))
	}
	t.line("  ", sum)
	for i := range r.Failures {
		if i == textGroups {
			t.line("", "")
			t.line("  ", fmt.Sprintf("%s: botwork report --since %q --until %q", plural(len(r.Failures)-i, "more group", "more groups"),
				r.Since.Format(time.RFC3339), r.Until.Format(time.RFC3339)))
			break
		}
		t.group(i+1, &r.Failures[i])
	}
}

func (t *text) group(number int, g *Group) {
	t.line("", "")
	title := g.Pipeline
	if g.Step != "" {
		title += ", step " + g.Step
	}
	t.wrap(fmt.Sprintf("%3d. ", number), "     ", fmt.Sprintf("%s: %s", title, g.Kind))
	t.line("     ", g.Message)
	t.line("     ", fmt.Sprintf("%s, %s given up, %s; %s", plural(g.Items, "item", "items"), thousands(g.GivenUp), plural(g.Attempts, "failed attempt", "failed attempts"), g.trendText()))
	line := t.span(g.First, g.Last)
	if len(g.Samples) > 0 {
		line += "; " + ids("item", g.Samples, g.Items)
	}
	t.line("     ", line)
}

// trendText describes the trend.
func (g *Group) trendText() string {
	switch g.Trend {
	case TrendNew:
		return "new"
	case TrendUnknown:
		return "the day before is unknown"
	case TrendSame:
		return "as many the day before"
	default:
		return fmt.Sprintf("%s than the day before (%s)", g.Trend, thousands(*g.ItemsBefore))
	}
}

func (t *text) runs(r *Report) {
	if len(r.Runs) == 0 {
		return
	}
	t.heading("Runs of system pipelines")
	for i := range r.Runs {
		run := &r.Runs[i]
		line := fmt.Sprintf("%s: %s %s", run.Pipeline, thousands(run.Count), run.Problem)
		if run.Step != "" {
			line += " in step " + run.Step
		}
		if run.MaxDelayMs != nil {
			line += fmt.Sprintf(", up to %s", (time.Duration(*run.MaxDelayMs) * time.Millisecond).Round(time.Second))
		}
		line += "; " + t.span(run.First, run.Last)
		if len(run.Samples) > 0 {
			line += "; " + ids("run", run.Samples, run.Count)
		}
		if run.Message != "" {
			line += "; " + run.Message
		}
		t.wrap("  ", "    ", line)
	}
}

func (t *text) workers(r *Report) {
	if len(r.Workers) == 0 {
		return
	}
	t.heading("Workers that died")
	for i := range r.Workers {
		w := &r.Workers[i]
		line := w.Name
		if w.Host != "" && w.Host != w.Name {
			line += " on " + w.Host
		}
		switch {
		case w.LastSeenAt == nil:
			line += ": its row is gone"
		case w.Gone:
			line += ": gone, last seen " + t.instant(*w.LastSeenAt)
		default:
			line += ": it is back"
		}
		if w.Items > 0 {
			line += fmt.Sprintf("; %s taken from it, %s", plural(w.Items, "item was", "items were"), t.span(*w.First, *w.Last))
		}
		t.wrap("  ", "    ", line)
	}
}

func (t *text) queues(r *Report) {
	if len(r.Queues) == 0 {
		return
	}
	t.heading("Queues at their limits, now")
	for i := range r.Queues {
		q := &r.Queues[i]
		line := q.Queue + ": " + q.Use()
		if q.Waiting > 0 {
			line += fmt.Sprintf("; %s", plural(int(q.Waiting), "item waits", "items wait"))
		}
		if q.OldestAt != nil {
			line += ", the oldest since " + t.full(*q.OldestAt)
		}
		t.wrap("  ", "    ", line)
	}
}

// Use describes what of the limits is used.
func (q *Queue) Use() string {
	var parts []string
	if q.Concurrency > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s run", thousands(q.Held), thousands(q.Concurrency)))
	}
	if q.Rate.Limit > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s started in %s", thousands(q.Started), thousands(q.Rate.Limit), q.Rate.Per))
	}
	if q.FullKeys > 0 {
		parts = append(parts, plural(q.FullKeys, "limit key is full", "limit keys are full"))
	}
	return strings.Join(parts, ", ")
}

func (t *text) heading(name string) {
	t.line("", "")
	t.line("", strings.ToUpper(name))
}

// line writes text after an indent, in as many lines as it needs.
func (t *text) line(indent, text string) { t.wrap(indent, indent, text) }

// wrap writes text in lines of at most Width characters. The first begins with first, the others
// with rest.
func (t *text) wrap(first, rest, text string) {
	line, empty := first, true
	for word := range strings.FieldsSeq(text) {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > Width {
			t.WriteString(line + "\n")
			line, empty = rest, true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	t.WriteString(strings.TrimRight(line, " ") + "\n")
}

// full writes a time with its zone.
func (t *text) full(at time.Time) string { return at.In(t.zone).Format("2006-01-02 15:04 -07:00") }

// instant writes a time of the stretch.
func (t *text) instant(at time.Time) string {
	if t.days {
		return at.In(t.zone).Format("Jan 2 15:04")
	}
	return at.In(t.zone).Format("15:04")
}

func (t *text) span(first, last time.Time) string {
	from, to := t.instant(first), t.instant(last)
	if from == to {
		return from
	}
	return from + " to " + to
}

// ids writes the ids of samples of n things.
func ids(noun string, samples []int64, n int) string {
	if n > 1 || len(samples) > 1 {
		noun += "s"
	}
	for _, id := range samples {
		noun += fmt.Sprintf(" %d", id)
	}
	if n > len(samples) {
		noun += " …"
	}
	return noun
}
