package dashboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// setting is a setting of a queue that the form can change.
type setting struct {
	Key   string // in botwork.yaml
	Says  string
	field string // of the queue in the API
	kind  settingKind
}

type settingKind int

const (
	textSetting settingKind = iota
	numberSetting
	objectSetting // JSON
)

var settings = []setting{
	{"description", "what the queue is for", "description", textSetting},
	{"consumer", "who takes the items: workers, or robots over the API", "consumer", textSetting},
	{"limits.concurrency", "how many items run at the same time", "concurrencyLimit", numberSetting},
	{"limits.rate", "how many items start in a time, such as 10/1m", "rateLimit", textSetting},
	{"limits.perKey.concurrency", "how many items of one limit key run at the same time", "keyConcurrencyLimit", numberSetting},
	{"limits.perKey.rate", "how many items of one limit key start in a time", "keyRateLimit", textSetting},
	{"priorityOffset", "is added to the priority of new items", "priorityOffset", numberSetting},
	{"maxReleases", "how often a run may be lost before the item is given up", "maxReleases", numberSetting},
	{"ttl", "how long items may wait, such as 7d", "ttl", textSetting},
	{"retain", "how long succeeded items are kept", "retain", textSetting},
	{"archive.maxAge", "how long items without success are kept", "archiveAge", textSetting},
	{"archive.limit", "how many items without success are kept", "archiveLimit", numberSetting},
	{"checkout", "how long a robot may work without a heartbeat", "checkout", textSetting},
	{"retry", "when failed items are tried again, such as {\"limit\": 3, \"delay\": \"30s\"}", "resilienceConfig", objectSetting},
	{"distribution", "how items are given to workers, such as {\"share\": 3}", "distribution", objectSetting},
}

// settingField is a setting in the form.
type settingField struct {
	setting
	Was, Value string
	Fault      string // what the API refuses; "": nothing
}

// Changed reports whether the person has entered another value.
func (f *settingField) Changed() bool { return strings.TrimSpace(f.Value) != f.Was }

// value returns what the API is asked to set. An empty field is the default.
func (f *settingField) value() (any, error) {
	text := strings.TrimSpace(f.Value)
	switch {
	case text == "":
		return nil, nil
	case f.kind == numberSetting:
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, errors.New("want a whole number")
		}
		return n, nil
	case f.kind == objectSetting:
		now, was := map[string]any{}, map[string]any{}
		if json.Unmarshal([]byte(text), &now) != nil {
			return nil, errors.New("want a JSON object")
		}
		if f.Was != "" && json.Unmarshal([]byte(f.Was), &was) != nil {
			return nil, errors.New("the present value cannot be read; use botwork queues set")
		}
		for part := range was { // the API keeps parts that are not named
			if _, named := now[part]; !named {
				now[part] = nil
			}
		}
		return now, nil
	}
	return text, nil
}

type policyPage struct {
	Queue    string
	Revision string
	Reason   string
	Fields   []settingField
	Preview  bool // the changes are shown, and not made yet
	Refused  *problem
	Strands  string // what the change does to waiting items; "": nothing, or it was not asked
}

// Changes are the fields with another value.
func (v *policyPage) Changes() (changed []settingField) {
	for _, f := range v.Fields {
		if f.Changed() {
			changed = append(changed, f)
		}
	}
	return changed
}

// policyOf reads the settings of a queue.
func (d *Dashboard) policyOf(r *http.Request) (*policyPage, error) {
	v := &policyPage{Queue: r.PathValue("queue")}
	var now map[string]json.RawMessage
	if _, err := d.ask(r, http.MethodGet, "/queues/"+segment(v.Queue), nil, nil, &now); err != nil {
		return nil, err
	}
	v.Revision = string(now["revision"])
	for _, s := range settings {
		was := ""
		var text string
		switch raw := now[s.field]; {
		case len(raw) == 0 || string(raw) == "null":
		case json.Unmarshal(raw, &text) == nil:
			was = text
		default:
			was = string(raw)
		}
		v.Fields = append(v.Fields, settingField{setting: s, Was: was, Value: was})
	}
	return v, nil
}

func (d *Dashboard) showPolicy(r *http.Request, p *page) (string, error) {
	p.Title, p.Section = "Policy of "+r.PathValue("queue"), "queues"
	if err := p.Caller.needs("editor", "change queues"); err != nil {
		return "", err
	}
	v, err := d.policyOf(r)
	p.Data = v
	return "policy", err
}

// changePolicy shows what a change would do, and makes it when it is confirmed.
func (d *Dashboard) changePolicy(r *http.Request, p *page) (string, error) {
	p.Title, p.Section = "Policy of "+r.PathValue("queue"), "queues"
	if err := p.Caller.needs("editor", "change queues"); err != nil {
		return "", err
	}
	v, err := d.policyOf(r)
	if err != nil {
		return "", err
	}
	p.Data = v
	v.Reason = r.PostForm.Get("reason")
	wanted, faults := map[string]any{}, false
	for i := range v.Fields {
		f := &v.Fields[i]
		f.Value = r.PostForm.Get(f.Key)
		if !f.Changed() {
			continue
		}
		value, err := f.value()
		if err != nil {
			f.Fault, faults = err.Error(), true
		}
		wanted[f.Key] = value
	}
	if made := r.PostForm.Get("revision"); made != v.Revision {
		v.Refused = &problem{Status: http.StatusPreconditionFailed, Detail: "the queue was changed in the meantime", Hint: "compare the values below with what you want, and try again"}
		return "policy", nil
	}
	confirmed := r.PostForm.Get("confirm") != ""
	if v.Preview = !faults && len(wanted) > 0; !v.Preview || !confirmed {
		return "policy", nil
	}
	with := r.Clone(r.Context())
	with.Header.Set("If-Match", strconv.Quote(v.Revision))
	at := "/queues/" + segment(v.Queue)
	_, err = d.ask(with, http.MethodPatch, at, nil, map[string]any{"settings": wanted, "reason": v.Reason, "confirm": r.PostForm.Get("strands") != ""}, nil)
	refused, ok := errors.AsType[*problem](err)
	if !ok || refused.Status != http.StatusUnprocessableEntity && refused.Status != http.StatusPreconditionFailed {
		if err != nil {
			return "", err
		}
		return "", &redirect{at, &notice{Text: fmt.Sprintf("The policy of %s was changed, until botwork queues define", v.Queue)}}
	}
	if refused.Code == "not-confirmed" {
		v.Strands = refused.Detail
		return "policy", nil
	}
	v.Preview, v.Refused = false, refused
	for _, e := range refused.Errors {
		for i := range v.Fields {
			if key, of := strings.CutPrefix(e.Location, "body.settings."); of && (key == v.Fields[i].Key || strings.HasPrefix(key, v.Fields[i].Key+".")) {
				v.Fields[i].Fault = e.Message
			}
		}
	}
	return "policy", nil
}
