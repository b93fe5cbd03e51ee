package dashboard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"time"

	"botwork/internal/api/events"
	"botwork/workqueue"
)

// reason is why an item does not run.
type reason struct {
	Kind       string     `json:"kind"`
	Text       string     `json:"text"`
	Change     string     `json:"change"`
	At         *time.Time `json:"at"`
	ExpectedAt *time.Time `json:"expectedAt"`
	Ahead      int64      `json:"ahead"`
	Workers    []struct {
		Name    string `json:"name"`
		Lacks   string `json:"lacks"`
		Slots   int    `json:"slots"`
		Holds   int    `json:"holds"`
		Running int    `json:"running"`
	} `json:"workers"`
}

// entry is an entry of the audit log.
type entry struct {
	ID         int64           `json:"id"`
	At         time.Time       `json:"at"`
	Actor      string          `json:"actor"`
	Via        string          `json:"via"`
	Host       string          `json:"host"`
	Action     string          `json:"action"`
	TargetKind string          `json:"targetKind"`
	Target     string          `json:"target"`
	Filter     json.RawMessage `json:"filter"`
	Changed    int64           `json:"changed"`
	Before     json.RawMessage `json:"before"`
	After      json.RawMessage `json:"after"`
	Reason     string          `json:"reason"`
}

type itemPage struct {
	Item    *item
	Why     reason
	NoWhy   *problem // the server could not find out why
	Actions []action
	Changes bool // the person may change its values

	Life  []phase
	Chart *lifeChart

	Payload, Output, Metadata, Analytics *document
	Hidden                               string // why the person does not see the data; "": all is shown

	Attempts []attempt
	Log      string // of the latest run, unless an attempt has it

	Pipeline *itemPipeline // nil: the server's project has none of this name
	Run      *latestRun    // nil: none has begun
	Steps    []runStep
	Graph    string    // the address of its drawing; "": there is none
	Diff     *textDiff // nil: the text that ran is the present one, or is not known
	Gone     bool      // the text that ran is another one than the present one, and is no longer kept
	Ran      string    // the text that ran, if there is no present one

	Match      *match
	Everywhere bool // the person may see the audit log
	Audit      []auditRow
	Relations  []relation
}

// action is what the person may do with the item now.
type action struct {
	Name, Text, Says string
	Primary, Danger  bool
	Begins           []string // the steps at which it can let the item begin
}

func (d *Dashboard) showItem(r *http.Request, p *page) (string, error) {
	id := segment(r.PathValue("id"))
	p.Title, p.Section = "Item "+r.PathValue("id"), "items"
	v := &itemPage{Everywhere: p.Caller.Everywhere()}
	one := make([]item, 1)
	v.Item = &one[0]
	ask := d.asking(r)
	about := ask.about(p.Caller)
	if err := about.now("/items/"+id, nil, v.Item); err != nil {
		return "", err
	}
	var attempts list[attempt]
	var history list[entry]
	var workers list[worker]
	var sameKey list[item]
	var queues list[queue]
	present := itemPipeline{}
	why := ask.calm(p.Caller)
	why.of = itoa(v.Item.Version)
	why.unlessFailed("/items/"+id+"/why", nil, &v.Why, &v.NoWhy)
	about.get("/items/"+id+"/attempts", nil, &attempts)
	about.get("/items/"+id+"/history", nil, &history)
	ask.shared(p.Caller).optional("/workers", nil, &workers)
	ask.shared(p.Caller).until(events.QueueChanges).get("/queues", nil, &queues)
	if name := v.Item.pipelineName(); name != "" && len(name) <= maxPipelineName {
		about.refusable("/pipelines/"+segment(name), nil, &present)
	}
	if key := v.Item.NaturalKey; deref(key) != "" {
		about.get("/items", values("key", *key, "queue", p.Caller.oneOf(v.Item.QueueName), "limit", itoa(relatedShown+1), "fields", "id,status,createdAt,integrationConfig,naturalKey"), &sameKey)
	}
	if err := ask.wait(); err != nil {
		return "", err
	}
	now := time.Now()
	nameWorkers(one, workers.Items)
	v.Attempts = shownAttempts(attempts.Items)
	v.Life = lifeOf(v.Item, attempts.Items, history.Items, &v.Why, now)
	v.Chart = chartOf(v.Life)
	v.data(queues.Items, p.Caller)
	v.Log = logOf(v.Item, attempts.Items)
	v.Run = latestOf(v.Item, attempts.Items)
	if present.Name != "" {
		v.Pipeline, v.Steps = &present, stepsOf(present.Steps, v.Run)
		v.Graph = runGraph(v.Item, v.Pipeline, v.Run, v.Steps)
	}
	if err := d.texts(r, v); err != nil {
		return "", err
	}
	v.Match = matchOf(v.Item, &present, &v.Why, workers.Items, now)
	v.Audit = auditRows(history.Items)
	v.Relations = relationsOf(v.Item, &present.pipeline, history.Items, sameKey.Items, now)
	if p.Caller.May("operator") {
		v.Actions = actionsOf(v.Item, v.Pipeline, p.Caller.MayCopy(v.Item))
		v.Changes = !v.Item.Ended() && v.Item.DeletedAt == nil
	}
	p.Data, p.Live, p.Follow, p.Calm, p.Again = v, "items", []int64{v.Item.ID}, true, ask.late.Load()
	return "item", nil
}

// maxPipelineName is the longest name that the API accepts. A row that was written by hand may have a longer one.
const maxPipelineName = 200

// data makes documents of what the person may see of an item.
func (v *itemPage) data(queues []queue, c caller) {
	v.Payload, v.Output = documentOf("payload", v.Item.Payload), documentOf("output", v.Item.Output)
	v.Metadata, v.Analytics = documentOf("metadata", v.Item.Metadata), documentOf("analytics", v.Item.Analytics)
	v.Hidden = hiddenFrom(c, v.Item, queues)
}

// hiddenFrom says why a person does not see the data of an item; "": all is shown.
func hiddenFrom(c caller, it *item, queues []queue) string {
	hidden := slices.ContainsFunc(queues, func(q queue) bool { return q.Name == it.QueueName && q.Payloads == "hidden" })
	switch {
	case c.May("editor"):
		return ""
	case it.Encrypted:
		return "Encrypted: your role may not see it."
	case hidden:
		return "Hidden by its queue: your role may not see it."
	}
	return ""
}

// logOf returns the log of the latest run, unless it is that of the latest attempt.
func logOf(it *item, attempts []attempt) string {
	log := deref(it.LogTail)
	if n := len(attempts); n > 0 && deref(attempts[n-1].LogTail) == log {
		return ""
	}
	return log
}

// texts compares the text that ran with the present one, if they differ.
func (d *Dashboard) texts(r *http.Request, v *itemPage) error {
	name := v.Item.pipelineName()
	if v.Run == nil || v.Run.Hash == "" || name == "" || len(name) > maxPipelineName || v.Pipeline != nil && v.Pipeline.runHash() == v.Run.Hash {
		return nil
	}
	at := "/pipelines/" + segment(name)
	ask := d.asking(r)
	if v.Pipeline == nil {
		var text source
		ask.refusable(at+"/text", values("hash", v.Run.Hash), &text)
		err := ask.wait()
		v.Ran = text.Text
		return err
	}
	var got struct {
		Diff *string `json:"diff"` // nil: the version is no longer kept
	}
	ask.refusable(at+"/diff", values("from", v.Run.Hash), &got)
	if err := ask.wait(); err != nil {
		return err
	}
	v.Gone = got.Diff == nil
	if got.Diff != nil {
		v.Diff = &textDiff{Ran: v.Run.Hash, Present: v.Pipeline.runHash(), Rows: sideBySide(*got.Diff)}
	}
	return nil
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func prefixed(prefix, text string) string {
	if text == "" {
		return ""
	}
	return prefix + text
}

// joined puts texts into one, without those that are empty.
func joined(texts ...string) string {
	out := ""
	for _, t := range texts {
		if t == "" || t == "by " {
			continue
		}
		if out != "" {
			out += " · "
		}
		out += t
	}
	return out
}

// actionsOf lists what can be done with the item in its state, and says what each does. present is its
// pipeline, nil if that is not known; copied says whether the item may be cloned.
func actionsOf(it *item, present *itemPipeline, copied bool) []action {
	var all []action
	switch it.Status {
	case "Scheduled", "Retry":
		all = append(all, action{Name: "run", Text: "Run now", Says: "The item becomes due at once. It uses an attempt as usual.", Primary: true})
	case "Succeeded", "Failed", "Business error", "Expired", "Cancelled":
		all = append(all, action{Name: "repeat", Text: "Repeat", Says: "The same item runs again, with all its attempts.", Primary: true, Begins: beginsOf(it, present)})
	}
	if copied && it.Status != "Deleted" {
		all = append(all, action{Name: "clone", Text: "Clone", Says: "A new item with the same pipeline and payload is enqueued. This one stays as it is."})
	}
	if !it.Ended() && it.DeletedAt == nil {
		says := "The item does not run. It stays in the list as Cancelled and can be repeated."
		if it.Status == "Running" {
			says = "The run is told to stop. The item stays in the list as Cancelled and can be repeated."
		}
		all = append(all, action{Name: "cancel", Text: "Cancel", Says: says, Danger: true})
	}
	if it.DeletedAt == nil {
		switch it.Status {
		case "Scheduled", "Pending", "Assigned", "Retry":
			all = append(all, action{Name: "archive", Text: "Archive", Says: "The item is set aside: it ends without a run and stays in the list as Cancelled, with the reason as its error. It runs only after a person has repeated it.", Danger: true})
		case "Succeeded":
			all = append(all, action{Name: "archive", Text: "Archive", Says: "The item is set aside like one that failed: it is in the list as Cancelled, no longer as Succeeded, with the reason as its error. It runs again only after a person has repeated it.", Danger: true})
		}
	}
	if it.Status != "Running" && it.DeletedAt == nil {
		all = append(all, action{Name: "delete", Text: "Delete", Says: "The item leaves the lists. Depending on its queue it is hidden for a while or removed for good.", Danger: true})
	}
	return all
}

// beginsOf returns the steps at which a repeated item can begin. A pipeline without resume records none. Steps in
// loops and steps that run afterwards have no records, nor has an item that has succeeded.
func beginsOf(it *item, present *itemPipeline) []string {
	if present == nil || !present.Resume || it.Status == "Succeeded" {
		return nil
	}
	var begins []string
	loop := "" // the path of the last one
	for i := range present.Steps {
		s := &present.Steps[i]
		if loop != "" && workqueue.PathIn(s.Path, loop) || afterwards.MatchString(s.Path) {
			continue
		}
		if loop = ""; s.Foreach != "" {
			loop = s.Path
		}
		begins = append(begins, s.Path)
	}
	return begins
}

// afterwards matches the paths of steps that run after the others, also those of called pipelines.
var afterwards = regexp.MustCompile(`(^| / )(onSuccess|onFailure|finally) / `)

var itemDone = map[string]string{
	"run": "Item %s is due now", "repeat": "Item %s runs again", "clone": "A copy of item %s was enqueued", "cancel": "Item %s was cancelled",
	"delete": "Item %s was deleted", "archive": "Item %s was archived",
}

func (d *Dashboard) changeItem(r *http.Request) (done, back string, err error) {
	id, action := r.PathValue("id"), r.PathValue("action")
	back = "/items/" + segment(id)
	text, ok := itemDone[action]
	if !ok {
		return "", back, &problem{Status: http.StatusNotFound, Detail: "there is no such action of an item"}
	}
	method, path := http.MethodPost, "/items/"+segment(id)+"/"+action
	if action == "delete" {
		method, path, back = http.MethodDelete, "/items/"+segment(id), "/items"
	}
	body := reasonOf(r)
	if from := r.PostForm.Get("from"); from != "" {
		body["from"] = from
	}
	_, err = d.ask(r, method, path, nil, body, nil)
	return fmt.Sprintf(text, id), back, err
}

// pretty indents JSON for reading.
func pretty(text json.RawMessage) string {
	if len(text) == 0 || string(text) == "null" {
		return ""
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return string(text)
	}
	return b.String()
}
