package dashboard

import (
	"fmt"
	"html/template"
	"slices"
	"sort"
	"strings"
	"time"
)

// timelineLane is a pipeline in the timeline of a day.
type timelineLane struct {
	Pipeline string
	Starts   string // what starts it, in words
	Link     string // the same day for this pipeline
	Counts   []outcomeCount
	Cut      string // what is not shown
	Backfill string // the address of the form for the missed times of the day; "": there are none
	Bars     []timelineBar
	Rows     int
	SVG      template.HTML

	hidden time.Time // runs before it are not shown; zero: all are
}

// timelineBar is a run, or several of the same outcome that are too near to each other to be seen one by one.
type timelineBar struct {
	Outcome     string
	Start, End  time.Time
	Count       int
	Row         int
	Text        string // for a pointer and for a screen reader
	Link        string
	run         int64 // the id; 0 for several runs, and for one that did not take place
	point, open bool  // without a length; it has not ended
}

// timeline is a scale from the start to the end of a day.
type timeline struct {
	From, Until, Now time.Time
	Zone             *time.Location
}

// The sizes of bars. Widths are parts of the day: the drawing is as wide as the page.
const (
	barHeight, barGap = 14, 4
	pointWidth        = 0.006 // of the day: a bar that is shorter takes as much place
	mostStacked       = 12
)

func (t *timeline) part(at time.Time) float64 {
	return min(max(float64(at.Sub(t.From))/float64(t.Until.Sub(t.From)), 0), 1)
}

// place returns where an instant is, in percent.
func (t *timeline) place(at time.Time) string { return fmt.Sprintf("%.3f%%", 100*t.part(at)) }

// clock writes an instant for the reader; the day, too, if it is another one.
func (t *timeline) clock(at time.Time) string {
	local := at.In(t.Zone)
	if at.Before(t.From) || at.After(t.Until) {
		return local.Format("2006-01-02 15:04:05")
	}
	return local.Format("15:04:05")
}

// bar returns the bar of a run.
func (t *timeline) bar(n *run) timelineBar {
	b := timelineBar{Outcome: n.Outcome, Start: n.time(), Count: 1}
	if n.ID != nil {
		b.run = *n.ID
	}
	word := statusLook(n.Outcome).Word
	switch {
	case n.StartedAt == nil:
		b.End, b.point = b.Start, true
		b.Text = fmt.Sprintf("%s: %s", word, t.clock(b.Start))
	case n.FinishedAt == nil:
		b.End, b.open = t.Until, true
		if t.Now.Before(b.End) {
			b.End = t.Now
		}
		if n.Outcome != "running" { // its process has ended at an unknown time
			b.End = b.Start
		}
		b.Text = fmt.Sprintf("%s since %s", word, t.clock(b.Start))
	default:
		b.End = *n.FinishedAt
		b.Text = fmt.Sprintf("%s: %s to %s, took %s", word, t.clock(b.Start), t.clock(b.End), span(b.End.Sub(b.Start)))
	}
	if b.End.Before(b.Start) {
		b.End = b.Start
	}
	if why := n.What(); why != "" {
		b.Text += ": " + briefText(why, 200)
	}
	return b
}

// join joins bars of the same outcome that are shorter than the eye sees, and almost touch. Their
// number may be large: a pipeline that runs each minute has 1,440 on a day.
func (t *timeline) join(bars []timelineBar) []timelineBar {
	sort.SliceStable(bars, func(i, k int) bool { return bars[i].Start.Before(bars[k].Start) })
	var joined []timelineBar
	last := map[string]int{} // by outcome: where its last bar is in joined
	for _, b := range bars {
		at, ok := last[b.Outcome]
		short := t.part(b.End)-t.part(b.Start) < pointWidth
		if ok && short && !b.open && !joined[at].open && t.part(b.Start)-t.part(joined[at].End) < pointWidth && (joined[at].Count > 1 || t.part(joined[at].End)-t.part(joined[at].Start) < pointWidth) {
			j := &joined[at]
			j.Count++
			if b.End.After(j.End) {
				j.End = b.End
			}
			j.Text = fmt.Sprintf("%s: %s from %s to %s", statusLook(j.Outcome).Word, number(int64(j.Count)), t.clock(j.Start), t.clock(j.End))
			j.Link = ""
			continue
		}
		last[b.Outcome] = len(joined)
		joined = append(joined, b)
	}
	return joined
}

// arrange puts bars that overlap one below the other, and returns the number of rows.
func (t *timeline) arrange(bars []timelineBar) int {
	var free []float64 // by row: where the last bar ends
	for i := range bars {
		start := t.part(bars[i].Start)
		row := slices.IndexFunc(free, func(end float64) bool { return end <= start })
		if row < 0 {
			if row = len(free); row < mostStacked {
				free = append(free, 0)
			} else {
				row = mostStacked - 1
			}
		}
		bars[i].Row = row
		free[row] = max(t.part(bars[i].End), start+pointWidth)
	}
	return max(len(free), 1)
}

// hours lists the full hours of the wall clock of the day: 23 or 25 if the clocks change.
func (t *timeline) hours() (all []time.Time) {
	// Some zones differ from others by a quarter of an hour.
	for at := t.From; at.Before(t.Until); at = at.Add(15 * time.Minute) {
		if at.In(t.Zone).Minute() == 0 {
			all = append(all, at)
		}
	}
	return all
}

// Axis draws the hours.
func (t *timeline) Axis() template.HTML {
	var b strings.Builder
	b.WriteString(`<svg class="hours" height="18" aria-hidden="true">`)
	hours := t.hours()
	for i, at := range hours {
		class := "minor"
		hour := at.In(t.Zone).Hour()
		if hour%6 == 0 {
			class = "major"
		} else if hour%3 == 0 {
			class = "middle"
		}
		if i > 0 && hours[i-1].In(t.Zone).Hour() == hour {
			class += " again"
		}
		fmt.Fprintf(&b, `<text class="%s" x="%s" y="13">%s</text>`, class, t.place(at), at.In(t.Zone).Format("15"))
	}
	if t.isNow() {
		fmt.Fprintf(&b, `<path class="now" d="M0 0"/><circle class="now" cx="%s" cy="14" r="3.5"/>`, t.place(t.Now))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // numbers and constants
}

func (t *timeline) isNow() bool { return !t.Now.Before(t.From) && t.Now.Before(t.Until) }

// draw draws a lane.
func (t *timeline) draw(l *timelineLane) {
	high := l.Rows*(barHeight+barGap) + barGap
	var b strings.Builder
	var words []string
	for _, c := range l.Counts {
		words = append(words, number(c.Count)+" "+strings.ToLower(c.Look.Word))
	}
	if words == nil {
		words = append(words, "nothing")
	}
	fmt.Fprintf(&b, `<svg class="bars" height="%d" role="group" aria-label="%s: %s">`, high, template.HTMLEscapeString(l.Pipeline), template.HTMLEscapeString(strings.Join(words, ", ")))
	// The lines are longer than the drawing, which may be lower than its row; the row cuts them.
	for _, at := range t.hours() {
		class := "grid"
		if at.In(t.Zone).Hour()%6 == 0 {
			class += " major"
		}
		fmt.Fprintf(&b, `<line class="%s" x1="%s" x2="%[2]s" y1="-300" y2="300"/>`, class, t.place(at))
	}
	if !l.hidden.IsZero() {
		fmt.Fprintf(&b, `<rect class="hidden" x="0" y="-300" width="%s" height="600"><title>%s</title></rect>`, t.place(l.hidden), template.HTMLEscapeString(l.Cut))
	}
	for i := range l.Bars {
		t.drawBar(&b, l.Pipeline, &l.Bars[i])
	}
	if t.isNow() {
		fmt.Fprintf(&b, `<line class="now" x1="%s" x2="%[1]s" y1="-300" y2="300"/>`, t.place(t.Now))
	}
	b.WriteString("</svg>")
	l.SVG = template.HTML(b.String()) //nolint:gosec // numbers, constants and escaped texts
}

func (t *timeline) drawBar(b *strings.Builder, pipeline string, one *timelineBar) {
	y := barGap + one.Row*(barHeight+barGap)
	look := statusLook(one.Outcome)
	text := template.HTMLEscapeString(one.Text)
	shape := ""
	switch width := t.part(one.End) - t.part(one.Start); {
	case one.Count == 1 && (one.point || one.Outcome == "planned"):
		// A circle at its time: it has no length.
		shape = fmt.Sprintf(`<circle cx="%s" cy="%d" r="4.5"><title>%s</title></circle>`, t.place(one.Start), y+barHeight/2, text)
	default:
		least, stripes := 0.0015, ""
		if one.Outcome == "failed" || one.Outcome == "interrupted" {
			least = pointWidth // what an operator looks for
			stripes = fmt.Sprintf(`<rect class="stripes" fill="url(#stripes)" x="%s" y="%d" width="%.3f%%" height="%d"/>`, t.place(one.Start), y, 100*max(width, least), barHeight)
		}
		shape = fmt.Sprintf(`<rect x="%s" y="%d" width="%.3f%%" height="%d" rx="2"><title>%s</title></rect>`, t.place(one.Start), y, 100*max(width, least), barHeight, text) + stripes
	}
	class := look.Class + " is-" + one.Outcome
	if one.Link == "" {
		fmt.Fprintf(b, `<g class="%s">%s</g>`, class, shape)
		return
	}
	// The table below has the same runs, so that the keyboard need not walk through all bars.
	fmt.Fprintf(b, `<a class="%s" href="%s" tabindex="-1" aria-label="%s, %s">%s</a>`, class, template.HTMLEscapeString(one.Link), template.HTMLEscapeString(pipeline), text, shape)
}
