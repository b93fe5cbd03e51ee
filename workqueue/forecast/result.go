package forecast

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Forecast is when items are likely to start and end. Times are UTC by the database's clock. JSON
// field names are part of the command line's contract.
type Forecast struct {
	At        time.Time `json:"at"`
	Until     time.Time `json:"until"` // what happens later is not part of it
	Histories int       `json:"histories"`
	Seed      uint64    `json:"seed"`
	Change    string    `json:"change"` // the what-if in words

	// All, Bands, Queues and Pipelines say when they are empty.
	All       Drain   `json:"all"`
	Bands     []Drain `json:"bands"`
	Queues    []Drain `json:"queues"`
	Pipelines []Drain `json:"pipelines"`

	// Items are those that were asked for.
	Items []Item `json:"items"`

	// Late are the items that may miss their deadline or the time to finish by, the likeliest first, at most
	// MostListed; MayBeLate counts them all.
	Late      []Item `json:"late"`
	MayBeLate int    `json:"mayBeLate"`

	// NeverStart counts the present items that start in no history, such as those that no live worker may
	// run.
	NeverStart int `json:"neverStart"`

	Workers  []Worker  `json:"workers"`
	Arrivals []Arrival `json:"arrivals"`
	Notes    []string  `json:"notes"`

	outcome  *outcome
	expected map[int64]time.Duration
	at       map[int64]int
}

// MostListed bounds the late items of a forecast.
const MostListed = 100

// Moment is a time as a distribution: half of the histories have it by P50, 95 % by P95. nil: not
// before the end of the forecast.
type Moment struct {
	P50 *time.Time `json:"p50"`
	P95 *time.Time `json:"p95"`
}

// Drain is when a group of items is empty: when none of its items waits, is assigned or runs for the
// first time.
type Drain struct {
	Name  string `json:"name"`
	Items int    `json:"items"` // that exist now, including those that are due later
	Due   int    `json:"due"`   // that wait, are assigned or run now
	Empty Moment `json:"empty"`

	// Unfinished is the part of the histories in which it is not empty before the end of the forecast.
	Unfinished float64 `json:"unfinished"`
}

// Item is when an item starts and ends.
type Item struct {
	ID       int64  `json:"item"`
	Priority int    `json:"priority"`
	Queue    string `json:"queue"`
	Pipeline string `json:"pipeline"`

	// ExpectedAt is when it starts if all runs take as long as expected and nothing arrives: what `items why`
	// and `enqueue` say. nil: not in that case.
	ExpectedAt *time.Time `json:"expectedAt"`

	Start Moment `json:"start"` // of its first run from now on
	End   Moment `json:"end"`   // of its last attempt

	// Deadline is by when it has to start, and FinishBy when a run of it is ended. Missed is the part of
	// the histories in which it does not start, or does not finish, by then.
	Deadline *time.Time `json:"deadline"`
	FinishBy *time.Time `json:"finishBy"`
	Missed   float64    `json:"missed"`

	// Unfinished is the part of the histories in which it does not end before the end of the forecast,
	// expires, or is cancelled by a rule of escalation.
	Unfinished float64 `json:"unfinished"`
}

// Worker is how busy a worker is.
type Worker struct {
	Name  string `json:"name"`
	Slots int    `json:"slots"`

	// Busy is which part of its slots is in use in each hour from the beginning of the forecast, 0 to 1.
	Busy []float64 `json:"busy"`

	// BusyP50 and BusyP95 are the parts that it does not exceed in half, and in 95 of 100, of the histories. They
	// are nil if that would be very many numbers: see mostUsages.
	BusyP50 []float64 `json:"busyP50"`
	BusyP95 []float64 `json:"busyP95"`
}

// Arrival is what arrives until the end of the forecast.
type Arrival struct {
	// Kind is scheduled (items that are due later), task (windows of tasks) or usual (by the statistics
	// of the last weeks).
	Kind     string `json:"kind"`
	Queue    string `json:"queue"`
	Pipeline string `json:"pipeline"`
	Task     string `json:"task,omitempty"`

	Items float64    `json:"items"` // the mean of all histories
	Next  *time.Time `json:"next"`  // when the first of them arrives; nil: drawn
}

// The kinds of arrivals.
const (
	arrivesScheduled = "scheduled"
	arrivesByTask    = "task"
	arrivesUsually   = "usual"
)

// result sums up the histories.
func (r *Present) result(o *outcome, p *Params, expected map[int64]time.Duration) *Forecast {
	f := &Forecast{
		At: o.s.At, Until: o.s.At.Add(o.until), Histories: o.n, Seed: p.Seed, Change: p.Change.Text(), Bands: []Drain{}, Queues: []Drain{}, Pipelines: []Drain{},
		Items: []Item{}, Late: []Item{}, Workers: []Worker{}, Arrivals: []Arrival{}, Notes: append([]string{}, r.Notes...), outcome: o, expected: expected, at: make(map[int64]int, len(o.s.Items)),
	}
	for i := range o.s.Items {
		f.at[o.s.Items[i].ID] = i
	}
	if o.s.Unescalated {
		f.Notes = append(f.Notes, "rules of escalation may act on very many items; the forecast leaves some of that out")
	}
	f.drains()
	f.lateness()
	for w := range o.s.Workers {
		one := Worker{Name: o.s.Workers[w].Name, Slots: o.s.Workers[w].Capacity, Busy: []float64{}}
		for hour, used := range o.busy[w] {
			length := min(o.until-time.Duration(hour)*time.Hour, time.Hour).Hours()
			one.Busy = append(one.Busy, min(used/float64(o.n)/length/float64(max(one.Slots, 1)), 1))
			if o.used != nil {
				p50, p95 := quantiles(o.used, w*len(o.busy[w])+hour)
				one.BusyP50 = append(one.BusyP50, min(p50/length/float64(max(one.Slots, 1)), 1))
				one.BusyP95 = append(one.BusyP95, min(p95/length/float64(max(one.Slots, 1)), 1))
			}
		}
		f.Workers = append(f.Workers, one)
	}
	f.arrivals()
	return f
}

// drains computes when groups are empty.
func (f *Forecast) drains() {
	o := f.outcome
	times := make([]instant, o.n)
	for g := range o.groups {
		one := Drain{Name: o.groups[g].name, Items: o.groups[g].items, Due: o.groups[g].now}
		for h := range times {
			times[h] = o.empty[h][g]
			if times[h] == notYet {
				one.Unfinished += 1 / float64(o.n)
			}
		}
		one.Empty = f.moment(times)
		switch {
		case o.groups[g].kind == groupKinds[groupAll]:
			f.All = one
		case one.Items == 0:
		case o.groups[g].kind == groupKinds[groupBand]:
			f.Bands = append(f.Bands, one)
		case o.groups[g].kind == groupKinds[groupQueue]:
			f.Queues = append(f.Queues, one)
		default:
			f.Pipelines = append(f.Pipelines, one)
		}
	}
	order := []string{"high", "medium", "low"}
	slices.SortStableFunc(f.Bands, func(a, b Drain) int { return slices.Index(order, a.Name) - slices.Index(order, b.Name) })
	byName := func(a, b Drain) int { return strings.Compare(a.Name, b.Name) }
	slices.SortStableFunc(f.Queues, byName)
	slices.SortStableFunc(f.Pipelines, byName)
}

// moment sorts the times and returns their quantiles.
func (f *Forecast) moment(times []instant) Moment {
	slices.Sort(times)
	at := func(percent int) *time.Time {
		rank := (len(times)*percent + 99) / 100
		if len(times) == 0 || times[rank-1] == notYet {
			return nil
		}
		t := f.At.Add(time.Duration(times[rank-1]) * time.Millisecond)
		return &t
	}
	return Moment{P50: at(50), P95: at(95)}
}

// Item returns the forecast of an item; false if it is not part of the forecast.
func (f *Forecast) Item(id int64) (Item, bool) {
	i, ok := f.at[id]
	if !ok {
		return Item{}, false
	}
	o := f.outcome
	it := &o.s.Items[i]
	one := Item{ID: id, Priority: it.Priority, Queue: it.QueueName, Pipeline: shownPipeline(it.Pipeline), Missed: float64(o.expired[i]) / float64(o.n)}
	if at, ok := f.expected[id]; ok {
		start := f.At.Add(at)
		one.ExpectedAt = &start
	}
	if !it.Deadline.IsZero() {
		one.Deadline = &it.Deadline
		if it.Holder == 0 && it.Deadline.Before(f.At) {
			one.Missed = 1
		}
	}
	if !it.FinishBy.IsZero() {
		one.FinishBy = &it.FinishBy
	}
	times := make([]instant, o.n)
	for h := range times {
		times[h] = o.start[h][i]
	}
	one.Start = f.moment(times)
	for h := range times {
		times[h] = o.end[h][i]
		if times[h] == notYet {
			one.Unfinished += 1 / float64(o.n)
		}
	}
	one.End = f.moment(times)
	return one, true
}

// lateness finds the items that may be late, and those that never start.
func (f *Forecast) lateness() {
	o := f.outcome
	var late []int
	for i := range o.s.Items {
		it := &o.s.Items[i]
		if it.ID >= firstTaskID {
			continue
		}
		if o.expired[i] > 0 {
			late = append(late, i)
			f.MayBeLate++
		}
		if !it.Running && !slices.ContainsFunc(o.start, func(start []instant) bool { return start[i] != notYet }) {
			f.NeverStart++
		}
	}
	slices.SortStableFunc(late, func(a, b int) int {
		return cmp.Or(cmp.Compare(o.expired[b], o.expired[a]), cmp.Compare(o.s.Items[a].ID, o.s.Items[b].ID))
	})
	for _, i := range late[:min(len(late), MostListed)] {
		one, _ := f.Item(o.s.Items[i].ID)
		f.Late = append(f.Late, one)
	}
}

// arrivals lists what arrives.
func (f *Forecast) arrivals() {
	o := f.outcome
	type key struct{ kind, queue, pipeline, task string }
	known := map[key]int{}
	for i := range o.s.Items {
		it := &o.s.Items[i]
		if int(o.origin[i]) != i || it.Drawn || it.Holder != 0 || !it.Due.After(f.At) || it.Due.After(f.Until) {
			continue
		}
		k := key{arrivesScheduled, it.QueueName, shownPipeline(it.Pipeline), ""}
		if it.ID >= firstTaskID {
			k.kind, k.task = arrivesByTask, it.TaskName
		}
		at, ok := known[k]
		if !ok {
			at = len(f.Arrivals)
			known[k] = at
			f.Arrivals = append(f.Arrivals, Arrival{Kind: k.kind, Queue: k.queue, Pipeline: k.pipeline, Task: k.task})
		}
		one := &f.Arrivals[at]
		one.Items++
		if due := it.Due; one.Next == nil || due.Before(*one.Next) {
			one.Next = &due
		}
	}
	for s := range o.sources {
		f.Arrivals = append(f.Arrivals, Arrival{
			Kind: arrivesUsually, Queue: o.sources[s].queue, Pipeline: shownPipeline(o.sources[s].pipeline), Items: float64(o.arrived[s]) / float64(o.n),
		})
	}
	slices.SortStableFunc(f.Arrivals, func(a, b Arrival) int { return cmp.Or(strings.Compare(a.Kind, b.Kind), cmp.Compare(b.Items, a.Items)) })
}
