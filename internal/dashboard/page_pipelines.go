package dashboard

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"botwork/workqueue"
)

type step struct {
	Name    string         `json:"name"`
	Path    string         `json:"path"` // with the names of the blocks around it
	Kind    string         `json:"kind"`
	Handler string         `json:"handler"`
	Foreach string         `json:"foreach"`
	If      string         `json:"if"`
	Timeout string         `json:"timeout"`
	OnError string         `json:"onError"`
	With    map[string]any `json:"with"`
}

// within reports whether a step is one of the steps of another, at any depth.
func (s *step) within(other *step) bool { return workqueue.PathIn(s.Path, other.Path) }

// Nested reports whether the step is inside of a block, or of a pipeline that a step calls.
func (s *step) Nested() bool { return nested(s.Path) }

// nested reports whether the step is inside of a block, or of a pipeline that a step calls.
func nested(path string) bool { return workqueue.PathAround(path) != "" }

// pipeline is a pipeline as the pages show it.
type pipeline struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	File        string          `json:"file"`
	Hash        string          `json:"hash"`
	RunHash     string          `json:"runHash"` // "": it is Hash
	Trigger     map[string]any  `json:"trigger"`
	Starts      string          `json:"starts"` // what starts it, in words
	Input       json.RawMessage `json:"input"`
	Estimated   string          `json:"estimatedDuration"`
	Resume      bool            `json:"resume"`
	Steps       []step          `json:"steps"`

	Paused *struct {
		Reason string `json:"reason"`
	} `json:"paused"`
	Mistakes int `json:"mistakes"`

	// Of a system pipeline in the last 24 hours: how long the latest runs that succeeded took, and what
	// failed, was interrupted or did not take place.
	Mean, P95    time.Duration
	Took         []float64 // milliseconds of each, the earliest first
	Failures     int64
	MoreFailures bool // there are more

	Last   *run
	Next   *nextRun
	Recent *figures
}

// runHash is the hash that runs of the present text record.
func (p *pipeline) runHash() string { return cmp.Or(p.RunHash, p.Hash) }

// figures are those of the items of a pipeline in the last 24 hours.
type figures struct {
	Ended, Failed int64
	Run           *workqueue.SeriesTimes // of the runs that succeeded; nil: none
	Started       []float64              // by hour
	Latest        *latestEnds            // nil: nothing ended
}

// latestEnds are the ends of runs in the latest hour that has some.
type latestEnds struct {
	Hour          time.Time
	Ended, Failed int64
}

// Share is the part of the ends of runs that failed.
func (f *figures) Share() float64 { return float64(f.Failed) / float64(max(f.Ended, 1)) }

// figuresOf returns those of each pipeline of a series.
func figuresOf(s *workqueue.Series) map[string]*figures {
	all := map[string]*figures{}
	for i := range s.Totals {
		total := &s.Totals[i]
		all[total.Group] = &figures{Ended: total.Succeeded + total.Failed, Failed: total.Failed, Run: total.Run}
	}
	for i := range s.Points {
		point := &s.Points[i]
		one := all[point.Group]
		if one == nil {
			continue
		}
		one.Started = append(one.Started, float64(point.Started))
		if ended := point.Succeeded + point.Failed; ended > 0 {
			one.Latest = &latestEnds{Hour: point.Start, Ended: ended, Failed: point.Failed}
		}
	}
	return all
}

// addRuns sets what the latest runs say.
func (p *pipeline) addRuns(latest []run) {
	if len(latest) == 0 {
		return
	}
	p.Last = &latest[0]
	var took []int64
	for _, n := range slices.Backward(latest) {
		if n.Outcome == "succeeded" && n.TookMs != nil {
			took = append(took, *n.TookMs)
			p.Took = append(p.Took, float64(*n.TookMs))
		}
	}
	if len(took) == 0 {
		return
	}
	sum := int64(0)
	for _, ms := range took {
		sum += ms
	}
	slices.Sort(took)
	p.Mean = time.Duration(sum/int64(len(took))) * time.Millisecond
	p.P95 = time.Duration(took[(95*len(took)+99)/100-1]) * time.Millisecond // the nearest rank
}

type pipelinesPage struct {
	System, Items []pipeline
	Broken        []pipeline // of files with errors, of which only the name is known
	Editing       editing
	Refused       bool // a person who is bound to queues may not see pipelines
}

func (d *Dashboard) listPipelines(r *http.Request, p *page) (string, error) {
	p.Title, p.Section, p.Live = "Pipelines", "pipelines", "items,runs"
	var all list[pipeline]
	var failed list[run]
	var next list[nextRun]
	var series workqueue.Series
	ask := d.asking(r)
	ask.paced(p.Caller).optional("/pipelines", nil, &all) // a server without a project has none
	ask.paced(p.Caller).optional("/runs", values("failed", "true", "since", "24h", "limit", "500"), &failed)
	ask.paced(p.Caller).optional("/schedules/next", values("count", "1"), &next)
	v := pipelinesPage{Refused: !p.Caller.Everywhere()}
	if queue, ok := p.Caller.scope(); ok {
		ask.slow(p.Caller).optional("/stats", values("by", "hour", "since", "24h", "group", "pipeline", "queue", queue), &series)
	}
	if p.Caller.May("editor") && p.Caller.Everywhere() {
		ask.optional("/project/editing", nil, &v.Editing)
	}
	if err := ask.wait(); err != nil {
		return "", err
	}
	// A pipeline that runs each minute must not hide the last run of the others.
	latest := make([]list[run], len(all.Items))
	ask = d.asking(r)
	for i := range all.Items {
		if all.Items[i].Trigger != nil {
			ask.paced(p.Caller).optional("/runs", values("pipeline", all.Items[i].Name, "since", "24h", "limit", "50"), &latest[i])
		}
	}
	if err := ask.wait(); err != nil {
		return "", err
	}
	// One that runs each week or month may have run before that.
	ever := make([]list[run], len(all.Items))
	ask = d.asking(r)
	for i := range all.Items {
		if all.Items[i].Trigger != nil && len(latest[i].Items) == 0 {
			ask.paced(p.Caller).optional("/runs", values("pipeline", all.Items[i].Name, "limit", "1"), &ever[i])
		}
	}
	if err := ask.wait(); err != nil {
		return "", err
	}
	byPipeline := figuresOf(&series)
	for i, one := range all.Items {
		one.Recent = byPipeline[one.Name]
		one.addRuns(latest[i].Items)
		if len(ever[i].Items) > 0 {
			one.Last = &ever[i].Items[0]
		}
		for _, n := range failed.Items {
			if n.Pipeline == one.Name {
				one.Failures++
			}
		}
		one.MoreFailures = failed.Next != nil
		if i := slices.IndexFunc(next.Items, func(n nextRun) bool { return n.Pipeline == one.Name }); i >= 0 {
			one.Next = &next.Items[i]
		}
		switch {
		case one.Mistakes > 0:
			v.Broken = append(v.Broken, one)
		case one.Trigger != nil:
			v.System = append(v.System, one)
		default:
			v.Items = append(v.Items, one)
		}
	}
	p.Data = v
	return "pipelines", nil
}
