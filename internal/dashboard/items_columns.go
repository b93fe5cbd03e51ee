package dashboard

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// column is a column of the list of items.
type column struct {
	Name, Title string
	Sort        string // the order by it, as the API names it; "": none
	Num         bool
	Usual       bool // shown unless the person has chosen others

	Shown bool
	Order string // of the list now: ascending, descending or ""
	Link  string // to the list in the other order
}

// The id and the status are always shown.
var itemColumns = []column{
	{Name: "priority", Title: "Priority", Sort: "priority", Num: true, Usual: true},
	{Name: "pipeline", Title: "Pipeline", Usual: true},
	{Name: "queue", Title: "Queue", Usual: true},
	{Name: "key", Title: "Key", Usual: true},
	{Name: "worker", Title: "Worker", Usual: true},
	{Name: "now", Title: "Now", Usual: true},
	{Name: "failures", Title: "Failures", Num: true},
	{Name: "tags", Title: "Tags"},
	{Name: "task", Title: "Task"},
	{Name: "by", Title: "Created by"},
	{Name: "due", Title: "Due", Sort: "due"},
	{Name: "started", Title: "Started", Sort: "started"},
	{Name: "finished", Title: "Finished", Sort: "finished"},
	{Name: "took", Title: "Took", Num: true},
	{Name: "created", Title: "Created", Sort: "created", Usual: true},
}

// columnsCookie keeps the columns that a person has chosen, for this browser.
const columnsCookie = "botwork-columns"

// columnsOf returns all columns, and which are shown. A choice in the address is remembered.
func columnsOf(r *http.Request, p *page) []column {
	q := r.URL.Query()
	chosen, ok := q["columns"]
	if !ok {
		if c, err := r.Cookie(columnsCookie); err == nil {
			chosen, ok = strings.Split(c.Value, "."), true
		}
	} else {
		var known []string
		for _, c := range itemColumns {
			if slices.Contains(chosen, c.Name) {
				known = append(known, c.Name)
			}
		}
		p.Cookies = append(p.Cookies, &http.Cookie{
			Name: columnsCookie, Value: strings.Join(known, "."), Path: "/items", MaxAge: 365 * 24 * 3600, HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteLaxMode,
		})
	}
	columns := slices.Clone(itemColumns)
	for i := range columns {
		c := &columns[i]
		c.Shown = c.Usual && !ok || ok && slices.Contains(chosen, c.Name)
		c.order(q)
	}
	return columns
}

// orderOf returns the order in the address of a list; "": the newest first, in which a search by payload always is.
func orderOf(q url.Values) string {
	if q.Get("payload") != "" {
		return ""
	}
	return q.Get("sort")
}

// order sets the order of the list by the column, and the link to the other one.
func (c *column) order(q url.Values) {
	if c.Sort == "" || q.Get("payload") != "" {
		return
	}
	to := filterOf(q)
	to.Set("sort", "-"+c.Sort) // the largest and the latest first
	switch q.Get("sort") {
	case c.Sort:
		c.Order = "ascending"
	case "-" + c.Sort:
		c.Order = "descending"
		to.Set("sort", c.Sort)
	}
	c.Link = "/items?" + to.Encode()
}
