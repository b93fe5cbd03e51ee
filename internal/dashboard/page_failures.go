package dashboard

import (
	"net/http"

	"botwork/internal/api/events"
	"botwork/workqueue/report"
)

type failuresPage struct {
	Range    string
	Ranges   []string
	Pipeline string // only its failures; "": all
	Report   report.Report
	Groups   []failureGroup
}

func (d *Dashboard) listFailures(r *http.Request, p *page) (string, error) {
	p.Title, p.Section, p.Live = "Failures", "failures", "items,runs"
	v := failuresPage{Range: rangeOf(r, "24h"), Ranges: ranges, Pipeline: r.URL.Query().Get("pipeline")}
	if err := d.asking(r).shared(p.Caller).until(events.Failures, events.RunFailures).now("/report", values("since", v.Range, "pipeline", v.Pipeline), &v.Report); err != nil {
		return "", err
	}
	v.Groups = groupsOf(&v.Report)
	p.Data = v
	return "failures", nil
}
