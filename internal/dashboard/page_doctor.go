package dashboard

import (
	"net/http"
	"slices"
	"time"

	"botwork/internal/doctor"
)

type doctorPage struct {
	Made   bool // the checks were made
	Took   time.Duration
	Report doctor.Report
}

// showDoctor offers the examination. It is made when a person asks, since it takes a while.
func (d *Dashboard) showDoctor(_ *http.Request, p *page) (string, error) {
	p.Title, p.Section, p.Data = "Doctor", "doctor", doctorPage{}
	return "doctor", adminsOnly(p.Caller)
}

func (d *Dashboard) examine(r *http.Request, p *page) (string, error) {
	v := doctorPage{Made: true}
	p.Title, p.Section = "Doctor", "doctor"
	begun := time.Now()
	if _, err := d.ask(r, http.MethodPost, "/doctor", nil, nil, &v.Report); err != nil {
		return "", err
	}
	v.Took = time.Since(begun)
	order := []doctor.State{doctor.Fault, doctor.Warning, doctor.Skipped, doctor.OK}
	slices.SortStableFunc(v.Report.Results, func(a, b doctor.Result) int { return slices.Index(order, a.State) - slices.Index(order, b.State) })
	p.Data = v
	return "doctor", nil
}

// adminsOnly refuses other people a page that asks the API for nothing yet, as the API would.
func adminsOnly(c caller) error {
	if c.May("admin") && c.Everywhere() {
		return nil
	}
	return &problem{Status: http.StatusForbidden, Detail: "this page is for administrators who are not bound to queues"}
}
