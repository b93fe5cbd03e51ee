package dashboard

import (
	"net/http"
	"time"
)

// carried returns the values of an item that the form has no field for, as a new item has them.
func (it *item) carried() map[string]any {
	values := map[string]any{}
	if key := deref(it.LimitKey); key != "" {
		values["limitKey"] = key
	}
	for name, ms := range map[string]*int64{"estimatedDuration": it.OwnEstimateMs, "retain": it.RetainMs} {
		if ms != nil {
			values[name] = (time.Duration(*ms) * time.Millisecond).String()
		}
	}
	return values
}

// carriedNames lists what carried returns, in words.
func (it *item) carriedNames() []string {
	values := it.carried()
	var names []string
	for _, one := range []struct{ name, words string }{
		{"limitKey", "limit key"}, {"estimatedDuration", "estimated duration"}, {"retain", "retention"},
	} {
		if _, ok := values[one.name]; ok {
			names = append(names, one.words)
		}
	}
	return names
}

// dropPassed leaves out the times of an item that have passed, as the action Clone does, and a deadline that is
// only the time to finish by.
func (v *itemForm) dropPassed(now time.Time) {
	if v.of.FinishBy != nil && !v.of.FinishBy.After(now) {
		v.FinishBy = ""
	}
	if at := v.of.DeadlineAt; at != nil && (!at.After(now) || v.of.FinishBy != nil && at.Equal(*v.of.FinishBy)) {
		v.Deadline = ""
	}
}

// storeCopy copies an item as it is, with another key if one was entered.
func (d *Dashboard) storeCopy(r *http.Request, v *itemForm) (*redirect, error) {
	body := map[string]any{"reason": v.Reason}
	if v.Key != "" && v.Key != deref(v.of.NaturalKey) {
		body["newKey"] = v.Key
	}
	var made struct {
		ID int64 `json:"id"`
	}
	if _, err := d.ask(r, http.MethodPost, "/items/"+segment(v.From)+"/clone", nil, body, &made); err != nil {
		return nil, err
	}
	return &redirect{"/items/" + itoa(made.ID), &notice{Text: "A copy of item " + v.From + " was enqueued"}}, nil
}
