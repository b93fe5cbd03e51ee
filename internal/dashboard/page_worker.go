package dashboard

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// workerStretch is how far the line of time of a worker goes back, and mostShown how many items it has; mostGiven is how
// many of the items that are assigned to it are listed.
const (
	workerStretch = time.Hour
	mostShown     = 500
	mostGiven     = 100
)

type workerPage struct {
	Worker   worker
	Detail   workerDetail
	Running  []item
	Cut      bool   // there are more that run
	Waiting  []item // assigned to it, the highest priority first
	More     bool   // there are more of them
	Line     slotLine
	Latest   []item // that it ran, the latest first
	Complete bool   // the line has all items of the stretch

	Searching bool // what it ran is not there yet
	Load      *load
	Speed     speed
}

// speed says how long the runs of a worker took, compared with how long they were expected to take.
type speed struct {
	Runs           int64
	Took, Expected time.Duration
}

// speedOf returns the speed of the runs that succeeded and whose duration was known from earlier ones. A failed run
// may have ended early.
func speedOf(items []item) speed {
	var s speed
	for i := range items {
		it := &items[i]
		if it.Status != "Succeeded" || it.EstimateMs == nil || *it.EstimateMs <= 0 || it.StartedAt == nil || it.FinishedAt == nil {
			continue
		}
		s.Runs++
		s.Took += max(it.FinishedAt.Sub(*it.StartedAt), 0)
		s.Expected += time.Duration(*it.EstimateMs) * time.Millisecond
	}
	return s
}

// Share is how long the runs took as a part of what was expected.
func (s speed) Share() float64 { return float64(s.Took) / float64(max(s.Expected, 1)) }

// workerDetail is what the page of a worker shows besides the list.
type workerDetail struct {
	PID       int             `json:"pid"`
	Channels  json.RawMessage `json:"channels"`
	Queues    json.RawMessage `json:"queues"`
	Overrides json.RawMessage `json:"overrides"`
	Gate      *string         `json:"gate"`
}

// Channels are the channels of the worker as JSON; "" if it runs all.
func (v *workerPage) Channels() string { return jsonOrNone(v.Detail.Channels) }

// Overrides are the settings that a person has set as JSON; "" if there are none.
func (v *workerPage) Overrides() string { return jsonOrNone(v.Detail.Overrides) }

func jsonOrNone(raw json.RawMessage) string {
	if string(raw) == "null" {
		return ""
	}
	return string(raw)
}

// slotLine is what ran in each slot in the last hour. The database does not say in which slot an item
// ran: each item is drawn in the first lane that was free.
type slotLine struct {
	From, Until time.Time
	Lanes       [][]item
	Busy        float64 // the part of the time of all slots in which something ran
	capacity    int
}

func newSlotLine(items []item, capacity int, until time.Time) slotLine {
	l := slotLine{From: until.Add(-workerStretch), Until: until, capacity: capacity}
	slices.SortStableFunc(items, func(a, b item) int { return a.StartedAt.Compare(*b.StartedAt) })
	var free []time.Time // by lane: when its last item ended
	var busy time.Duration
	for i := range items {
		start, end := l.span(&items[i])
		lane := slices.IndexFunc(free, func(at time.Time) bool { return !at.After(start) })
		if lane < 0 {
			lane, free, l.Lanes = len(free), append(free, time.Time{}), append(l.Lanes, nil)
		}
		l.Lanes[lane], free[lane] = append(l.Lanes[lane], items[i]), end
		busy += end.Sub(start)
	}
	l.Busy = min(float64(busy)/float64(workerStretch*time.Duration(max(capacity, 1))), 1)
	return l
}

// span returns from when to when an item ran, within the line.
func (l *slotLine) span(it *item) (start, end time.Time) {
	start, end = *it.StartedAt, l.Until
	if it.FinishedAt != nil && it.Status != "Running" {
		end = *it.FinishedAt
	}
	if start.Before(l.From) {
		start = l.From
	}
	if end.Before(start) {
		end = start
	}
	return start, end
}

// SVG draws the line; the table below it has the same items.
func (l slotLine) SVG() template.HTML {
	const width, high, gap = 960.0, 14.0, 4.0
	lanes := max(len(l.Lanes), min(l.capacity, 64))
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="slotline" viewBox="0 0 %g %g" preserveAspectRatio="none" role="img" aria-label="%d slots, busy for %s of the last hour">`,
		width, float64(lanes)*(high+gap), l.capacity, percent(l.Busy))
	x := func(at time.Time) float64 { return width * float64(at.Sub(l.From)) / float64(workerStretch) }
	for lane := range lanes {
		y := float64(lane) * (high + gap)
		fmt.Fprintf(&b, `<rect class="all" x="0" y="%g" width="%g" height="%g"/>`, y, width, high)
		if lane >= len(l.Lanes) {
			continue
		}
		for i := range l.Lanes[lane] {
			it := &l.Lanes[lane][i]
			start, end := l.span(it)
			fmt.Fprintf(&b, `<rect class="%s" x="%.2f" y="%g" width="%.2f" height="%g"><title>%s</title></rect>`, lineClass(it.Status), x(start), y,
				math.Max(x(end)-x(start), 1.5), high, template.HTMLEscapeString(fmt.Sprintf("%d %s: %s, %s", it.ID, it.Pipeline, it.Status, span(end.Sub(start)))))
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // numbers, constants and escaped texts
}

func lineClass(status string) string {
	switch status {
	case "Succeeded":
		return "succeeded"
	case "Running":
		return "running"
	default:
		return "failed"
	}
}

func (d *Dashboard) showWorker(r *http.Request, p *page) (string, error) {
	name := r.PathValue("worker")
	p.Title, p.Section, p.Live = "Worker "+name, "workers", "workers,items"
	v := workerPage{}
	at := "/workers/" + segment(name)
	var running runningItems
	var given, ran list[item]
	var held loads
	var version struct {
		Now time.Time `json:"now"`
	}
	ask := d.asking(r)
	worker := ask.paced(p.Caller)
	worker.get(at, nil, &v.Worker)
	worker.get(at, nil, &v.Detail)
	ask.get("/version", nil, &version)
	worker.allRunning(&running, "worker", name)
	worker.get("/items", values("worker", name, "status", "assigned", "sort", "-priority", "limit", strconv.Itoa(mostGiven)), &given)
	ask.patient(p.Caller).get("/items", values("worker", name, "lifecycle", "completed,archived", "finishedSince", "1h", "sort", "-started", "limit", strconv.Itoa(mostShown)), &ran)
	ask.calm(p.Caller).get("/stats/workers", nil, &held)
	if err := ask.wait(); err != nil {
		return "", err
	}
	v.Load = held.of(v.Worker.Name)
	v.Running, v.Cut, v.Waiting, v.More = running.Items, running.Cut, given.Items, len(given.Items) == mostGiven
	v.Latest = slices.DeleteFunc(ran.Items, func(it item) bool { return it.StartedAt == nil })
	v.Speed = speedOf(v.Latest)
	v.Complete, v.Searching, p.Again = len(ran.Items) < mostShown, ran.Items == nil, ask.incomplete()
	line := slices.Clone(v.Latest)
	for _, it := range v.Running { // those that began before
		if it.StartedAt != nil && !slices.ContainsFunc(line, func(o item) bool { return o.ID == it.ID }) {
			line = append(line, it)
		}
	}
	v.Line = newSlotLine(line, v.Worker.Capacity, version.Now)
	slices.SortStableFunc(v.Latest, func(a, b item) int { return cmp.Or(b.StartedAt.Compare(*a.StartedAt), cmp.Compare(b.ID, a.ID)) })
	v.Latest = v.Latest[:min(len(v.Latest), 30)]
	p.Data = &v
	return "worker", nil
}

// resizeWorker changes how many slots a worker has.
func (d *Dashboard) resizeWorker(r *http.Request) (done, back string, err error) {
	name := r.PathValue("worker")
	back = "/workers/" + segment(name)
	slots, err := strconv.Atoi(strings.TrimSpace(r.PostForm.Get("capacity")))
	if err != nil {
		return "", back, &problem{Status: http.StatusUnprocessableEntity, Detail: "the number of slots: want a whole number"}
	}
	_, err = d.ask(r, http.MethodPatch, "/workers/"+segment(name), nil, map[string]any{"capacity": slots, "reason": r.PostForm.Get("reason")}, nil)
	return fmt.Sprintf("Worker %s has %s now", name, plural(int64(slots), "slot", "slots")), back, err
}
