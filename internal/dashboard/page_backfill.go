package dashboard

import (
	"errors"
	"net/http"
	"time"
)

// backfillTime is a planned time of a range, and whether a backfill runs it.
type backfillTime struct {
	PlannedAt time.Time `json:"plannedAt"`
	Runs      bool      `json:"runs"`
	Reason    string    `json:"reason"`
}

type backfillPage struct {
	Pipeline string
	From, To string
	Refused  *problem
	Asked    bool // the times below are those of the range
	Times    []backfillTime
	Runs     int
}

// Range is the range of the times that are shown. The person may have asked for "yesterday" to "now", which
// is another range when they confirm.
func (v *backfillPage) Range() (of struct{ From, To string }) {
	if len(v.Times) > 0 {
		of.From = instant(v.Times[0].PlannedAt)
		of.To = instant(v.Times[len(v.Times)-1].PlannedAt.Add(time.Millisecond))
	}
	return of
}

// showBackfill shows the planned times of a range that did not run. It changes nothing.
func (d *Dashboard) showBackfill(r *http.Request, p *page) (string, error) {
	name := r.PathValue("pipeline")
	p.Title, p.Section = "Backfill "+name, "schedules"
	if err := p.Caller.needs("operator", "run pipelines"); err != nil {
		return "", err
	}
	q := r.URL.Query()
	v := backfillPage{Pipeline: name, From: q.Get("from"), To: q.Get("to")}
	if v.From != "" && v.To != "" {
		var times list[backfillTime]
		_, err := d.ask(r, http.MethodPost, "/pipelines/"+segment(name)+"/backfill", nil, map[string]any{"from": v.From, "to": v.To, "dryRun": true}, &times)
		if refused, ok := errors.AsType[*problem](err); ok && refused.Status == http.StatusUnprocessableEntity {
			v.Refused = refused
		} else if err != nil {
			return "", err
		}
		v.Asked, v.Times = err == nil, times.Items
		for _, t := range v.Times {
			if t.Runs {
				v.Runs++
			}
		}
	} else if v.From == "" && v.To == "" {
		v.From, v.To = "yesterday", "now"
	}
	p.Data = &v
	return "backfill", nil
}

// backfill asks the workers to run the times that the person has seen.
func (d *Dashboard) backfill(r *http.Request) (done, back string, err error) {
	name, from, to := r.PathValue("pipeline"), r.PostForm.Get("from"), r.PostForm.Get("to")
	back = "/pipelines/" + segment(name) + "/backfill?" + values("from", from, "to", to).Encode()
	var times list[backfillTime]
	_, err = d.ask(r, http.MethodPost, "/pipelines/"+segment(name)+"/backfill", nil, map[string]any{
		"from": from, "to": to, "confirm": true, "reason": r.PostForm.Get("reason"),
	}, &times)
	runs := int64(0)
	for _, t := range times.Items {
		if t.Runs {
			runs++
		}
	}
	return plural(runs, "run was requested", "runs were requested"), back, err
}
