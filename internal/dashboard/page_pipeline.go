package dashboard

import (
	"fmt"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"botwork/internal/api/events"
	"botwork/workqueue"
	"botwork/workqueue/report"
)

// source is the text of a pipeline.
type source struct {
	File string `json:"file"`
	Hash string `json:"hash"`
	Text string `json:"text"`
}

// Short is the beginning of the hash.
func (s source) Short() string { return shortHash(s.Hash) }

// mostVersions is how many versions a page lists unless it is asked for all; allVersions is how many it lists then.
const mostVersions, allVersions = 10, 500

// version is a text of a pipeline that workers have loaded.
type version struct {
	Hash     string    `json:"hash"`
	LoadedAt time.Time `json:"loadedAt"`
	UsedAt   time.Time `json:"usedAt"`
	Present  bool      `json:"present"`
}

// Short is the beginning of the hash.
func (v version) Short() string { return shortHash(v.Hash) }

// shortHash returns the beginning of a hash, as other places show it.
func shortHash(hash string) string { return hash[:min(len(hash), 8)] }

// coming is a planned start of a pipeline.
type coming struct {
	At       time.Time `json:"at"`
	LocalAt  time.Time `json:"localAt"`
	Timezone string    `json:"timezone"`
	Paused   bool      `json:"paused"`

	Clocks string // how the clocks of the zone have changed since the start before; "" if they have not
}

// withClocks notes at which of the starts the clocks of the zone have changed since the start before,
// or for the first one since now.
func withClocks(all []coming, now time.Time) []coming {
	if len(all) == 0 {
		return all
	}
	zone, err := time.LoadLocation(all[0].Timezone)
	known := err == nil && zone != time.Local // which may be another zone here than on the server that planned the start
	_, before := now.In(zone).Zone()
	for i := range all {
		_, offset := all[i].LocalAt.Zone()
		if offset != before && (known || i > 0) {
			all[i].Clocks = fmt.Sprintf("clocks go %s by %s before", map[bool]string{true: "forward", false: "back"}[offset > before], span(time.Duration(offset-before)*time.Second))
		}
		before = offset
	}
	return all
}

// stepFailures counts the items of a step that failed.
type stepFailures struct {
	Step  string
	Items int
	Share float64 // of the step with the most
	Text  string  // of the most frequent failure
}

type pipelinePage struct {
	Pipeline pipeline
	Broken   *problem // the file has errors, so only its name and its text are known
	Editing  editing
	Source   source
	Lines    []codeLine
	Loose    []finding // about no line of the text
	Findings int
	Runs     []run
	Next     []coming
	Counts   []statusCount
	Recent   *figures // nil: no figures
	Ended    *chart
	Steps    []stepFailures
	Times    *timesOfSteps // nil: not known
	Versions []version
	More     bool // there are older versions
	Diff     *difference

	Version      *source // the text of an earlier version; nil: it is not shown
	VersionLines []codeLine
}

// difference is what has changed since a version.
type difference struct {
	Since *version `json:"since"`
	Diff  string   `json:"diff"`

	Lines []diffLine
}

type diffLine struct{ Class, Text string }

// diffLines divides a unified diff.
func diffLines(text string) (lines []diffLine) {
	for line := range strings.Lines(text) {
		class := ""
		switch line[0] {
		case '+':
			class = "added"
		case '-':
			class = "removed"
		case '@':
			class = "place"
		}
		lines = append(lines, diffLine{class, strings.TrimRight(line, "\r\n")})
	}
	return lines
}

func (d *Dashboard) showPipeline(r *http.Request, p *page) (string, error) {
	name := r.PathValue("pipeline")
	p.Title, p.Section, p.Live = "Pipeline "+name, "pipelines", "runs"
	v := pipelinePage{Pipeline: pipeline{Name: name}}
	var runs list[run]
	var next list[coming]
	var versions list[version]
	var series workqueue.Series
	var failed report.Report
	var project struct {
		Findings []finding `json:"findings"`
	}
	at := "/pipelines/" + segment(name)
	ask := d.asking(r)
	paced := ask.paced(p.Caller) // the news of items are many
	paced.unlessConflict(at, nil, &v.Pipeline, &v.Broken)
	paced.optional(at+"/text", nil, &v.Source)
	paced.optional("/pipelines", nil, &project)
	paced.optional("/runs", values("pipeline", name, "limit", "10"), &runs)
	paced.refusable("/schedules/next", values("pipeline", name, "count", "10"), &next)
	most := mostVersions
	if r.URL.Query().Get("versions") == "all" {
		most = allVersions
	}
	paced.optional(at+"/versions", values("limit", strconv.Itoa(min(most+1, allVersions))), &versions)
	if p.Caller.May("editor") && p.Caller.Everywhere() {
		ask.optional("/project/editing", nil, &v.Editing)
	}
	if since := r.URL.Query().Get("since"); since != "" {
		v.Diff = &difference{}
		ask.get(at+"/diff", values("from", since), v.Diff)
	}
	if hash := r.URL.Query().Get("version"); hash != "" {
		v.Version = &source{}
		ask.get(at+"/text", values("hash", hash), v.Version)
	}
	if queue, ok := p.Caller.scope(); ok {
		ask.slow(p.Caller).optional("/stats", values("by", "hour", "since", "24h", "pipeline", name, "queue", queue), &series)
	}
	if p.Caller.Everywhere() {
		ask.shared(p.Caller).until(events.Failures, events.RunFailures).optional("/report", values("since", "24h", "pipeline", name), &failed)
	}
	if err := ask.wait(); err != nil {
		return "", err
	}
	var err error
	if v.Times, err = d.stepTimes(r, p.Caller, &v.Pipeline); err != nil {
		return "", err
	}
	if v.Pipeline.Trigger == nil {
		p.Live = "items,runs"
	}
	if v.Diff != nil {
		v.Diff.Lines = diffLines(v.Diff.Diff)
	}
	v.Runs, v.Next, v.Versions = runs.Items, withClocks(next.Items, time.Now()), versions.Items
	if v.More = len(v.Versions) > most; v.More {
		v.Versions = v.Versions[:most]
	}
	if v.Version != nil {
		v.VersionLines = yamlLines(v.Version.Text, nil)
	}
	found := slices.DeleteFunc(project.Findings, func(f finding) bool { return f.File != v.Source.File })
	v.Lines, v.Findings = yamlLines(v.Source.Text, found), len(found)
	v.Loose = slices.DeleteFunc(slices.Clone(found), func(f finding) bool { return f.Line >= 1 && f.Line <= len(v.Lines) })
	if len(series.Points) > 0 {
		v.Recent = figuresOf(&series)[""]
		v.Ended = endedChart(&series)
	}
	v.Steps = failuresBySteps(failed.Failures)
	for _, status := range []string{"pending", "running", "retry", "succeeded", "failed"} {
		v.Counts = append(v.Counts, statusCount{Status: status, Link: address("/items", "pipeline", name, "status", status)})
	}
	p.Data = v
	return "pipeline", nil
}

// failuresBySteps adds up groups of failures by the step that failed, those with the most items first.
func failuresBySteps(groups []report.Group) (steps []stepFailures) {
	most := map[string]int{}
	for i := range groups {
		g := &groups[i]
		at := slices.IndexFunc(steps, func(s stepFailures) bool { return s.Step == g.Step })
		if at < 0 {
			at, steps = len(steps), append(steps, stepFailures{Step: g.Step})
		}
		steps[at].Items += g.Items
		if g.Items > most[g.Step] {
			most[g.Step], steps[at].Text = g.Items, g.Message
		}
	}
	sort.SliceStable(steps, func(i, k int) bool { return steps[i].Items > steps[k].Items })
	for i := range steps {
		steps[i].Share = float64(steps[i].Items) / float64(max(steps[0].Items, 1))
	}
	return steps
}

func (d *Dashboard) changePipeline(r *http.Request) (done, back string, err error) {
	name, action := r.PathValue("pipeline"), r.PathValue("action")
	back = "/pipelines/" + segment(name)
	texts := map[string]string{"run": "A run of " + name + " was requested", "pause": "Pipeline " + name + " is paused on all workers", "resume": "Pipeline " + name + " runs again"}
	if texts[action] == "" {
		return "", back, &problem{Status: http.StatusNotFound, Detail: "there is no such action of a pipeline"}
	}
	_, err = d.ask(r, http.MethodPost, "/pipelines/"+segment(name)+"/"+action, nil, reasonOf(r), nil)
	return texts[action], back, err
}
