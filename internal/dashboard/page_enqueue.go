package dashboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// itemForm is the form of a new item, or of new values of an item that has not ended.
type itemForm struct {
	ID       string // of the item that is changed; "": the form creates one
	From     string // the item that the values come from
	Pipeline string
	Queue    string
	Priority string
	Payload  string
	Key      string
	In       string // how long to wait
	Version  string // of the item when the form was made; a change of a newer one is refused

	Pipelines []string
	Queues    []string
	Refused   *problem
}

func (d *Dashboard) formChoices(r *http.Request, v *itemForm) error {
	var pipelines list[pipeline]
	var queues list[queue]
	ask := d.asking(r)
	ask.optional("/pipelines", nil, &pipelines)
	ask.get("/queues", nil, &queues)
	if err := ask.wait(); err != nil {
		return err
	}
	for _, one := range pipelines.Items {
		if one.Trigger == nil {
			v.Pipelines = append(v.Pipelines, one.Name)
		}
	}
	for _, one := range queues.Items {
		v.Queues = append(v.Queues, one.Name)
	}
	return nil
}

// showEnqueue shows the form of a new item. With from it has the values of an item.
func (d *Dashboard) showEnqueue(r *http.Request, p *page) (string, error) {
	p.Title, p.Section = "Enqueue an item", "items"
	if err := p.Caller.needs("operator", "enqueue items"); err != nil {
		return "", err
	}
	q := r.URL.Query()
	v := &itemForm{Pipeline: q.Get("pipeline"), Queue: q.Get("queue"), From: q.Get("from"), Priority: "1000", Payload: "{}"}
	if v.From != "" {
		var it item
		if _, err := d.ask(r, http.MethodGet, "/items/"+segment(v.From), nil, nil, &it); err != nil {
			return "", err
		}
		v.Pipeline, v.Queue, v.Priority, v.Payload, v.Key = it.Pipeline, it.QueueName, strconv.Itoa(it.Priority), pretty(it.Payload), deref(it.NaturalKey)
	}
	p.Data = v
	return "itemform", d.formChoices(r, v)
}

// showChange shows the form of an item that has not ended.
func (d *Dashboard) showChange(r *http.Request, p *page) (string, error) {
	id := r.PathValue("id")
	p.Title, p.Section = "Change item "+id, "items"
	if err := p.Caller.needs("operator", "change items"); err != nil {
		return "", err
	}
	var it struct {
		item
		Version int64 `json:"version"`
	}
	if _, err := d.ask(r, http.MethodGet, "/items/"+segment(id), nil, nil, &it); err != nil {
		return "", err
	}
	v := &itemForm{
		ID: id, Pipeline: it.Pipeline, Queue: it.QueueName, Priority: strconv.Itoa(it.Priority), Payload: pretty(it.Payload), Version: strconv.FormatInt(it.Version, 10),
	}
	p.Data = v
	return "itemform", d.formChoices(r, v)
}

// body returns the values that the person has entered. In a change, values that are as they were
// are left out.
func (v *itemForm) body(was *item) (map[string]any, error) {
	body := map[string]any{}
	priority, err := strconv.Atoi(strings.TrimSpace(v.Priority))
	if err != nil {
		return nil, &problem{Status: http.StatusUnprocessableEntity, Detail: fmt.Sprintf("the priority is %.50q, want a whole number such as 1000", v.Priority)}
	}
	if was == nil || priority != was.Priority {
		body["priority"] = priority
	}
	payload := strings.TrimSpace(v.Payload)
	if payload != "" && !json.Valid([]byte(payload)) {
		return nil, &problem{Status: http.StatusUnprocessableEntity, Detail: "the payload is not JSON", Hint: wrongJSON(payload)}
	}
	switch {
	case was == nil && payload != "":
		body["payload"] = json.RawMessage(payload)
	case was != nil && payload == "" && len(was.Payload) > 0 && string(was.Payload) != "null":
		body["payload"] = nil
	case was != nil && payload != "" && payload != pretty(was.Payload):
		body["payload"] = json.RawMessage(payload)
	}
	if v.Queue != "" && (was == nil || v.Queue != was.QueueName) {
		body["queue"] = v.Queue
	}
	if v.In != "" {
		body["in"] = v.In
	}
	if was == nil {
		body["pipeline"] = v.Pipeline
		if v.Key != "" {
			body["key"] = v.Key
		}
	}
	return body, nil
}

// wrongJSON says where a text stops being JSON.
func wrongJSON(text string) string {
	var v any
	err := json.Unmarshal([]byte(text), &v)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return ""
	}
	before := text[:min(int(syntax.Offset), len(text))]
	return fmt.Sprintf("line %d: %v", 1+strings.Count(before, "\n"), syntax)
}

// sendItem creates an item, or changes one. A refused form comes back with what was entered.
func (d *Dashboard) sendItem(w http.ResponseWriter, r *http.Request) {
	const maxForm = 16 << 20
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	p := &page{Title: "Enqueue an item", Section: "items", Path: r.URL.RequestURI(), Version: d.version, Name: d.name}
	if err := r.ParseForm(); err != nil {
		d.refuse(w, r, p, &problem{Status: http.StatusRequestEntityTooLarge, Detail: "the form cannot be read, or is too large"})
		return
	}
	f := r.PostForm
	v := &itemForm{
		ID: r.PathValue("id"), From: f.Get("from"), Pipeline: f.Get("pipeline"), Queue: f.Get("queue"), Priority: f.Get("priority"),
		Payload: f.Get("payload"), Key: f.Get("key"), In: f.Get("in"), Version: f.Get("version"),
	}
	if v.ID != "" {
		p.Title = "Change item " + v.ID
	}
	if _, err := d.ask(r, http.MethodGet, "/auth/session", nil, nil, &p.Caller); err != nil {
		d.refuse(w, r, p, err)
		return
	}
	if err := p.Caller.needs("operator", "enqueue and change items"); err != nil {
		d.refuse(w, r, p, err)
		return
	}
	to, err := d.store(r, v, f.Get("reason"))
	d.forgetAnswers()
	if err == nil {
		http.Redirect(w, r, to, http.StatusSeeOther)
		return
	}
	if refused, ok := errors.AsType[*problem](err); ok && refused.Status < 500 && refused.Status != http.StatusUnauthorized {
		v.Refused = refused
		if err = d.formChoices(r, v); err == nil {
			p.Data = v
			d.render(w, refused.Status, "itemform", p)
			return
		}
	}
	d.refuse(w, r, p, err)
}

// store sends the form to the API and returns the page to show.
func (d *Dashboard) store(r *http.Request, v *itemForm, reason string) (to string, err error) {
	if v.ID == "" {
		body, err := v.body(nil)
		if err != nil {
			return "", err
		}
		var made struct {
			ID       int64 `json:"id"`
			Existing bool  `json:"existing"`
		}
		if _, err := d.ask(r, http.MethodPost, "/items", nil, body, &made); err != nil {
			return "", err
		}
		done := "The item was enqueued"
		if made.Existing {
			done = "This item existed already: nothing was enqueued"
		}
		return withNotice("/items/"+itoa(made.ID), "done", done), nil
	}
	at := "/items/" + segment(v.ID)
	var was item
	if _, err := d.ask(r, http.MethodGet, at, nil, nil, &was); err != nil {
		return "", err
	}
	body, err := v.body(&was)
	if err != nil {
		return "", err
	}
	if len(body) == 0 {
		return withNotice(at, "done", "Nothing was changed"), nil
	}
	if reason != "" {
		body["reason"] = reason
	}
	if v.Version != "" {
		r = r.Clone(r.Context())
		r.Header.Set("If-Match", strconv.Quote(v.Version))
	}
	if _, err := d.ask(r, http.MethodPatch, at, nil, body, nil); err != nil {
		return "", err
	}
	return withNotice(at, "done", "Item "+v.ID+" was changed"), nil
}
