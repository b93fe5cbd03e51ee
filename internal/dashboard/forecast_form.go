package dashboard

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"botwork/workqueue/forecast"
)

// whatIf is the form of a forecast. Its fields are parameters of the address, so a what-if can be
// shared; they are kept as they were entered.
type whatIf struct {
	Hours              string
	Add, Slots, Labels string // workers to add: how many, with how many slots, their labels
	Without            []string
	Capacities         map[string]string // by worker
	Pause              []string
	Priorities         string // ID=PRIORITY, with commas
	Arrivals           string // percent
	Meet               bool   // ask how much capacity would meet the deadlines
	Workers            []formWorker
	Queues             []formQueue
}

// formWorker and formQueue are rows of the form.
type formWorker struct {
	Name    string
	Now     int
	Then    string
	Without bool
}

// Most is where the slider of its slots ends; the field takes more.
func (w formWorker) Most() int { return max(2*w.Now, w.Now+8) }

type formQueue struct {
	Name  string
	Pause bool
}

// slotsPrefix begins the parameters with the slots of workers; a name follows.
const slotsPrefix = "slots."

func readWhatIf(q url.Values) whatIf {
	f := whatIf{
		Hours: q.Get("hours"), Add: q.Get("add"), Slots: q.Get("slots"), Labels: q.Get("labels"), Without: q["without"], Pause: q["pause"],
		Priorities: q.Get("priorities"), Arrivals: q.Get("arrivals"), Meet: q.Get("meet") != "", Capacities: map[string]string{},
	}
	for name, all := range q {
		if worker, ok := strings.CutPrefix(name, slotsPrefix); ok && all[0] != "" {
			f.Capacities[worker] = all[0]
		}
	}
	return f
}

// forecastQuestion is the body of a what-if.
type forecastQuestion struct {
	Until         time.Time       `json:"until,omitzero"`
	Change        forecast.Change `json:"change,omitzero"`
	MeetDeadlines bool            `json:"meetDeadlines,omitempty"`
}

// question returns what the form asks, or what is wrong with it. The API checks the rest.
func (f *whatIf) question(now time.Time) (q forecastQuestion, faults []string) {
	number := func(what, text string) int {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil && text != "" {
			faults = append(faults, fmt.Sprintf("%s: got %.50q, want a whole number", what, text))
		}
		return n
	}
	const mostHours, mostWorkers = 10_000, 1000
	switch hours := number("hours", f.Hours); {
	case f.Hours == "" || len(faults) > 0:
	case hours < 1 || hours > mostHours:
		faults = append(faults, fmt.Sprintf("hours: got %d, want 1 to %d", hours, mostHours))
	default: // whole minutes, so that people who ask at the same time get the same answer
		q.Until = now.Truncate(time.Minute).Add(time.Duration(hours) * time.Hour)
	}
	if add := number("workers to add", f.Add); add < 0 || add > mostWorkers {
		faults = append(faults, fmt.Sprintf("workers to add: got %d, want 0 to %d", add, mostWorkers))
	} else if add > 0 {
		one := forecast.NewWorker{Capacity: number("slots of a worker to add", cmp.Or(f.Slots, "1")), Labels: f.labels(&faults)}
		q.Change.AddWorkers = slices.Repeat([]forecast.NewWorker{one}, add)
	}
	q.Change.WithoutWorkers, q.Change.PauseQueues, q.MeetDeadlines = f.Without, f.Pause, f.Meet
	for worker, text := range f.Capacities {
		if q.Change.Capacities == nil {
			q.Change.Capacities = map[string]int{}
		}
		q.Change.Capacities[worker] = number("slots of "+worker, text)
	}
	for part := range strings.FieldsFuncSeq(f.Priorities, func(r rune) bool { return r == ',' || r == ' ' }) {
		id, priority, ok := strings.Cut(part, "=")
		if !ok || priority == "" {
			faults = append(faults, fmt.Sprintf("priorities: got %.50q, want ITEM=PRIORITY, such as 12=900", part))
			continue
		}
		if q.Change.Priorities == nil {
			q.Change.Priorities = map[string]int{}
		}
		q.Change.Priorities[id] = number("priority of item "+id, priority)
	}
	if f.Arrivals != "" {
		percent, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(f.Arrivals), "%")), 64)
		if err != nil || percent != percent || percent > 10_000 { // the API refuses more, and NaN is no JSON
			faults = append(faults, fmt.Sprintf("arrivals: got %.50q, want a percentage, such as 20 or -50", f.Arrivals))
		} else {
			q.Change.ArrivalsPercent = percent
		}
	}
	return q, faults
}

func (f *whatIf) labels(faults *[]string) map[string]string {
	var labels map[string]string
	for part := range strings.SplitSeq(f.Labels, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		name, value, ok := strings.Cut(part, "=")
		if !ok || strings.TrimSpace(name) == "" {
			*faults = append(*faults, fmt.Sprintf("labels: got %.50q, want NAME=VALUE, such as gpu=true", part))
			continue
		}
		if labels == nil {
			labels = map[string]string{}
		}
		labels[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	return labels
}

// offer fills the rows of the form with the workers and queues that there are, and those that were
// given.
func (f *whatIf) offer(present *forecast.Forecast) {
	now, queues := map[string]int{}, slices.Clone(f.Pause)
	for i := range present.Workers {
		now[present.Workers[i].Name] = present.Workers[i].Slots
	}
	for i := range present.Queues {
		queues = append(queues, present.Queues[i].Name)
	}
	workers := slices.Concat(slices.Collect(maps.Keys(now)), slices.Collect(maps.Keys(f.Capacities)), f.Without)
	slices.Sort(workers)
	for _, name := range slices.Compact(workers) {
		f.Workers = append(f.Workers, formWorker{name, now[name], f.Capacities[name], slices.Contains(f.Without, name)})
	}
	slices.Sort(queues)
	for _, name := range slices.Compact(queues) {
		f.Queues = append(f.Queues, formQueue{name, slices.Contains(f.Pause, name)})
	}
}
