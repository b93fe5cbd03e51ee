package notify

import (
	"path"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
)

// Event is what a rule is about.
type Event string

// The events.
const (
	ItemCancelled  Event = "item-cancelled"
	PoisonItem     Event = "poison-item"
	RunFailed      Event = "run-failed"
	RunMissed      Event = "run-missed" // or late
	Backlog        Event = "backlog"
	Oldest         Event = "oldest"
	FailureRate    Event = "failure-rate"
	WorkerLost     Event = "worker-lost"
	WorkerStuck    Event = "worker-stuck"
	NoWorker       Event = "no-worker"
	DeadlineAtRisk Event = "deadline-at-risk"
	DiskLow        Event = "disk-low"
	Escalation     Event = "escalation"
)

// Events lists all events.
func Events() []Event {
	return []Event{ItemCancelled, PoisonItem, RunFailed, RunMissed, Backlog, Oldest, FailureRate, WorkerLost, WorkerStuck, NoWorker, DeadlineAtRisk, DiskLow, Escalation}
}

// The labels by which a rule may group and filter.
const (
	LabelQueue    = "queue"
	LabelPipeline = "pipeline"
	LabelWorker   = "worker"
	LabelError    = "error" // the kind of an item's error
)

// traits are what the engine and the checker know of an event.
type traits struct {
	// labels are those that its occurrences have. series is set if it is read from the statistics
	// over time, which are divided by one label.
	labels []string
	series bool

	// momentary is set if it happens at a moment: it is over after a time without another one.
	momentary bool

	bounds []string // the keys of its bounds
}

var eventTraits = map[Event]traits{
	ItemCancelled:  {labels: []string{LabelQueue, LabelPipeline, LabelWorker, LabelError}, momentary: true},
	PoisonItem:     {labels: []string{LabelQueue, LabelPipeline, LabelWorker}, momentary: true},
	RunFailed:      {labels: []string{LabelPipeline, LabelWorker}, momentary: true},
	RunMissed:      {labels: []string{LabelPipeline, LabelWorker}, momentary: true, bounds: []string{"delay"}},
	Backlog:        {labels: []string{LabelQueue, LabelPipeline}, series: true, bounds: []string{"items"}},
	Oldest:         {labels: []string{LabelQueue, LabelPipeline}, series: true, bounds: []string{"age"}},
	FailureRate:    {labels: []string{LabelQueue, LabelPipeline}, series: true, bounds: []string{"percent", "within", "least"}},
	WorkerLost:     {labels: []string{LabelWorker}},
	WorkerStuck:    {labels: []string{LabelWorker}},
	NoWorker:       {labels: []string{LabelQueue}},
	DeadlineAtRisk: {labels: []string{LabelQueue, LabelPipeline}, bounds: []string{"within"}},
	DiskLow:        {labels: []string{LabelWorker}, momentary: true, bounds: []string{"percent"}},
	Escalation:     {labels: []string{LabelQueue, LabelPipeline, LabelWorker}, momentary: true},
}

// Labels returns the labels of an event, by which rules may group and filter.
func (e Event) Labels() []string { return eventTraits[e].labels }

// OneLabel reports whether a rule may use only one label of the event.
func (e Event) OneLabel() bool { return eventTraits[e].series }

// Bounds returns the keys of the bounds of an event.
func (e Event) Bounds() []string { return eventTraits[e].bounds }

// Momentary reports whether the event happens at a moment, and is over after RecoverAfter without
// another one.
func (e Event) Momentary() bool { return eventTraits[e].momentary }

// Rule says which messages are sent about an event.
type Rule struct {
	Name   string
	Event  Event
	Filter Filter
	Bounds Bounds

	Targets []string
	GroupBy []string // labels; none: one group

	// Wait is how long after its start the first message is sent. A condition that ends before
	// sends none.
	Wait time.Duration

	// Repeat is the least time between two messages of one alert.
	Repeat time.Duration

	// RecoverAfter is the time without another event after which an event is over.
	RecoverAfter time.Duration

	// Silent is set if there is no recovery message.
	Silent bool

	Quiet  []Quiet
	Urgent bool // quiet hours do not apply
}

// Filter selects what a rule is about. Each list has names, in which * stands for any characters; an
// empty one selects all.
type Filter struct {
	Queues, Pipelines, Workers, Errors []string
}

// Bounds are what a condition is compared with. Zero means the default of the event.
type Bounds struct {
	Items   int           // Backlog: more items than this
	Age     time.Duration // Oldest: due for longer than this
	Percent float64       // FailureRate: more failed attempts than this; DiskLow: less free space
	Within  time.Duration // FailureRate: of the last attempts; DeadlineAtRisk: deadlines so near
	Least   int           // FailureRate: of at least so many attempts
	Delay   time.Duration // RunMissed: late by more than this
}

// The defaults of the bounds of events, and of rules.
const (
	DefaultItems         = 1000
	DefaultAge           = time.Hour
	DefaultRate          = 20.0
	DefaultWindow        = 15 * time.Minute
	DefaultLeast         = 10
	DefaultDelay         = 5 * time.Minute
	DefaultRiskWithin    = 15 * time.Minute
	DefaultFree          = 10.0
	DefaultRepeat        = 4 * time.Hour
	DefaultRecoverAfter  = 15 * time.Minute
	DefaultNoWorkerWait  = 5 * time.Minute
	DefaultConditionWait = time.Minute
)

// LostFor is how long after its last heartbeat a lost worker counts. Later, it was taken out of
// service.
const LostFor = 24 * time.Hour

// Complete fills in the defaults.
func (r Rule) Complete() Rule {
	b := &r.Bounds
	switch r.Event {
	case Backlog:
		b.Items = orInt(b.Items, DefaultItems)
	case Oldest:
		b.Age = orTime(b.Age, DefaultAge)
	case FailureRate:
		b.Percent, b.Within, b.Least = orFloat(b.Percent, DefaultRate), orTime(b.Within, DefaultWindow), orInt(b.Least, DefaultLeast)
	case RunMissed:
		b.Delay = orTime(b.Delay, DefaultDelay)
	case DeadlineAtRisk:
		b.Within = orTime(b.Within, DefaultRiskWithin)
	case DiskLow:
		b.Percent = orFloat(b.Percent, DefaultFree)
	}
	if r.Event.OneLabel() && len(r.GroupBy) == 0 {
		r.GroupBy = []string{LabelQueue}
	}
	r.Repeat = orTime(r.Repeat, DefaultRepeat)
	r.RecoverAfter = orTime(r.RecoverAfter, DefaultRecoverAfter)
	return r
}

// DefaultWait returns the Wait of a rule about an event that sets none.
func (e Event) DefaultWait() time.Duration {
	switch {
	case e == NoWorker:
		return DefaultNoWorkerWait
	case e.Momentary():
		return 0
	}
	return DefaultConditionWait
}

func orInt(v, fallback int) int {
	if v == 0 {
		return fallback
	}
	return v
}

func orFloat(v, fallback float64) float64 {
	if v == 0 {
		return fallback
	}
	return v
}

func orTime(v, fallback time.Duration) time.Duration {
	if v == 0 {
		return fallback
	}
	return v
}

// labels are the labels of one occurrence.
type labels map[string]string

// matches reports whether the filter selects an occurrence. A label that it does not have matches
// only an empty list.
func (f *Filter) matches(l labels) bool {
	return named(f.Queues, l[LabelQueue]) && named(f.Pipelines, l[LabelPipeline]) && named(f.Workers, l[LabelWorker]) && named(f.Errors, l[LabelError])
}

func named(patterns []string, name string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(pattern string) bool { return Matches(pattern, name) })
}

// Matches reports whether a name matches a pattern, in which * stands for any characters.
func Matches(pattern, name string) bool {
	if !strings.Contains(pattern, "*") {
		return pattern == name
	}
	// A name may contain what is special to path.Match, such as a slash.
	plain := strings.NewReplacer("/", "\x00", "[", "\x01", "?", "\x02", `\`, "\x03")
	ok, err := path.Match(plain.Replace(pattern), plain.Replace(name))
	return ok && err == nil
}

// group returns the name of the group of an occurrence, such as queue=orders,error=timeout.
func (r *Rule) group(l labels) string {
	parts := make([]string, len(r.GroupBy))
	for i, label := range r.GroupBy {
		parts[i] = label + "=" + l[label]
	}
	return cut(strings.Join(parts, ","), maxGroup)
}

// maxGroup is the longest name of a group, and maxGroups how many a rule has at the same time: what
// would be another one is in OtherGroups.
const (
	maxGroup  = 400
	maxGroups = 100

	OtherGroups = "(other groups)"
)

func cut(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i] + "…"
		}
		n--
	}
	return text
}

// sources returns where the events of a rule are from.
func (r *Rule) sources() []workqueue.HappeningSource {
	switch r.Event {
	case ItemCancelled, PoisonItem:
		return []workqueue.HappeningSource{workqueue.FromItems}
	case RunFailed:
		return []workqueue.HappeningSource{workqueue.FromRuns}
	case RunMissed:
		return []workqueue.HappeningSource{workqueue.FromMissed, workqueue.FromLateRuns}
	}
	return nil
}
