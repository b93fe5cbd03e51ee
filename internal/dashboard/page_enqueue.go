package dashboard

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// itemForm is the form of a new item, or of new values of an item that has not ended.
type itemForm struct {
	ID         string // of the item that is changed; "": the form creates one
	From       string // the item that the values come from
	Pipeline   string
	Queue      string
	Priority   string // as it is requested: without what the queue adds
	Payload    string // as JSON; of a form with fields it is used in place of them
	Key        string
	In         string // how long to wait
	Tags       string // one a line
	Metadata   string // an object, as JSON
	Deadline   string // in UTC
	FinishBy   string // likewise
	Labels     string // an object, as JSON
	Selectors  string // a list, as JSON
	Resilience string // an object, as JSON
	Version    string // of the item when the form was made; a change of a newer one is refused
	Reason     string

	Says   string         // what will happen
	Kept   string         // what a copy takes over besides the fields
	Hidden string         // why the person does not see the payload and the metadata; "": they are shown
	Fields []payloadField // of the payload; nil: it is entered as JSON
	Odd    bool           // there are fields, but they cannot show the payload

	Pipelines []string
	Queues    []string
	Refused   *problem

	queues []queue
	of     item // the item that is changed, or that the values come from; its ID is 0 if there is none
}

// Inline reports whether the form has a whole pipeline instead of a name.
func (v *itemForm) Inline() bool { return (&item{Pipeline: v.Pipeline}).Inline() }

// Copied reports whether the form copies an item as it is, because the person does not see all of it.
func (v *itemForm) Copied() bool { return v.ID == "" && v.From != "" && v.Hidden != "" }

// More reports whether the form has a value that is rarely given.
func (v *itemForm) More() bool { return v.Tags+v.Metadata+v.Deadline+v.FinishBy != "" }

// Rules reports whether the form says on which workers the item may run, or how it is retried.
func (v *itemForm) Rules() bool { return v.Labels+v.Selectors+v.Resilience != "" }

// prepare gets what the form offers, and the item that it is about.
func (d *Dashboard) prepare(r *http.Request, c caller, v *itemForm) error {
	var pipelines list[pipeline]
	var queues list[queue]
	ask := d.asking(r)
	if v.ID == "" {
		ask.optional("/pipelines", nil, &pipelines)
	}
	ask.get("/queues", nil, &queues)
	if id := v.ID + v.From; id != "" {
		ask.get("/items/"+segment(id), nil, &v.of)
	}
	if err := ask.wait(); err != nil {
		return err
	}
	for _, one := range pipelines.Items {
		if one.Trigger == nil {
			v.Pipelines = append(v.Pipelines, one.Name)
		}
	}
	v.queues = queues.Items
	v.Queues = queueNames(queues.Items)
	if v.of.ID != 0 {
		v.Hidden = hiddenFrom(c, &v.of, v.queues)
		if v.Hidden == "" && v.of.Unreadable != "" {
			v.Hidden = "Encrypted, and the server cannot decrypt it: " + v.of.Unreadable
		}
	}
	v.explain()
	return nil
}

// explain says what sending the form does.
func (v *itemForm) explain() {
	switch {
	case v.ID != "":
		v.Says = "The item gets these values and keeps its number and its attempts. What you do not change stays as it is."
		if v.of.Status == "Running" {
			v.Says = "The item is running: only its tags, its metadata and the priority of its next attempt can be changed."
		}
	case v.Copied():
		v.Says = "You do not see the payload, so the new item gets all values of item " + v.From + " as they are. Only its key can be another one. Item " + v.From + " stays as it is."
	case v.From != "":
		v.Says = "A new item is enqueued with these values. Item " + v.From + " stays as it is."
		if names := v.of.carriedNames(); len(names) > 0 {
			v.Kept = "The new item also gets the " + strings.Join(names, ", ") + " of item " + v.From + "."
		}
		if deref(v.of.TaskName) != "" {
			v.Kept = joinedSentences(v.Kept, "It does not belong to the task "+*v.of.TaskName+"; the action Clone keeps that.")
		}
	}
}

func joinedSentences(one, other string) string { return strings.TrimSpace(one + " " + other) }

// internalQueues begins the names of queues that people do not enqueue into.
const internalQueues = "botwork."

// queueNames lists the queues of a form, those of Botwork itself last.
func queueNames(queues []queue) []string {
	names := make([]string, len(queues))
	for i := range queues {
		names[i] = queues[i].Name
	}
	internal := func(name string) int {
		if strings.HasPrefix(name, internalQueues) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(names, func(a, b string) int { return internal(a) - internal(b) })
	return names
}

// chooseQueue selects a queue for a form that names none that there is: default, or the only one that is not
// internal. Otherwise the person must choose.
func (v *itemForm) chooseQueue() {
	if slices.Contains(v.Queues, v.Queue) {
		return
	}
	v.Queue = ""
	usual := slices.DeleteFunc(slices.Clone(v.Queues), func(name string) bool { return strings.HasPrefix(name, internalQueues) })
	switch {
	case slices.Contains(usual, "default"):
		v.Queue = "default"
	case len(usual) == 1:
		v.Queue = usual[0]
	}
}

// offset returns what a queue adds to the priority of an item.
func (v *itemForm) offset(name string) int {
	if i := slices.IndexFunc(v.queues, func(q queue) bool { return q.Name == name }); i >= 0 {
		return v.queues[i].PriorityOffset
	}
	return 0
}

// formTime is how a form writes a time.
const formTime = "2006-01-02 15:04:05"

func formTimeOf(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format(formTime)
}

// takeValues fills the form with the values of its item.
func (v *itemForm) takeValues() {
	it := &v.of
	v.Pipeline, v.Queue, v.Payload, v.Key = it.Pipeline, it.QueueName, pretty(it.Payload), deref(it.NaturalKey)
	v.Priority = strconv.Itoa(it.Priority - v.offset(it.QueueName))
	v.Tags, v.Metadata = strings.Join(it.Tags, "\n"), pretty(it.Metadata)
	v.Deadline, v.FinishBy = formTimeOf(it.DeadlineAt), formTimeOf(it.FinishBy)
	v.takeRules()
	v.Version = strconv.FormatInt(it.Version, 10)
}

// takeRules fills the form with the rules of its item.
func (v *itemForm) takeRules() {
	v.Labels, v.Selectors, v.Resilience = pretty(v.of.Labels), pretty(v.of.Selectors), pretty(v.of.Resilience)
}

// showEnqueue shows the form of a new item. With from it has the values of an item.
func (d *Dashboard) showEnqueue(r *http.Request, p *page) (string, error) {
	p.Title, p.Section = "Enqueue an item", "items"
	if err := p.Caller.needs("operator", "enqueue items"); err != nil {
		return "", err
	}
	q := r.URL.Query()
	v := &itemForm{Pipeline: q.Get("pipeline"), Queue: q.Get("queue"), From: q.Get("from"), Priority: "1000", Payload: "{}"}
	if err := d.prepare(r, p.Caller, v); err != nil {
		return "", err
	}
	if v.From != "" {
		v.takeValues()
		v.dropPassed(time.Now())
	}
	v.chooseQueue()
	p.Data = v
	return "itemform", d.offerFields(r, v, nil)
}

// offerFields adds the inputs for the payload that the pipeline describes. sent is the form that was sent; nil: none.
func (d *Dashboard) offerFields(r *http.Request, v *itemForm, sent url.Values) error {
	if v.ID != "" || v.Copied() || v.Pipeline == "" || v.Inline() || len(v.Pipeline) > maxPipelineName {
		return nil
	}
	var described pipeline
	ask := d.asking(r)
	ask.refusable("/pipelines/"+segment(v.Pipeline), nil, &described)
	if err := ask.wait(); err != nil {
		return err
	}
	fields := payloadFields(described.Input)
	payload := strings.TrimSpace(v.Payload)
	switch of := sent.Get("fields"); {
	case len(fields) == 0:
		return nil
	case of != "":
		takeFields(fields, sent, of == v.Pipeline)
	case v.From == "" && (payload == "" || payload == "{}"):
		v.Payload = ""
	case showPayload(fields, payload):
		v.Payload = ""
	default:
		v.Odd = true
		return nil
	}
	v.Fields = fields
	return nil
}

// showChange shows the form of an item that has not ended.
func (d *Dashboard) showChange(r *http.Request, p *page) (string, error) {
	id := r.PathValue("id")
	p.Title, p.Section = "Change item "+id, "items"
	if err := p.Caller.needs("operator", "change items"); err != nil {
		return "", err
	}
	v := &itemForm{ID: id}
	if err := d.prepare(r, p.Caller, v); err != nil {
		return "", err
	}
	v.takeValues()
	p.Data = v
	return "itemform", nil
}

// readForm returns the form that was sent. Browsers end the lines of a text with CRLF.
func readForm(r *http.Request) *itemForm {
	text := func(name string) string { return strings.ReplaceAll(r.PostForm.Get(name), "\r\n", "\n") }
	return &itemForm{
		ID: r.PathValue("id"), From: text("from"), Pipeline: text("pipeline"), Queue: text("queue"), Priority: text("priority"),
		Payload: text("payload"), Key: text("key"), In: text("in"), Version: text("version"), Reason: text("reason"),
		Tags: text("tags"), Metadata: text("metadata"), Deadline: text("deadline"), FinishBy: text("finishBy"),
		Labels: text("labels"), Selectors: text("selectors"), Resilience: text("resilience"),
	}
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
	v := readForm(r)
	if v.ID != "" {
		p.Title = "Change item " + v.ID
	}
	_, err := d.ask(r, http.MethodGet, "/auth/session", nil, nil, &p.Caller)
	if err == nil {
		err = p.Caller.needs("operator", "enqueue and change items")
	}
	if err == nil {
		err = d.prepare(r, p.Caller, v)
	}
	if err == nil && !r.PostForm.Has("labels") {
		v.takeRules() // an older page has no fields for them
	}
	if err == nil {
		err = d.offerFields(r, v, r.PostForm)
	}
	if err != nil {
		d.refuse(w, r, p, err)
		return
	}
	if r.PostForm.Get("do") == "fields" {
		p.Data = v
		d.render(w, http.StatusOK, "itemform", p)
		return
	}
	to, err := d.store(r, v)
	d.forgetAnswers()
	if err == nil {
		redirectWith(w, r, to.to, to.notice)
		return
	}
	if refused, ok := errors.AsType[*problem](err); ok && refused.Status < 500 && refused.Status != http.StatusUnauthorized {
		v.Refused = refused
		p.Data = v
		d.render(w, refused.Status, "itemform", p)
		return
	}
	d.refuse(w, r, p, err)
}

// store sends the form to the API and returns the page to show.
func (d *Dashboard) store(r *http.Request, v *itemForm) (*redirect, error) {
	switch {
	case v.ID != "":
		return d.storeChange(r, v)
	case v.Copied():
		return d.storeCopy(r, v)
	}
	if of := r.PostForm.Get("fields"); of != "" && of != v.Pipeline && v.Payload == "" {
		return nil, unusable("the form has the fields of the pipeline that it names now; check them", "the payload has the fields of the pipeline %s, and the form names another one", of)
	}
	body, err := v.newItem()
	if err != nil {
		return nil, err
	}
	var made struct {
		ID       int64 `json:"id"`
		Existing bool  `json:"existing"`
	}
	if _, err := d.ask(r, http.MethodPost, "/items", nil, body, &made); err != nil {
		return nil, err
	}
	done := "The item was enqueued"
	if made.Existing {
		done = "This item existed already: nothing was enqueued"
	}
	return &redirect{"/items/" + itoa(made.ID), &notice{Text: done}}, nil
}

func (d *Dashboard) storeChange(r *http.Request, v *itemForm) (*redirect, error) {
	at := "/items/" + segment(v.ID)
	body, err := v.changes()
	if err != nil {
		return nil, err
	}
	if len(body) == 0 {
		return &redirect{at, &notice{Text: "Nothing was changed"}}, nil
	}
	if v.Reason != "" {
		body["reason"] = v.Reason
	}
	if v.Version != "" {
		r = r.Clone(r.Context())
		r.Header.Set("If-Match", strconv.Quote(v.Version))
	}
	if _, err := d.ask(r, http.MethodPatch, at, nil, body, nil); err != nil {
		return nil, err
	}
	return &redirect{at, &notice{Text: "Item " + v.ID + " was changed"}}, nil
}
