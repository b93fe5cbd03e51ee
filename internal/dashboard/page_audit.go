package dashboard

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"botwork/workqueue"
)

// auditPage is a list of the audit log, and the form of its filter.
type auditPage struct {
	Actor, Action, Since, Until string
	Kind, Name                  string // of the target
	Actions, Kinds              []string

	Entries []auditEntry
	More    string
	Refused string // why the filter is none; "": it is one
}

// Filtered reports whether the list is not that of all entries.
func (v *auditPage) Filtered() bool {
	return v.Actor+v.Action+v.Since+v.Until+v.Kind+v.Name != ""
}

// auditEntry is an entry with the page of what was changed; "": it has none.
type auditEntry struct {
	entry
	Link string
}

// auditOf reads the filter in the address of a page. item and target are other forms of kind and name.
func auditOf(q url.Values) *auditPage {
	v := &auditPage{Actor: q.Get("actor"), Action: q.Get("action"), Since: q.Get("since"), Until: q.Get("until"), Kind: q.Get("kind"), Name: strings.TrimSpace(q.Get("name"))}
	if target := q.Get("target"); target != "" && v.Kind == "" {
		v.Kind, v.Name, _ = strings.Cut(target, ":")
	}
	if id := q.Get("item"); id != "" && v.Kind == "" {
		v.Kind, v.Name = workqueue.TargetItem, id
	}
	v.Kinds = workqueue.AuditTargets()
	for _, action := range workqueue.AuditActions() {
		if noun, _, _ := strings.Cut(action, "."); !slices.Contains(v.Actions, noun) {
			v.Actions = append(v.Actions, noun)
		}
		v.Actions = append(v.Actions, action)
	}
	slices.Sort(v.Actions)
	return v
}

func (d *Dashboard) listAudit(r *http.Request, p *page) (string, error) {
	p.Title, p.Section = "Audit", "audit"
	q := r.URL.Query()
	v := auditOf(q)
	p.Data = v
	target := v.Kind
	if v.Name != "" {
		target += ":" + v.Name
	}
	if strings.HasPrefix(target, ":") {
		v.Refused = "a name needs the kind of its target"
		return "audit", nil
	}
	var got list[entry]
	query := values("limit", "50", "actor", v.Actor, "action", v.Action, "target", target, "since", v.Since, "until", v.Until, "before", q.Get("before"))
	_, err := d.ask(r, http.MethodGet, "/audit", query, nil, &got)
	if refused, ok := errors.AsType[*problem](err); ok && refused.Status == http.StatusUnprocessableEntity {
		v.Refused = refused.Error()
		return "audit", nil
	}
	if err != nil {
		return "", err
	}
	for _, one := range got.Items {
		v.Entries = append(v.Entries, auditEntry{one, one.link(p.Caller)})
	}
	v.More = nextPage(r, got.Next)
	return "audit", nil
}

// link returns the page of what was changed; "" if the person has none.
func (e *entry) link(c caller) string {
	switch {
	case e.Target == "":
		return ""
	case e.TargetKind == workqueue.TargetItem:
		return "/items/" + segment(e.Target)
	case e.TargetKind == workqueue.TargetQueue:
		return "/queues/" + segment(e.Target)
	case e.TargetKind == workqueue.TargetPipeline:
		return "/pipelines/" + segment(e.Target)
	case e.TargetKind == workqueue.TargetWorker:
		return "/workers/" + segment(e.Target)
	case e.TargetKind == workqueue.TargetTask:
		return address("/items", "task", e.Target)
	case e.TargetKind == workqueue.TargetNotification:
		return "/notifications"
	case e.TargetKind == workqueue.TargetUser && c.May("admin"):
		return "/access/users"
	case e.TargetKind == workqueue.TargetToken && c.May("admin"):
		return "/access"
	}
	return ""
}

// auditedPage is an entry with the values before and after.
type auditedPage struct {
	auditEntry
	Values []valueChange
	Items  []auditedItem
	More   string
}

type auditedItem struct {
	ItemID int64           `json:"itemId"`
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
	Values []valueChange   `json:"-"`
}

func (d *Dashboard) showAudit(r *http.Request, p *page) (string, error) {
	id := r.PathValue("entry")
	p.Title, p.Section = "Audit entry "+id, "audit"
	var got struct {
		entry
		Items []auditedItem `json:"items"`
		Next  *string       `json:"next"`
	}
	if _, err := d.ask(r, http.MethodGet, "/audit/"+segment(id), values("after", r.URL.Query().Get("after")), nil, &got); err != nil {
		return "", err
	}
	for i := range got.Items {
		got.Items[i].Values = changedValues(got.Items[i].Before, got.Items[i].After)
	}
	p.Data = auditedPage{auditEntry{got.entry, got.link(p.Caller)}, changedValues(got.Before, got.After), got.Items, nextPage(r, got.Next)}
	return "audited", nil
}

// changedValues lists the values that differ, whole, also if there were none before or are none after.
func changedValues(before, after json.RawMessage) []valueChange {
	old, isOld := fieldsOf(before)
	now, isNow := fieldsOf(after)
	if !isOld || !isNow {
		return []valueChange{{"value", wholeValue(before), wholeValue(after)}}
	}
	var changes []valueChange
	for name := range now {
		if string(old[name]) != string(now[name]) {
			changes = append(changes, valueChange{name, wholeValue(old[name]), wholeValue(now[name])})
		}
	}
	for name := range old {
		if _, ok := now[name]; !ok {
			changes = append(changes, valueChange{name, wholeValue(old[name]), "none"})
		}
	}
	slices.SortStableFunc(changes, func(a, b valueChange) int { return strings.Compare(a.Name, b.Name) })
	return changes
}

// fieldsOf returns the fields of an object; nothing has none.
func fieldsOf(text json.RawMessage) (fields map[string]json.RawMessage, ok bool) {
	return fields, len(text) == 0 || json.Unmarshal(text, &fields) == nil
}

func wholeValue(text json.RawMessage) string {
	var plain string
	switch {
	case len(text) == 0 || string(text) == "null":
		return "none"
	case json.Unmarshal(text, &plain) == nil:
		return plain
	}
	return pretty(text)
}
