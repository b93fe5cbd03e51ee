package dashboard

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
)

// chart is stacked columns over time. It is drawn on the server, so that it is there without a
// script; the script of the pages adds what a pointer shows.
type chart struct {
	Label string
	From  time.Time
	Until time.Time
	Unit  string // of one column, such as minute
	Most  float64
	Kinds []chartKind
	Bars  []bar
	Times bool // the values are durations in milliseconds
}

// value writes a value of the chart.
func (c *chart) value(v float64) string {
	if c.Times {
		return span(time.Duration(v) * time.Millisecond)
	}
	return number(int64(math.Round(v)))
}

// Top is the largest value in words.
func (c *chart) Top() string { return c.value(c.Most) }

type chartKind struct{ Class, Name string }

type bar struct {
	Start  time.Time
	Values []float64 // one for each kind
}

// Empty reports whether there is nothing to draw.
func (c *chart) Empty() bool { return c.Most == 0 }

// mostColumns is how many columns a chart has at most. More periods are joined.
const mostColumns = 96

// join makes one column of neighbouring ones until they fit. Its values are those of the columns in one that have any;
// without any it is empty.
func (c *chart) join(in func(values []float64) float64) *chart {
	each := (len(c.Bars) + mostColumns - 1) / mostColumns
	if each > 1 {
		all := c.Bars
		c.Bars, c.Most = nil, 0
		c.Unit = fmt.Sprintf("%d %ss", each, c.Unit)
		for len(all) > 0 {
			some := all[:min(each, len(all))]
			all = all[len(some):]
			c.add(some[0].Start, c.joined(some, in)...)
		}
	}
	for i := range c.Bars {
		if c.Bars[i].Values == nil {
			c.Bars[i].Values = make([]float64, len(c.Kinds))
		}
	}
	return c
}

// joined returns the values of a column for these; nil if none has values.
func (c *chart) joined(columns []bar, in func(values []float64) float64) (joined []float64) {
	columns = slices.DeleteFunc(slices.Clone(columns), func(b bar) bool { return b.Values == nil })
	if len(columns) == 0 {
		return nil
	}
	for k := range c.Kinds {
		values := make([]float64, len(columns))
		for i := range columns {
			values[i] = columns[i].Values[k]
		}
		joined = append(joined, in(values))
	}
	return joined
}

func sum(values []float64) (all float64) {
	for _, v := range values {
		all += v
	}
	return all
}

func mean(values []float64) float64 { return sum(values) / float64(len(values)) }

// add adds a column; one without values is of a time in which nothing was measured.
func (c *chart) add(start time.Time, values ...float64) {
	c.Most = max(c.Most, sum(values))
	c.Bars = append(c.Bars, bar{start, values})
}

func newChart(label string, s *workqueue.Series, kinds ...chartKind) *chart {
	c := &chart{Label: label, Unit: string(s.By), Kinds: kinds}
	if n := len(s.Points); n > 0 {
		c.From, c.Until = s.Points[0].Start, s.Points[n-1].Start
	}
	return c
}

func endedChart(s *workqueue.Series) *chart {
	c := newChart("ended items", s, chartKind{"succeeded", "Succeeded"}, chartKind{"retry", "Retried"}, chartKind{"failed", "Failed for good"})
	for _, p := range s.Points {
		c.add(p.Start, float64(p.Succeeded), float64(p.Retried), float64(max(p.Failed-p.Retried, 0)))
	}
	return c.join(sum)
}

func backlogChart(s *workqueue.Series) *chart {
	c := newChart("waiting items", s, chartKind{"pending", "Waiting"})
	for _, p := range s.Points {
		if p.Gauges == nil {
			c.add(p.Start)
			continue
		}
		c.add(p.Start, p.Gauges.Backlog)
	}
	return c.join(mean)
}

// oldestChart has the longest wait of a due item.
func oldestChart(s *workqueue.Series) *chart {
	c := newChart("longest waits", s, chartKind{"pending", "Waiting"})
	c.Times = true
	for _, p := range s.Points {
		if p.Gauges == nil {
			c.add(p.Start)
			continue
		}
		c.add(p.Start, float64(time.Duration(p.Gauges.OldestWaiting).Milliseconds()))
	}
	return c.join(slices.Max[[]float64])
}

// slotsChart has the slots in use, and those that were free.
func slotsChart(s *workqueue.Series) *chart {
	c := newChart("slots", s, chartKind{"running", "In use"}, chartKind{"assigned", "Free"})
	for _, p := range s.Points {
		if p.Gauges == nil {
			c.add(p.Start)
			continue
		}
		used, free := p.Gauges.SlotsUsed, 0.0
		if p.Gauges.SlotsOffered != nil {
			free = max(*p.Gauges.SlotsOffered-used, 0)
		}
		c.add(p.Start, used, free)
	}
	return c.join(mean)
}

// runsChart has how long the runs that succeeded took: the mean, and what the p95 is longer.
func runsChart(s *workqueue.Series) *chart {
	c := newChart("durations of runs", s, chartKind{"running", "Mean"}, chartKind{"assigned", "more up to the p95"})
	c.Times = true
	for i := range s.Points {
		run := s.Points[i].Run
		if run == nil {
			c.add(s.Points[i].Start)
			continue
		}
		middle := float64(time.Duration(run.Mean).Milliseconds())
		c.add(s.Points[i].Start, middle, max(float64(time.Duration(run.P95).Milliseconds())-middle, 0))
	}
	return c.join(mean)
}

const (
	chartWidth, chartHeight = 640.0, 120.0
	chartFoot               = 2.0
)

// SVG draws the chart.
func (c *chart) SVG() template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="columns" viewBox="0 0 %g %g" preserveAspectRatio="none" role="img" aria-label="%s">`, chartWidth, chartHeight, template.HTMLEscapeString(c.summary()))
	for i := 1; i < 4; i++ {
		y := chartHeight * float64(i) / 4
		fmt.Fprintf(&b, `<line class="grid" x1="0" x2="%g" y1="%g" y2="%g"/>`, chartWidth, y, y)
	}
	if n := len(c.Bars); n > 0 && c.Most > 0 {
		step := chartWidth / float64(n)
		width := step - math.Min(2, step/4)
		for i, one := range c.Bars {
			y := chartHeight
			var text []string
			var rects strings.Builder
			for k, v := range one.Values {
				text = append(text, c.value(v)+" "+strings.ToLower(c.Kinds[k].Name))
				if v <= 0 {
					continue
				}
				high := math.Max((chartHeight-chartFoot)*v/c.Most, 1)
				y -= high
				fmt.Fprintf(&rects, `<rect class="%s" x="%.2f" y="%.2f" width="%.2f" height="%.2f"/>`, c.Kinds[k].Class, float64(i)*step, y, width, high)
			}
			if rects.Len() == 0 {
				continue
			}
			fmt.Fprintf(&b, `<g><title>%s: %s</title>%s</g>`, one.Start.UTC().Format("2006-01-02 15:04")+" UTC", template.HTMLEscapeString(strings.Join(text, ", ")), rects.String())
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // numbers, constants and escaped texts
}

// summary says in words what the chart shows.
func (c *chart) summary() string {
	if len(c.Bars) == 0 {
		return c.Label + ": no figures"
	}
	return fmt.Sprintf("%s by %s from %s to %s UTC, at most %s", c.Label, c.Unit, c.From.UTC().Format("2006-01-02 15:04"), c.Until.UTC().Format("2006-01-02 15:04"), c.Top())
}
