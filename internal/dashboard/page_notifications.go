package dashboard

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"botwork/workqueue"
)

// notifications are the rules and targets of the settings with their alerts.
type notifications struct {
	EvaluatedAt *time.Time         `json:"evaluatedAt"`
	EvaluatedBy string             `json:"evaluatedBy"`
	Late        bool               `json:"late"`
	Rules       []notificationRule `json:"rules"`
	Targets     []target           `json:"targets"`
	Messages    struct {
		Waiting int64 `json:"waiting"`
		Failed  int64 `json:"failed"`
	} `json:"messages"`
}

type target struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

type notificationRule struct {
	Name       string          `json:"name"`
	Event      string          `json:"event"`
	Targets    []string        `json:"targets"`
	GroupBy    []string        `json:"groupBy"`
	Urgent     bool            `json:"urgent"`
	Quiet      bool            `json:"quiet"`
	State      string          `json:"state"`
	Mute       *workqueue.Mute `json:"mute"`
	LastSentAt *time.Time      `json:"lastSentAt"`
	Alerts     []alert         `json:"alerts"`
}

// alert is one group of a rule.
type alert struct {
	workqueue.Alert

	NextAt *time.Time      `json:"nextAt"`
	Mute   *workqueue.Mute `json:"mute"`
}

// Own returns the mute of this group alone, not that of its rule.
func (a alert) Own() *workqueue.Mute {
	if a.Mute == nil || a.Mute.Group == "" {
		return nil
	}
	return a.Mute
}

type notificationsPage struct {
	notifications

	Firing, Pending, Muted int
	Failed                 string // the list of messages that were given up
	Waiting                string // the list of those that wait
}

func (d *Dashboard) listNotifications(r *http.Request, p *page) (string, error) {
	p.Title, p.Section = "Notifications", "notifications"
	var v notificationsPage
	if _, err := d.ask(r, http.MethodGet, "/notifications", nil, nil, &v.notifications); err != nil {
		return "", err
	}
	for i := range v.Rules {
		if v.Rules[i].Mute != nil {
			v.Muted++
		}
		for _, a := range v.Rules[i].Alerts {
			switch a.Phase {
			case workqueue.AlertFiring:
				v.Firing++
			case workqueue.AlertPending:
				v.Pending++
			case workqueue.AlertOK:
			}
			if a.Own() != nil {
				v.Muted++
			}
		}
	}
	v.Failed = address("/items", "queue", workqueue.NotificationQueue, "status", "cancelled")
	v.Waiting = address("/items", "queue", workqueue.NotificationQueue, "lifecycle", "pending")
	p.Data = v
	return "notifications", nil
}

func (d *Dashboard) changeRule(r *http.Request) (done, back string, err error) {
	rule, action, group := r.PathValue("rule"), r.PathValue("action"), r.PostForm.Get("group")
	back = "/notifications"
	body, what := reasonOf(r), "Rule "+rule
	if group != "" {
		body["group"], what = group, fmt.Sprintf("%s of rule %s", group, rule)
	}
	switch action {
	case "mute":
		body["for"] = r.PostForm.Get("for")
		done = what + " sends nothing for " + r.PostForm.Get("for")
	case "unmute":
		done = what + " sends messages again"
	default:
		return "", back, &problem{Status: http.StatusNotFound, Detail: "there is no such action of a rule"}
	}
	_, err = d.ask(r, http.MethodPost, "/notifications/rules/"+segment(rule)+"/"+action, nil, body, nil)
	return done, back, err
}

func (d *Dashboard) testTarget(r *http.Request) (done, back string, err error) {
	name := r.PathValue("target")
	var got struct {
		Answer string `json:"answer"`
	}
	_, err = d.ask(r, http.MethodPost, "/notifications/targets/"+segment(name)+"/test", nil, nil, &got)
	done = "Target " + name + " has the test message"
	if got.Answer != "" {
		done += ": " + got.Answer
	}
	if refused := (*problem)(nil); errors.As(err, &refused) && refused.Status == http.StatusBadGateway {
		// It is the target that refuses, not this server.
		err = &problem{Status: http.StatusConflict, Detail: refused.Detail, Hint: refused.Hint}
	}
	return done, "/notifications", err
}
