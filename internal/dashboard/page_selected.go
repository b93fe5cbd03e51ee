package dashboard

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// mostSelected is how many items a person can select: more than a page of the list has.
const mostSelected = 100

// selectedPage is a change of some items: what it would do, or has done.
type selectedPage struct {
	Action manyAction
	Rows   []selectedRow
	Left   int // items that the action can change
	Back   string

	// Of a change that was made.
	Begun bool
	Done  int
	Undo  string // the action that takes it back; "": none
}

type selectedRow struct {
	ID        int64
	Status    string
	Pipeline  string
	Concerned bool
	Refused   string // why the item was not changed
}

// inverses are the actions that take another one back.
var inverses = map[string]string{"cancel": "repeat", "archive": "repeat", "pause": "resume", "resume": "pause", "drain": "resume"}

func selectedIDs(texts []string) ([]int64, error) {
	var ids []int64
	for _, text := range texts {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id < 1 {
			return nil, &problem{Status: http.StatusUnprocessableEntity, Detail: fmt.Sprintf("got %.40q, want the id of an item", text)}
		}
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	switch {
	case len(ids) == 0:
		return nil, &problem{Status: http.StatusUnprocessableEntity, Detail: "no item is selected", Hint: "go back and select some"}
	case len(ids) > mostSelected:
		return nil, &problem{Status: http.StatusUnprocessableEntity, Detail: fmt.Sprintf("%d items are selected, want at most %d", len(ids), mostSelected), Hint: "change all items of a filter"}
	}
	return ids, nil
}

// previewSelected shows what a change of the selected items would do.
func (d *Dashboard) previewSelected(r *http.Request, p *page) (string, error) {
	if err := p.Caller.needs("operator", "change items"); err != nil {
		return "", err
	}
	q := r.URL.Query()
	action, err := manyActionOf(q.Get("action"))
	if err != nil {
		return "", err
	}
	ids, err := selectedIDs(q["id"])
	if err != nil {
		return "", err
	}
	p.Title, p.Section = action.Text+" items", "items"
	v := selectedPage{Action: action, Back: "/items"}
	if back := q.Get("back"); isLocal(back) {
		v.Back = back
	}
	items := make([]item, len(ids))
	ask := d.asking(r)
	for i, id := range ids {
		ask.optional("/items/"+itoa(id), nil, &items[i])
	}
	if err := ask.wait(); err != nil {
		return "", err
	}
	for i, id := range ids {
		row := selectedRow{ID: id, Status: items[i].Status, Pipeline: items[i].Pipeline}
		if items[i].ID == 0 {
			row.Refused = "there is no such item any more"
		} else if row.Concerned = action.concerns(items[i].Status); row.Concerned {
			v.Left++
		}
		v.Rows = append(v.Rows, row)
	}
	p.Data = v
	return "selected", nil
}

// concerns reports whether the change is for items of this status.
func (a *manyAction) concerns(status string) bool {
	return slices.Contains(a.Statuses, statusWord(status))
}

// changeSelected changes the items one after the other, and shows which were refused and why.
func (d *Dashboard) changeSelected(w http.ResponseWriter, r *http.Request) {
	const maxForm = 1 << 16
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	p := &page{Path: "/items", Version: d.version, Name: d.name, Section: "items"}
	if err := r.ParseForm(); err != nil {
		d.refuse(w, r, p, &problem{Status: http.StatusBadRequest, Detail: "the form cannot be read"})
		return
	}
	action, err := manyActionOf(r.PathValue("action"))
	var ids []int64
	if err == nil {
		ids, err = selectedIDs(r.PostForm["id"])
	}
	if err == nil {
		_, err = d.ask(r, http.MethodGet, "/auth/session", nil, nil, &p.Caller)
	}
	v := selectedPage{Action: action, Back: "/items", Begun: true, Undo: inverses[action.Name]}
	if back := r.PostForm.Get("back"); isLocal(back) {
		v.Back = back
	}
	for _, id := range ids {
		if err != nil {
			break
		}
		row := selectedRow{ID: id}
		switch refused := d.changeOne(r, id, &action); {
		case refused == nil:
			row.Concerned = true
			v.Done++
		case refused.Status < 500 && refused.Status != http.StatusUnauthorized && refused.Status != http.StatusForbidden:
			row.Refused = refused.Error()
		default:
			err = refused
		}
		v.Rows = append(v.Rows, row)
	}
	d.forgetAnswers()
	if err != nil {
		d.refuse(w, r, p, err)
		return
	}
	p.Title, p.Data = action.Text+" items", v
	d.render(w, http.StatusOK, "selected", p)
}

// changeOne makes a change of an item; nil if it was made.
func (d *Dashboard) changeOne(r *http.Request, id int64, a *manyAction) *problem {
	method, path := http.MethodPost, "/items/"+itoa(id)+"/"+a.Name
	if a.Name == "delete" {
		method, path = http.MethodDelete, "/items/"+itoa(id)
	}
	var err error
	if a.Ended {
		r, err = d.asShown(r, id, a)
	}
	if err == nil {
		_, err = d.ask(r, method, path, nil, reasonOf(r), nil)
	}
	switch e := err.(type) { //nolint:errorlint // ask returns a problem as it is
	case nil:
		return nil
	case *problem:
		return e
	default:
		d.log.Error().Err(err).Int64("item", id).Str("action", a.Name).Msg("could not change an item")
		return &problem{Status: http.StatusInternalServerError, Detail: "the server has failed; its log has the details"}
	}
}

// asShown returns a request that changes an item only as it is now, and an error if the change is not for it: it may have
// ended since the preview, and the API would run it again.
func (d *Dashboard) asShown(r *http.Request, id int64, a *manyAction) (*http.Request, error) {
	var it item
	if _, err := d.ask(r, http.MethodGet, "/items/"+itoa(id), nil, nil, &it); err != nil {
		return r, err
	}
	if !a.concerns(it.Status) {
		return r, &problem{Status: http.StatusConflict, Detail: "this change is not for an item that is " + strings.ToLower(it.Status)}
	}
	r = r.Clone(r.Context())
	r.Header.Set("If-Match", strconv.Quote(itoa(it.Version)))
	return r, nil
}
