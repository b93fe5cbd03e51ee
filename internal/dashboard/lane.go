package dashboard

import (
	"fmt"
	"html/template"
	"math"
	"strings"
	"time"

	"botwork/workqueue/forecast"
)

// lane is a strip of time that is drawn on the server, with what it shows in words.
type lane struct {
	Text string
	SVG  template.HTML
}

const laneWidth, laneHeight = 480.0, 16.0

func newLane(class, text, shapes string) lane {
	return lane{text, template.HTML(fmt.Sprintf(`<svg class="lane %s" viewBox="0 0 %g %g" preserveAspectRatio="none" role="img" aria-label="%s"><title>%s</title><rect class="all" width="%g" height="%g"/>%s</svg>`,
		class, laneWidth, laneHeight, template.HTMLEscapeString(text), template.HTMLEscapeString(text), laneWidth, laneHeight, shapes))} //nolint:gosec // numbers, constants and escaped texts
}

// LaneUntil is the right end of the lanes of drains: when all is empty, or the end of the forecast.
func (v *forecastPage) LaneUntil() time.Time {
	until := time.Time{}
	for _, f := range []*forecast.Forecast{v.Present, v.Then} {
		switch {
		case f == nil:
		case f.All.Empty.P95 == nil:
			return f.Until
		case f.All.Empty.P95.After(until):
			until = *f.All.Empty.P95
		}
	}
	if most := v.Present.At.Add(time.Minute); until.Before(most) {
		return most
	}
	return until
}

// drainLane shows the time until a group is empty in half of the histories, and lighter until it is in 95 %.
func (v *forecastPage) drainLane(f *forecast.Forecast, d *forecast.Drain) lane {
	whole := v.LaneUntil().Sub(v.Present.At)
	x := func(at *time.Time) float64 {
		if at == nil {
			return laneWidth
		}
		return min(laneWidth*float64(at.Sub(f.At))/float64(whole), laneWidth)
	}
	say := func(at *time.Time) string {
		if at == nil {
			return "later"
		}
		return at.UTC().Format("2006-01-02 15:04:05") + " UTC"
	}
	return newLane("drain", fmt.Sprintf("%s is empty: half of the histories %s, 95 %% %s", d.Name, say(d.Empty.P50), say(d.Empty.P95)),
		fmt.Sprintf(`<rect class="p95" width="%.2f" height="%g"/><rect class="p50" width="%.2f" height="%g"/>`, x(d.Empty.P95), laneHeight, x(d.Empty.P50), laneHeight))
}

// workerLane is how busy a worker is by the hour: at present, and in the what-if.
type workerLane struct {
	Name        string
	Slots, Then int // 0 in the what-if: there is no such worker
	New         bool
	Busy, IfSo  string // the mean
	Lane, Other lane
}

// lanes lists the workers of the present, then those that the what-if adds.
func (v *forecastPage) lanes() []workerLane {
	var all []workerLane
	at := map[string]int{}
	for i := range v.Present.Workers {
		w := &v.Present.Workers[i]
		at[w.Name] = len(all)
		one := workerLane{Name: w.Name, Slots: w.Slots}
		one.Busy, one.Lane = busyLane(v.Present, w)
		all = append(all, one)
	}
	if v.Then == nil {
		return all
	}
	for i := range v.Then.Workers {
		w := &v.Then.Workers[i]
		n, ok := at[w.Name]
		if !ok {
			n = len(all)
			all = append(all, workerLane{Name: w.Name, New: true})
		}
		all[n].Then = w.Slots
		all[n].IfSo, all[n].Other = busyLane(v.Then, w)
	}
	return all
}

// busyBar is a bar of an hour: which part of the slots is busy.
type busyBar struct {
	class string
	part  float64
}

func busyLane(f *forecast.Forecast, w *forecast.Worker) (mean string, l lane) {
	if len(w.Busy) == 0 {
		return "0 %", newLane("busy", w.Name+" is idle", "")
	}
	step := laneWidth / float64(len(w.Busy))
	sum := 0.0
	var shapes strings.Builder
	for i, part := range w.Busy {
		part = min(max(part, 0), 1)
		sum += part
		says := percent(part) + " of its slots busy"
		bars := []busyBar{{"part", part}}
		if i < len(w.BusyP50) && i < len(w.BusyP95) {
			bars = []busyBar{{"p95", w.BusyP95[i]}, {"p50", w.BusyP50[i]}}
			says += fmt.Sprintf(" on average, at most %s in half of the histories, at most %s in 95 of 100", percent(w.BusyP50[i]), percent(w.BusyP95[i]))
		}
		says = f.At.Add(time.Duration(i)*time.Hour).UTC().Format("2006-01-02 15:04") + " UTC: " + says
		for _, bar := range bars {
			if bar.part < 0.005 {
				continue
			}
			high := math.Max(laneHeight*min(bar.part, 1), 1)
			fmt.Fprintf(&shapes, `<rect class="%s" x="%.2f" y="%.2f" width="%.2f" height="%.2f"><title>%s</title></rect>`,
				bar.class, float64(i)*step, laneHeight-high, math.Max(step-min(1, step/4), 0.1), high, says)
		}
	}
	mean = percent(sum / float64(len(w.Busy)))
	return mean, newLane("busy", fmt.Sprintf("%s: %s of its slots busy on average, by the hour", w.Name, mean), shapes.String())
}
