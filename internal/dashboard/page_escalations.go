package dashboard

import (
	"net/http"
	"time"

	"botwork/workqueue"
)

// escalationList are the rules of escalation with their figures.
type escalationList struct {
	At       time.Time        `json:"at"`
	Rules    []escalationRule `json:"rules"`
	Mistakes []string         `json:"mistakes"`
}

type escalationRule struct {
	Scope       string     `json:"scope"`
	Owner       string     `json:"owner"`
	Name        string     `json:"name"`
	When        string     `json:"when"`
	Does        string     `json:"does"`
	Paused      bool       `json:"paused"`
	Holds       bool       `json:"holds"`
	Announces   bool       `json:"announces"`
	Now         int        `json:"now"`
	ActiveSince *time.Time `json:"activeSince"`
	ActedAt     *time.Time `json:"actedAt"`
	Items       int64      `json:"items"`
}

// Link is the page of the queue or pipeline.
func (e escalationRule) Link() string {
	if e.Scope == string(workqueue.EscalatePipeline) {
		return "/pipelines/" + segment(e.Owner)
	}
	return "/queues/" + segment(e.Owner)
}

// listEscalations is not live: the figures cost the server a read of all waiting items.
func (d *Dashboard) listEscalations(r *http.Request, p *page) (string, error) {
	p.Title, p.Section = "Escalations", "notifications"
	var v escalationList
	if _, err := d.ask(r, http.MethodGet, "/escalations", nil, nil, &v); err != nil {
		return "", err
	}
	p.Data = v
	return "escalations", nil
}
