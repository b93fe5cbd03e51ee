package dashboard

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/matching"
)

// itemPipeline is the pipeline of an item, with what its items ask of workers.
type itemPipeline struct {
	pipeline

	Labels           matching.Labels     `json:"labels"`
	Selectors        []matching.Selector `json:"selectors"`
	SelectorsReplace bool                `json:"selectorsReplace"`
}

// match is what an item asks of its worker, and how well the live workers suit it.
type match struct {
	Labels    []itemLabel // of the item and its pipeline
	Selectors []string
	Faults    []string // what cannot be read, as it is stored
	Workers   []suited
	More      int // workers that are not listed
}

// itemLabel is a label, and the address of the items that have it; "" for a label of the pipeline,
// which the list does not search.
type itemLabel struct{ Text, Link string }

// suited is a worker with its default score.
type suited struct {
	Name    string
	Labels  []string
	Lacks   string // why it may not run the item; "": it may
	Score   string
	Slots   int
	Running *int // nil: not known
	Holds   *int

	score float64
}

// mostSuited is how many workers the page of an item lists.
const mostSuited = 20

// matchOf compares the labels and selectors of an item with those of the live workers. The score is
// the default one: queues and pipelines may have another.
func matchOf(it *item, p *itemPipeline, why *reason, workers []worker, now time.Time) *match {
	m := &match{}
	profile := workqueue.Profile{Selectors: p.Selectors, SelectorsReplace: p.SelectorsReplace}
	own, err := matching.ParseLabels(stored(it.Labels))
	if err != nil {
		m.Faults = append(m.Faults, "labels "+string(it.Labels))
	}
	asked, err := matching.ParseSelectors(stored(it.Selectors))
	if err != nil {
		m.Faults = append(m.Faults, "selectors "+string(it.Selectors))
	}
	labels, selectors := own.Or(p.Labels), profile.CombinedSelectors(asked)
	active := matching.Active(selectors, now.Sub(it.AvailableAt))
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		label := itemLabel{Text: name + " = " + labels[name].Plain()}
		if _, ok := own[name]; ok {
			label.Link = address("/items", "label", name+"="+labels[name].Plain())
		}
		m.Labels = append(m.Labels, label)
	}
	for _, s := range selectors {
		m.Selectors = append(m.Selectors, s.String())
	}
	for i := range workers {
		w := &workers[i]
		if w.Gone || w.State != "active" {
			continue
		}
		m.Workers = append(m.Workers, suits(w, it.QueueName, labels, active, why))
	}
	slices.SortStableFunc(m.Workers, func(a, b suited) int {
		if (a.Lacks == "") != (b.Lacks == "") {
			if a.Lacks == "" {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.score, a.score)
	})
	if n := len(m.Workers); n > mostSuited {
		m.Workers, m.More = m.Workers[:mostSuited], n-mostSuited
	}
	return m
}

func suits(w *worker, queue string, labels matching.Labels, selectors []matching.Selector, why *reason) suited {
	has, err := matching.DecodeLabels(w.Labels)
	if err != nil {
		has = nil
	}
	all := matching.WorkerLabels(w.ID, w.Name, has)
	s := suited{Name: w.Name, Labels: labelTexts(has), Slots: w.Capacity, score: matching.Score(labels, selectors, all)}
	if len(labels)+len(selectors) > 0 {
		s.Score = strconv.FormatFloat(s.score, 'f', 2, 64)
	}
	if missing := matching.Missing(selectors, all); len(missing) > 0 {
		s.Lacks = matching.MissingText(missing, all)
	}
	if len(w.Queues) > 0 && !slices.Contains(w.Queues, queue) {
		s.Lacks = "does not serve the queue " + queue
	}
	for _, one := range why.Workers {
		if one.Name == w.Name {
			s.Lacks, s.Slots, s.Running, s.Holds = cmp.Or(one.Lacks, s.Lacks), one.Slots, &one.Running, &one.Holds
		}
	}
	return s
}

// stored returns the text of a JSON column; "" for none.
func stored(text json.RawMessage) string {
	if string(text) == "null" {
		return ""
	}
	return string(text)
}

func labelTexts(labels matching.Labels) []string {
	var texts []string
	for name, value := range labels {
		texts = append(texts, name+" = "+value.Plain())
	}
	slices.Sort(texts)
	return texts
}
