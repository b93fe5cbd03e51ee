package dashboard

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"botwork/workqueue"
)

// ranges are the stretches of time that pages offer.
var ranges = []string{"1h", "6h", "24h", "7d", "90d"}

// resolutions are the periods by which the ranges are read; charts join them into columns.
var resolutions = map[string]string{"1h": "minute", "6h": "minute", "24h": "hour", "7d": "hour", "90d": "day"}

// rangeOf returns the stretch that the request asks for, or the usual one.
func rangeOf(r *http.Request, usual string) string {
	if asked := r.URL.Query().Get("range"); slices.Contains(ranges, asked) {
		return asked
	}
	return usual
}

// counts are how many items of a queue are where. Their names are those of the lifecycle.
type counts struct {
	Queue string           `json:"queue"`
	At    time.Time        `json:"at"`
	Items map[string]int64 `json:"items"`

	OldestDueAt *time.Time `json:"oldestDueAt"`
	Windows     []window   `json:"windows"`
}

// window is what ended in the last minutes.
type window struct {
	Window       string              `json:"window"`
	Since        time.Time           `json:"since"`
	Completed    int64               `json:"completed"`
	Failed       int64               `json:"failed"`
	Archived     int64               `json:"archived"`
	FailureRate  *float64            `json:"failureRate"`
	MeanDuration *workqueue.Duration `json:"meanDuration"`
	P95Duration  *workqueue.Duration `json:"p95Duration"`
}

func (c *counts) waiting() int64 { return c.Items["pending"] + c.Items["assigned"] }

// oldest returns how long the oldest due item has waited; 0 if none waits.
func (c *counts) oldest() time.Duration {
	if c.OldestDueAt == nil {
		return 0
	}
	return max(c.At.Sub(*c.OldestDueAt), 0)
}

// over returns the window of this length.
func (c *counts) over(length string) window {
	for _, w := range c.Windows {
		if w.Window == length {
			return w
		}
	}
	return window{}
}

type queueCounts struct {
	All    counts   `json:"all"`
	Queues []counts `json:"queues"`
}

// of returns the counts of a queue.
func (s *queueCounts) of(queue string) (counts, bool) {
	for i := range s.Queues {
		if s.Queues[i].Queue == queue {
			return s.Queues[i], true
		}
	}
	return counts{}, false
}

type list[T any] struct {
	Items []T     `json:"items"`
	Next  *string `json:"next"`
}

type nextRun struct {
	Pipeline string    `json:"pipeline"`
	At       time.Time `json:"at"`
	Paused   bool      `json:"paused"`
}

// bandNow is what waits in a band.
type bandNow struct {
	Name, Text string
	Link       string
	Known      bool // there is a recent figure: workers take them once a minute
	Waiting    int64
	Share      float64 // of the largest band
}

type overview struct {
	Range     string
	Ranges    []string
	Attention []attention
	More      int // entries that are not listed
	Failing   int // entries that are failing now
	Counts    counts
	Hour      window
	Workers   []worker
	Slots     int
	Running   int64
	Wait      *workqueue.SeriesTimes // since WaitSince
	WaitSince time.Time
	Ended     *chart
	Backlog   *chart
	Longest   *chart // waits
	InUse     *chart // slots
	Bands     []bandNow
	Next      []nextRun
	Failures  []failureGroup
	Done      []float64 // ended well, over the range
	Failed    []float64
	Oldest    time.Duration
	IsBound   bool
	NoWorkers bool

	// Lists reports whether the person can open the lists behind the figures: one who is bound to several
	// queues can list only one at a time.
	Lists bool
	Risk  *countedList
	Look  *lookBack
}

// countedList is how many items a list has.
type countedList struct {
	Count  int64
	More   bool // there are more than this
	Link   string
	Within time.Duration
}

// mostAttention is how many entries the overview lists.
const mostAttention = 12

func (d *Dashboard) overview(r *http.Request, p *page) (string, error) {
	p.Title, p.Section, p.Live = "Overview", "overview", "items,queues,workers,runs"
	v := overview{Range: rangeOf(r, "6h"), Ranges: ranges, IsBound: !p.Caller.Everywhere(), Lists: len(p.Caller.Queues) <= 1}
	var (
		f              facts
		series, byBand workqueue.Series
		hour           workqueue.Series
		next           list[nextRun]
	)
	ask := d.asking(r)
	f.ask(ask, p.Caller)
	if q, ok := p.Caller.scope(); ok {
		ask.slow(p.Caller).get("/stats", values("since", v.Range, "by", resolutions[v.Range], "queue", q), &series)
		ask.slow(p.Caller).get("/stats", values("since", "1h", "by", "hour", "queue", q), &hour)
		ask.slow(p.Caller).get("/stats", values("since", "10m", "by", "minute", "group", "band", "queue", q), &byBand)
		v.Risk, v.Look = d.itemsAtRisk(ask, p.Caller), lookingBack(r, p)
	}
	ask.slow(p.Caller).optional("/schedules/next", nil, &next)
	if err := ask.wait(); err != nil {
		return "", err
	}
	if v.Look != nil {
		ask = d.asking(r)
		v.Look.count(ask, p.Caller, &f.failed)
		if err := ask.wait(); err != nil {
			return "", err
		}
	}
	v.Counts, v.Hour, v.Oldest = f.stats.All, f.stats.All.over("1h0m0s"), f.stats.All.oldest()
	v.Running = f.stats.All.Items["active"]
	v.Workers, v.Slots, v.NoWorkers = liveWorkers(f.workers.Items), f.slots(), f.noWorkers()
	for _, point := range hour.Points {
		if point.Wait != nil {
			v.Wait, v.WaitSince = point.Wait, point.Start
		}
	}
	v.Ended, v.Backlog, v.Longest, v.InUse = endedChart(&series), backlogChart(&series), oldestChart(&series), slotsChart(&series)
	for _, point := range series.Points {
		v.Done, v.Failed = append(v.Done, float64(point.Succeeded)), append(v.Failed, float64(point.Failed))
	}
	v.Bands = bandsNow(&byBand, f.stats.All.waiting() == 0)
	v.Next = firstOfEach(next.Items, 5)
	groups := groupsOf(&f.failed)
	v.Failures = groups[:min(len(groups), 6)]
	all := f.list()
	v.Failing = failing(all)
	p.Failing = &v.Failing
	if v.Risk != nil && v.Risk.Count > 0 {
		all = append([]attention{v.Risk.attention()}, all...)
	}
	v.Attention = all[:min(len(all), mostAttention)]
	v.More = len(all) - len(v.Attention)
	p.Data = v
	return "overview", nil
}

// itemsAtRisk asks for how many items have not started although their deadline is near. The bound is that
// of the event deadline-at-risk; it is rounded to a minute, so that many pages ask for the same.
func (d *Dashboard) itemsAtRisk(ask *asking, c caller) *countedList {
	filter := values("deadlineUntil", time.Now().UTC().Add(d.risk).Truncate(time.Minute).Format(time.RFC3339))
	risk := &countedList{Link: "/items?" + filter.Encode(), Within: d.risk}
	ask.slow(c).get("/items/count", upTo(filter), risk)
	return risk
}

func (l *countedList) attention() attention {
	return attention{
		Status: "warning", What: counted(l.Count, l.More, "item may miss its deadline", "items may miss their deadlines"), Detail: "not started, and the deadline is within " + span(l.Within) + " or over",
		Do: "Show items", Link: l.Link,
	}
}

// firstOfEach keeps the next run of each pipeline.
func firstOfEach(runs []nextRun, most int) []nextRun {
	var first []nextRun
	known := map[string]bool{}
	for _, one := range runs {
		if !known[one.Pipeline] && len(first) < most {
			known[one.Pipeline] = true
			first = append(first, one)
		}
	}
	return first
}

// liveWorkers leaves out the workers that have stopped.
func liveWorkers(all []worker) []worker {
	return slices.DeleteFunc(slices.Clone(all), func(w worker) bool { return w.status() == "stopped" })
}

// oldestGauge is how long ago the minute of a figure may have begun that is shown as the present one.
const oldestGauge = 3 * time.Minute

// bandsNow reads the latest figures. idle reports whether nothing waits at all.
func bandsNow(s *workqueue.Series, idle bool) []bandNow {
	bands := []bandNow{
		{Name: "high", Text: "High, above 1000"}, {Name: "medium", Text: "Medium, 500 to 1000"}, {Name: "low", Text: "Low, below 500"},
	}
	latest := map[string]time.Time{}
	most, known := int64(0), idle
	for i := range bands {
		b := &bands[i]
		b.Link = address("/items", "band", b.Name, "status", "pending", "status", "assigned")
		for _, point := range s.Points {
			if point.Group == b.Name && point.Gauges != nil && s.At.Sub(point.Start) <= oldestGauge && !point.Start.Before(latest[b.Name]) {
				latest[b.Name], b.Waiting = point.Start, int64(point.Gauges.Backlog+0.5)
				known = true // of all bands: an empty one may have no figure
			}
		}
		most = max(most, b.Waiting)
	}
	for i := range bands {
		bands[i].Known = known
		if most > 0 {
			bands[i].Share = float64(bands[i].Waiting) / float64(most)
		}
	}
	return bands
}

// itoa writes a number for a query.
func itoa(n int64) string { return strconv.FormatInt(n, 10) }
