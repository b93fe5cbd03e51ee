package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
)

// samples is how many ids of items a group has.
const samples = 5

// Group are failures with the same cause.
type Group struct {
	// Pipeline is the pipeline of the items; "(inline)" for pipelines inside items.
	Pipeline string              `json:"pipeline"`
	Step     string              `json:"step"` // "": unknown, or no step was reached
	Kind     workqueue.ErrorKind `json:"errorKind"`

	// Message is the text without numbers, ids and the like; see [Message]. Example is the
	// beginning of the text of the latest failure.
	Message string `json:"message"`
	Example string `json:"example"`

	Counts
	Trend Trend `json:"trend"`

	First   time.Time `json:"first"`
	Last    time.Time `json:"last"`
	Samples []int64   `json:"samples"` // ids of items, the latest first
}

// Trend compares the number of items with the day before.
type Trend string

// The trends.
const (
	TrendNew     Trend = "new" // there was none the day before
	TrendMore    Trend = "more"
	TrendSame    Trend = "same"
	TrendLess    Trend = "less"
	TrendUnknown Trend = "unknown" // not all failures were read
)

// inline stands for pipelines that are inside their items.
const inline = "(inline)"

// key is what the failures of a group have in common.
type key struct {
	pipeline, step, message string
	kind                    workqueue.ErrorKind
}

// tally counts the failures of one stretch.
type tally struct {
	groups   map[key]*tallied
	messages map[string]string // texts that were read before
	items    map[int64]bool    // all items that failed; true if they ended
	deleted  map[int64]bool    // of these: that were deleted
	latest   map[int64]key     // of the latest failed attempt of each item
	attempts int
}

type tallied struct {
	items       map[int64]bool // true if they ended
	deleted     map[int64]bool
	attempts    int
	first, last time.Time
	example     string
	samples     []int64
}

func newTally() *tally {
	return &tally{groups: map[key]*tallied{}, messages: map[string]string{}, items: map[int64]bool{}, deleted: map[int64]bool{}, latest: map[int64]key{}}
}

// add counts a failed attempt, or an item that ended. They must come in the order of a store, the
// latest first, and the attempts before the items.
func (t *tally) add(f *workqueue.Failure, ended bool) {
	g, first := t.count(f, t.message(withoutStep(f.Error)), ended)
	if first && len(g.samples) < samples {
		g.samples = append(g.samples, f.ItemID)
	}
}

// addDeleted counts a failed item that was deleted since. It is no sample, because it may not be found.
func (t *tally) addDeleted(f *workqueue.Failure) {
	g, _ := t.count(f, f.Error, true) // it is a message already
	g.deleted[f.ItemID], t.deleted[f.ItemID] = true, true
}

// count adds a failure with this message to its group; first is set for the first one of its item
// there.
func (t *tally) count(f *workqueue.Failure, message string, ended bool) (g *tallied, first bool) {
	k := key{pipeline: f.Pipeline, step: f.Step, kind: f.Kind, message: message}
	if workqueue.InlinePipeline(f.Pipeline) {
		k.pipeline = inline
	}
	latest, attempted := t.latest[f.ItemID]
	switch {
	case !ended && !attempted:
		t.latest[f.ItemID] = k
	case ended && attempted && latest.kind == k.kind && latest.message == k.message:
		k = latest // the attempt knows the step that failed, the item the last one that it reached
	}
	g = t.groups[k]
	if g == nil {
		g = &tallied{items: map[int64]bool{}, deleted: map[int64]bool{}, samples: []int64{}, first: f.At, last: f.At}
		t.groups[k] = g
	}
	if g.example == "" || f.At.After(g.last) {
		g.example = shorten(f.Error, messageLen)
	}
	if f.At.Before(g.first) {
		g.first = f.At
	}
	if f.At.After(g.last) {
		g.last = f.At
	}
	_, known := g.items[f.ItemID]
	g.items[f.ItemID] = g.items[f.ItemID] || ended
	t.items[f.ItemID] = t.items[f.ItemID] || ended
	if !ended {
		g.attempts++
		t.attempts++
	}
	return g, !known
}

// withoutStep removes the name of the failed step from the beginning of an error, as in
// `step "load" (HTTP): `, because reports show it separately.
func withoutStep(text string) string {
	rest, ok := strings.CutPrefix(text, `step "`)
	if !ok {
		return text
	}
	if _, rest, ok = strings.Cut(rest, `" (`); ok {
		_, rest, ok = strings.Cut(rest, "): ")
	}
	if !ok {
		return text
	}
	return rest
}

// message is Message. Most texts of a night are the same ones.
func (t *tally) message(text string) string {
	found, ok := t.messages[text]
	if !ok {
		found = Message(text)
		t.messages[text] = found
	}
	return found
}

// compare returns the groups, compared with the day before, and how many of its groups have no
// failure now. If before is nil, the comparison is unknown.
func (t *tally) compare(before *tally) (all Counts, groups []Group, gone *int) {
	all = Counts{Items: len(t.items), GivenUp: countTrue(t.items), Attempts: t.attempts, Deleted: len(t.deleted)}
	if before != nil {
		n := 0
		for k := range before.groups {
			if t.groups[k] == nil {
				n++
			}
		}
		gone, all.ItemsBefore = &n, new(len(before.items))
	}
	groups = []Group{} // not null in JSON
	for k, g := range t.groups {
		one := Group{
			Pipeline: k.pipeline, Step: k.step, Kind: k.kind, Message: k.message, Example: g.example,
			Counts: Counts{Items: len(g.items), GivenUp: countTrue(g.items), Attempts: g.attempts, Deleted: len(g.deleted)},
			Trend:  TrendUnknown, First: g.first, Last: g.last, Samples: g.samples,
		}
		if before != nil {
			n := 0
			if b := before.groups[k]; b != nil {
				n = len(b.items)
			}
			one.ItemsBefore, one.Trend = &n, trend(len(g.items), n)
		}
		groups = append(groups, one)
	}
	slices.SortStableFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Items, a.Items), b.Last.Compare(a.Last), cmp.Compare(a.Pipeline, b.Pipeline),
			cmp.Compare(a.Step, b.Step), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Message, b.Message))
	})
	return all, groups, gone
}

func trend(now, before int) Trend {
	switch {
	case before == 0:
		return TrendNew
	case now > before:
		return TrendMore
	case now < before:
		return TrendLess
	default:
		return TrendSame
	}
}

func countTrue(of map[int64]bool) (n int) {
	for _, is := range of {
		if is {
			n++
		}
	}
	return n
}
