package dashboard

import (
	"net/http"
	"regexp"
	"strings"
	"time"

	"botwork/internal/api/events"
	"botwork/workqueue/report"
)

var placeholder = regexp.MustCompile(`<[a-z]+>`)

// fragment returns the longest part of a group's message that has no placeholder, by which a
// filter finds the items of the group.
func fragment(message string) string {
	longest := ""
	for _, part := range placeholder.Split(message, -1) {
		if part = strings.TrimSpace(strings.Trim(part, "…")); len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

// groupItems returns the address of the items of a group, or of a change of them.
func groupItems(path string, g report.Group) string {
	pipeline := g.Pipeline
	if pipeline == "(inline)" {
		pipeline = ""
	}
	return address(path, "pipeline", pipeline, "errorKind", string(g.Kind), "error", fragment(g.Message), "failedSince", g.First.UTC().Format(time.RFC3339))
}

type failuresPage struct {
	Range    string
	Ranges   []string
	Pipeline string // only its failures; "": all
	Report   report.Report
}

func (d *Dashboard) listFailures(r *http.Request, p *page) (string, error) {
	p.Title, p.Section, p.Live = "Failures", "failures", "items,runs"
	v := failuresPage{Range: rangeOf(r, "24h"), Ranges: ranges, Pipeline: r.URL.Query().Get("pipeline")}
	if err := d.asking(r).shared(p.Caller).until(events.Failures, events.RunFailures).now("/report", values("since", v.Range, "pipeline", v.Pipeline), &v.Report); err != nil {
		return "", err
	}
	p.Data = v
	return "failures", nil
}

type auditPage struct {
	Entries []entry
	More    string
}

func (d *Dashboard) listAudit(r *http.Request, p *page) (string, error) {
	p.Title, p.Section = "Audit", "audit"
	q := r.URL.Query()
	query := q
	query.Set("limit", "50")
	query.Del("done")
	query.Del("refused")
	var got list[entry]
	if _, err := d.ask(r, http.MethodGet, "/audit", query, nil, &got); err != nil {
		return "", err
	}
	p.Data = auditPage{got.Items, nextPage(r, got.Next)}
	return "audit", nil
}
