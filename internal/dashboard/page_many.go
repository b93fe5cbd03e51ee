package dashboard

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// manyAction is a change of all items of a filter.
type manyAction struct {
	Name, Text, Done, Says string
	Danger                 bool

	// Statuses are those that the change is for. Pages send them with the filter.
	Statuses []string

	Ended bool // the API makes it of items that have ended, too
}

var manyActions = []manyAction{
	{Name: "repeat", Text: "Repeat", Done: "run again", Says: "Finished items run again from the start, with all their attempts. Others stay as they are.", Statuses: []string{"succeeded", "failed", "business-error", "expired", "cancelled", "deleted"}},
	{Name: "run", Text: "Run now", Done: "are due now", Says: "Items that are not due yet become due at once.", Statuses: []string{"scheduled", "retry"}, Ended: true},
	{Name: "cancel", Text: "Cancel", Done: "were cancelled", Says: "Items that have not ended do not run; running ones are told to stop. They stay in the list and can be repeated.", Danger: true, Statuses: []string{"scheduled", "pending", "assigned", "running", "retry"}},
	{Name: "archive", Text: "Archive", Done: "were archived", Says: "Waiting items end without a run, as Cancelled.", Danger: true, Statuses: []string{"scheduled", "pending", "assigned", "retry"}, Ended: true},
	{Name: "delete", Text: "Delete", Done: "were deleted", Says: "Items that do not run leave the lists. Depending on their queue they are hidden for a while or removed for good.", Danger: true, Statuses: []string{"scheduled", "pending", "assigned", "retry", "succeeded", "failed", "business-error", "expired", "cancelled"}},
}

func manyActionOf(name string) (manyAction, error) {
	i := slices.IndexFunc(manyActions, func(a manyAction) bool { return a.Name == name })
	if i < 0 {
		return manyAction{}, &problem{Status: http.StatusNotFound, Detail: fmt.Sprintf("there is no change %.100q of items", name)}
	}
	return manyActions[i], nil
}

// The parameters of a filter that are not single texts.
var (
	listParameters = []string{"status", "lifecycle", "state", "tag", "meta", "metaLike", "label", "errorKind"}
	boolParameters = []string{"allTags", "deleted"}
	intParameters  = []string{"minPriority", "maxPriority"}
)

// selection returns a filter as the body of a request has it.
func selection(filter url.Values) map[string]any {
	body := map[string]any{}
	for name, all := range filter {
		n, notInt := strconv.Atoi(all[0])
		yes, notBool := strconv.ParseBool(all[0])
		switch {
		case slices.Contains(listParameters, name) || len(all) > 1: // the API refuses several of others
			body[name] = all
		case slices.Contains(boolParameters, name) && notBool == nil:
			body[name] = yes
		case slices.Contains(intParameters, name) && notInt == nil:
			body[name] = n
		default:
			body[name] = all[0]
		}
	}
	return body
}

// changed is what the API says about a change of the items of a filter, of all requests until now.
type changed struct {
	Batch      string        `json:"batch"`
	Changed    int           `json:"changed"`
	Refused    int           `json:"refused"`
	KeysTaken  int           `json:"keysTaken"`
	Unreadable int           `json:"unreadable"`
	Skipped    []skippedItem `json:"skipped"` // the first of the refused ones
	Next       *string       `json:"next"`
}

type manyPage struct {
	Action   manyAction
	Filter   url.Values
	Chips    []filterChip
	Back     string // to the list
	ByStatus []statusCount
	Left     itemCount // of the filter that the action changes

	// Concerned are the statuses of the items that the preview has shown as changed. Others stay as they are, whatever
	// happens to the items until the change.
	Concerned []string

	// Of a change that has begun.
	Begun   bool
	Of      int // items to change, when the change began; 0: not known
	Next    string
	Reason  string
	Changed changed
}

// previewMany shows what a change of all items of a filter would do.
func (d *Dashboard) previewMany(r *http.Request, p *page) (string, error) {
	if err := p.Caller.needs("operator", "change items"); err != nil {
		return "", err
	}
	v, err := manyOf(r, r.URL.Query())
	if err != nil {
		return "", err
	}
	p.Title, p.Section = v.Action.Text+" items", "items"
	if v.Action.Name == "delete" {
		if err := d.needsDelete(r, p.Caller, v.Filter); err != nil {
			return "", err
		}
	}
	v.Filter = atOnce(v.Filter, browserZone(r))
	wanted, err := statusesOf(v.Filter)
	if err != nil {
		return "", err
	}
	counts := make([]itemCount, len(wanted))
	ask := d.asking(r)
	for i, status := range wanted {
		one := narrowed(v.Filter, []string{status})
		query := upTo(one)
		query.Set("lookAt", itoa(lookedAt(one)))
		ask.get("/items/count", query, &counts[i])
	}
	if err := ask.wait(); err != nil {
		return "", err
	}
	for i, status := range wanted {
		n, concerned := counts[i], slices.Contains(v.Action.Statuses, status)
		n.More = n.More || !n.Whole()
		if n.Count == 0 && (!n.More || !concerned) {
			continue
		}
		v.ByStatus = append(v.ByStatus, statusCount{Status: strings.ReplaceAll(status, "-", " "), Count: n.Count, More: n.More, Concerned: concerned})
		if concerned {
			v.Concerned = append(v.Concerned, status)
			v.Left.Count += n.Count
			v.Left.More = v.Left.More || n.More
		}
	}
	p.Data = v
	return "many", nil
}

func manyOf(r *http.Request, form url.Values) (manyPage, error) {
	action, err := manyActionOf(r.PathValue("action"))
	if err != nil {
		return manyPage{}, err
	}
	v := manyPage{Action: action, Filter: filterOf(form), Reason: form.Get("reason")}
	v.Chips, v.Back = chipsOf(v.Filter, ""), "/items"
	if len(v.Filter) > 0 {
		v.Back += "?" + v.Filter.Encode()
	}
	return v, nil
}

// concernedField is the field of the form with the statuses that the preview has shown as changed.
const concernedField = "concerned"

// statuses returns those of the items to change: of the action, of the filter and of the preview.
func (v *manyPage) statuses() ([]string, error) {
	all, err := statusesOf(v.Filter)
	if err != nil {
		return nil, err
	}
	only := slices.DeleteFunc(all, func(s string) bool {
		return !slices.Contains(v.Action.Statuses, s) || len(v.Concerned) > 0 && !slices.Contains(v.Concerned, s)
	})
	if len(only) == 0 {
		return nil, &problem{Status: http.StatusUnprocessableEntity, Detail: "no item of the filter can be changed in this way"}
	}
	return only, nil
}

// changeMany sends one request of the change, which takes about 15 seconds at most. If items are
// left, the page sends the next one.
func (d *Dashboard) changeMany(w http.ResponseWriter, r *http.Request) {
	const maxForm = 1 << 20
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	p := &page{Path: r.URL.RequestURI(), Version: d.version, Name: d.name, Section: "items"}
	if err := r.ParseForm(); err != nil {
		d.refuse(w, r, p, &problem{Status: http.StatusBadRequest, Detail: "the form cannot be read"})
		return
	}
	v, err := manyOf(r, r.PostForm)
	if err == nil {
		_, err = d.ask(r, http.MethodGet, "/auth/session", nil, nil, &p.Caller)
	}
	var only []string
	if err == nil {
		v.Concerned = r.PostForm[concernedField]
		only, err = v.statuses()
	}
	if err == nil {
		body := map[string]any{"reason": v.Reason, "filter": selection(narrowed(v.Filter, only))}
		if v.Action.Name == "delete" {
			body["yes"] = true // the preview has shown how many
		}
		if next := r.PostForm.Get("continue"); next != "" {
			body["continue"] = next
		}
		_, err = d.ask(r, http.MethodPost, "/items/actions/"+v.Action.Name, nil, body, &v.Changed)
	}
	d.forgetAnswers()
	if err != nil {
		d.refuse(w, r, p, err)
		return
	}
	v.Changed.after(r.PostForm)
	v.Of, _ = strconv.Atoi(r.PostForm.Get("of")) // anything else than a number is none
	v.Begun = true
	if v.Changed.Next != nil {
		v.Next = *v.Changed.Next
	}
	p.Title, p.Data = v.Action.Text+" items", v
	d.render(w, http.StatusOK, "many", p)
}
