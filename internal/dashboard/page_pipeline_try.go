package dashboard

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

// dryRun is what a run of a pipeline would do.
type dryRun struct {
	Outcome   string `json:"outcome"`
	Step      string `json:"step"`
	Error     string `json:"error"`
	ErrorKind string `json:"errorKind"`
	Steps     []struct {
		Path    string         `json:"path"`
		Summary string         `json:"summary"`
		Action  string         `json:"action"`
		Reason  string         `json:"reason"`
		Unless  []string       `json:"unless"`
		If      string         `json:"if"`
		Gives   string         `json:"gives"`
		With    map[string]any `json:"with"`
	} `json:"steps"`
}

type dryRunPage struct {
	Pipeline string
	Payload  string
	Refused  *problem
	Result   *dryRun
}

// showDryRun shows the form of a dry run.
func (d *Dashboard) showDryRun(r *http.Request, p *page) (string, error) {
	name := r.PathValue("pipeline")
	p.Title, p.Section = "Dry run of "+name, "pipelines"
	if err := p.Caller.needs("operator", "try pipelines"); err != nil {
		return "", err
	}
	var one pipeline
	if _, err := d.ask(r, http.MethodGet, "/pipelines/"+segment(name), nil, nil, &one); err != nil {
		return "", err
	}
	p.Data = dryRunPage{Pipeline: one.Name, Payload: "{}"}
	return "dryrun", nil
}

// tryPipeline makes a dry run. It calls no handler, so its answer is a page of its own, which a reload
// makes again.
func (d *Dashboard) tryPipeline(r *http.Request, p *page) (string, error) {
	name := r.PathValue("pipeline")
	p.Title, p.Section = "Dry run of "+name, "pipelines"
	v := dryRunPage{Pipeline: name, Payload: r.PostForm.Get("payload")}
	payload := strings.TrimSpace(v.Payload)
	body := map[string]any{}
	switch {
	case payload != "" && !json.Valid([]byte(payload)):
		v.Refused = &problem{Status: http.StatusUnprocessableEntity, Detail: "the payload is not JSON", Hint: wrongJSON(payload)}
		p.Data = v
		return "dryrun", nil
	case payload != "":
		body["payload"] = json.RawMessage(payload)
	}
	result := &dryRun{}
	_, err := d.ask(r, http.MethodPost, "/pipelines/"+segment(name)+"/dry-run", nil, body, result)
	if refused, ok := errors.AsType[*problem](err); ok && refused.Status == http.StatusUnprocessableEntity {
		v.Refused = refused // with the payload that the person has entered, so that they can correct it
	} else if err != nil {
		return "", err
	} else {
		v.Result = result
	}
	p.Data = v
	return "dryrun", nil
}
