package dashboard

import (
	"fmt"
	"html/template"
	"math"
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

// join adds up neighbouring columns, or with mean takes their mean, until they fit.
func (c *chart) join(mean bool) *chart {
	each := (len(c.Bars) + mostColumns - 1) / mostColumns
	if each > 1 {
		all := c.Bars
		c.Bars, c.Most = nil, 0
		c.Unit = fmt.Sprintf("%d %ss", each, c.Unit)
		for len(all) > 0 {
			n := min(each, len(all))
			sums := make([]float64, len(c.Kinds))
			for _, one := range all[:n] {
				for k, v := range one.Values {
					sums[k] += v
				}
			}
			if mean {
				for k := range sums {
					sums[k] /= float64(n)
				}
			}
			c.add(all[0].Start, sums...)
			all = all[n:]
		}
	}
	return c
}

func (c *chart) add(start time.Time, values ...float64) {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	c.Most = max(c.Most, sum)
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
	return c.join(false)
}

func backlogChart(s *workqueue.Series) *chart {
	c := newChart("waiting items", s, chartKind{"pending", "Waiting"})
	for _, p := range s.Points {
		n := 0.0
		if p.Gauges != nil {
			n = p.Gauges.Backlog
		}
		c.add(p.Start, n)
	}
	return c.join(true)
}

// runsChart has how long the runs that succeeded took: the mean, and what the p95 is longer.
func runsChart(s *workqueue.Series) *chart {
	c := newChart("durations of runs", s, chartKind{"running", "Mean"}, chartKind{"assigned", "more up to the p95"})
	c.Times = true
	for i := range s.Points {
		mean, more := 0.0, 0.0
		if run := s.Points[i].Run; run != nil {
			mean = float64(time.Duration(run.Mean).Milliseconds())
			more = max(float64(time.Duration(run.P95).Milliseconds())-mean, 0)
		}
		c.add(s.Points[i].Start, mean, more)
	}
	return c.join(true)
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
