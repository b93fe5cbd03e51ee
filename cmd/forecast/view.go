package forecast

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/internal/spans"
	"botwork/workqueue/forecast"
)

// bars is the length of the longest bar.
const bars = 24

// drains prints when everything is empty: the present and, beside it, the change.
func (a *command) drains(answer *forecast.Answer) {
	rows := rowsOf(answer)
	if answer.WhatIf == nil {
		g := cli.NewGrid("what", "items", "due", "empty p50", "empty p95", "until then").DropWhenNarrow("items", "until then")
		for _, r := range rows {
			d := r.present
			g.Add(r.name, fmt.Sprint(d.Items), fmt.Sprint(d.Due), a.when(answer.Present, d.Empty.P50, d.Due), a.when(answer.Present, d.Empty.P95, d.Due), bar(answer.Present, d))
		}
		g.Print(a.Stdout)
		return
	}
	fmt.Fprintf(a.Stdout, "what if: %s\n\n", answer.WhatIf.Change)
	g := cli.NewGrid("what", "due", "empty p50", "if so", "difference", "empty p95", "if so").DropWhenNarrow("due")
	for _, r := range rows {
		now, then := r.present, r.whatIf
		g.Add(r.name, fmt.Sprint(now.Due), a.when(answer.Present, now.Empty.P50, now.Due), a.when(answer.WhatIf, then.Empty.P50, then.Due),
			difference(now.Empty.P50, then.Empty.P50), a.when(answer.Present, now.Empty.P95, now.Due), a.when(answer.WhatIf, then.Empty.P95, then.Due))
	}
	g.Print(a.Stdout)
}

// row is one line of the first table.
type row struct {
	name            string
	present, whatIf forecast.Drain
}

func rowsOf(answer *forecast.Answer) []row {
	rows := []row{{name: "all", present: answer.Present.All}}
	if answer.WhatIf != nil {
		rows[0].whatIf = answer.WhatIf.All
	}
	lists := func(f *forecast.Forecast) [][]forecast.Drain {
		if f == nil {
			return make([][]forecast.Drain, 3)
		}
		return [][]forecast.Drain{f.Bands, f.Queues, f.Pipelines}
	}
	then := lists(answer.WhatIf)
	for n, kind := range []string{"band", "queue", "pipeline"} {
		for _, d := range lists(answer.Present)[n] {
			one := row{name: kind + " " + d.Name, present: d}
			for _, other := range then[n] {
				if other.Name == d.Name {
					one.whatIf = other
				}
			}
			rows = append(rows, one)
		}
	}
	return rows
}

// when returns a time as people read it: with the date only if it is another day.
func (a *command) when(f *forecast.Forecast, at *time.Time, due int) string {
	switch {
	case at == nil:
		return "later"
	case due == 0 && at.Equal(f.At):
		return "now"
	}
	local, now := at.In(a.Zone()), f.At.In(a.Zone())
	if local.YearDay() == now.YearDay() && local.Year() == now.Year() {
		return local.Format("15:04:05")
	}
	return local.Format("Mon 01-02 15:04")
}

// bar shows how long it takes until p50, and lighter until p95, in relation to the whole.
func bar(f *forecast.Forecast, d forecast.Drain) string {
	whole := f.Until
	if f.All.Empty.P95 != nil && f.All.Empty.P95.After(f.At) {
		whole = *f.All.Empty.P95
	}
	length := func(at *time.Time) int {
		if at == nil {
			return bars
		}
		return min(int(int64(bars)*int64(at.Sub(f.At))/max(int64(whole.Sub(f.At)), 1)), bars)
	}
	p50, p95 := length(d.Empty.P50), length(d.Empty.P95)
	if d.Due > 0 {
		p95 = max(p95, 1)
	}
	text := strings.Repeat("█", p50) + strings.Repeat("░", max(p95-p50, 0))
	if d.Empty.P95 == nil {
		text += "…"
	}
	return text
}

// difference returns how much later the second time is.
func difference(now, then *time.Time) string {
	switch {
	case now == nil && then == nil:
		return "-"
	case now == nil:
		return "sooner"
	case then == nil:
		return "later"
	}
	d := then.Sub(*now).Round(time.Second)
	switch {
	case d < 0:
		return "-" + spans.Text(-d)
	case d == 0:
		return "0s"
	}
	return "+" + spans.Text(d)
}

// items prints the items that were asked for.
func (a *command) items(answer *forecast.Answer) {
	if len(answer.Present.Items) == 0 {
		return
	}
	fmt.Fprintln(a.Stdout)
	g := cli.NewGrid("item", "priority", "pipeline", "start p50", "start p95", "end p50", "end p95", "deadline", "missed").DropWhenNarrow("pipeline", "priority")
	add := func(f *forecast.Forecast, mark string) {
		for i := range f.Items {
			it := &f.Items[i]
			g.Add(fmt.Sprint(it.ID)+mark, fmt.Sprint(it.Priority), it.Pipeline, a.when(f, it.Start.P50, 1), a.when(f, it.Start.P95, 1), a.when(f, it.End.P50, 1), a.when(f, it.End.P95, 1),
				a.deadline(f, it), percent(it.Missed))
		}
	}
	add(answer.Present, "")
	if answer.WhatIf != nil {
		add(answer.WhatIf, " if so")
	}
	g.Print(a.Stdout)
}

func (a *command) deadline(f *forecast.Forecast, it *forecast.Item) string {
	if it.Deadline == nil {
		return "-"
	}
	if it.FinishBy != nil && !it.FinishBy.After(*it.Deadline) {
		return "finish by " + a.when(f, it.FinishBy, 1)
	}
	return a.when(f, it.Deadline, 1)
}

// mostLate bounds the late items of the table.
const mostLate = 20

// late prints the items that may be late.
func (a *command) late(answer *forecast.Answer) {
	f, title := answer.Present, ""
	if answer.WhatIf != nil {
		f, title = answer.WhatIf, fmt.Sprintf(" (now: %d)", answer.Present.MayBeLate)
	}
	if f.MayBeLate == 0 && answer.Present.MayBeLate == 0 {
		return
	}
	fmt.Fprintf(a.Stdout, "\nmay miss their deadlines: %d%s\n", f.MayBeLate, title)
	if len(f.Late) == 0 {
		return
	}
	g := cli.NewGrid("item", "priority", "queue", "pipeline", "deadline", "missed", "start p50").DropWhenNarrow("queue", "pipeline")
	for i := range f.Late[:min(len(f.Late), mostLate)] {
		it := &f.Late[i]
		g.Add(fmt.Sprint(it.ID), fmt.Sprint(it.Priority), it.Queue, it.Pipeline, a.deadline(f, it), percent(it.Missed), a.when(f, it.Start.P50, 1))
	}
	g.Print(a.Stdout)
	if f.MayBeLate > mostLate {
		fmt.Fprintf(a.Stdout, "and %d more; --output json lists up to %d\n", f.MayBeLate-min(len(f.Late), mostLate), forecast.MostListed)
	}
}

func percent(part float64) string {
	switch {
	case part == 0:
		return "-"
	case part < 0.01:
		return "<1 %"
	}
	return fmt.Sprintf("%.0f %%", 100*part)
}

// enough prints how much capacity meets the deadlines.
func (a *command) enough(e *forecast.Enough) {
	if e == nil {
		return
	}
	fmt.Fprintln(a.Stdout)
	if e.Deadlines == 0 {
		fmt.Fprintln(a.Stdout, "no item has a deadline")
		return
	}
	fmt.Fprintf(a.Stdout, "deadlines: %d; too likely to be missed now: %d\n", e.Deadlines, e.Missed)
	if e.Impossible > 0 {
		fmt.Fprintf(a.Stdout, "%d of them no capacity would meet: it is too late, or no live worker may run the items\n", e.Impossible)
	}
	if e.Missed == e.Impossible {
		fmt.Fprintln(a.Stdout, "the others are met with the present workers")
		return
	}
	add := func(n *int, what string) string {
		if n == nil {
			return "no number of " + what + " that was tried"
		}
		return fmt.Sprintf("%d more %s", *n, what)
	}
	fmt.Fprintf(a.Stdout, "enough for the others: %s, or %s\n", add(e.Workers, fmt.Sprintf("workers like %s with %d slots", e.Like, e.WorkerSlots)), add(e.Slots, "slots on the present workers"))
}

// mostHours bounds the hours of the table of workers.
const mostHours = 48

// workers prints how busy each worker is.
func (a *command) workers(f *forecast.Forecast) {
	if len(f.Workers) == 0 {
		return
	}
	fmt.Fprintln(a.Stdout)
	g := cli.NewGrid("worker", "slots", "busy", "by hour")
	for i := range f.Workers {
		w := &f.Workers[i]
		sum := 0.0
		for _, part := range w.Busy {
			sum += part
		}
		g.Add(w.Name, fmt.Sprint(w.Slots), fmt.Sprintf("%.0f %%", 100*sum/float64(max(len(w.Busy), 1))), sparks(w.Busy))
	}
	g.Print(a.Stdout)
}

// sparks shows a part for each hour: · for less than 1 %, then ▁ to █.
func sparks(parts []float64) string {
	levels := []rune("▁▂▃▄▅▆▇█")
	var text strings.Builder
	for _, part := range parts[:min(len(parts), mostHours)] {
		if part < 0.01 {
			text.WriteRune('·')
			continue
		}
		text.WriteRune(levels[min(int(part*float64(len(levels))), len(levels)-1)])
	}
	if len(parts) > mostHours {
		text.WriteRune('…')
	}
	return text.String()
}

// mostArrivals bounds the arrivals of the table.
const mostArrivals = 20

// arrivals prints what arrives.
func (a *command) arrivals(f *forecast.Forecast) {
	if len(f.Arrivals) == 0 {
		return
	}
	fmt.Fprintln(a.Stdout)
	g := cli.NewGrid("arrives", "queue", "pipeline", "task", "items", "next")
	for i := range f.Arrivals[:min(len(f.Arrivals), mostArrivals)] {
		one := &f.Arrivals[i]
		next := "-"
		if one.Next != nil {
			next = a.when(f, one.Next, 1)
		}
		g.Add(one.Kind, one.Queue, one.Pipeline, cmp.Or(one.Task, "-"), fmt.Sprintf("%.4g", one.Items), next)
	}
	g.Print(a.Stdout)
	if n := len(f.Arrivals) - mostArrivals; n > 0 {
		fmt.Fprintf(a.Stdout, "and %d more kinds; --output json lists all\n", n)
	}
}
