package dashboard

import (
	"net/http"
	"net/url"
	"slices"

	"botwork/workqueue"
)

// deletes reports whether the person may delete items of the queue: for good only as an admin.
func (c caller) deletes(q queue) bool {
	return c.May("admin") || q.Deletion == string(workqueue.DeletionLogical)
}

// queueOf returns the queue of the items that a filter selects; "" if they may be of several.
func (c caller) queueOf(filter url.Values) string {
	if name := filter.Get("queue"); name != "" || len(c.Queues) != 1 {
		return name
	}
	return c.Queues[0]
}

// manyOffered returns the changes of all items of a filter that the API allows the person.
func manyOffered(c caller, filter url.Values, queues []queue) []manyAction {
	of := c.queueOf(filter)
	i := slices.IndexFunc(queues, func(q queue) bool { return q.Name == of })
	return withoutDelete(c.May("admin") || i >= 0 && c.deletes(queues[i]))
}

// someOffered returns the changes of selected items, which may be of any of the queues.
func someOffered(c caller, queues []queue) []manyAction {
	return withoutDelete(c.May("admin") || slices.ContainsFunc(queues, c.deletes))
}

func withoutDelete(deletes bool) []manyAction {
	return slices.DeleteFunc(slices.Clone(manyActions), func(a manyAction) bool { return a.Name == "delete" && !deletes })
}

// needsDelete refuses the preview of a deletion that the API would refuse.
func (d *Dashboard) needsDelete(r *http.Request, c caller, filter url.Values) error {
	var q queue
	if name := c.queueOf(filter); name != "" && !c.May("admin") {
		if _, err := d.ask(r, http.MethodGet, "/queues/"+segment(name), nil, nil, &q); err != nil {
			return err
		}
	}
	if c.deletes(q) {
		return nil
	}
	return &problem{
		Status: http.StatusForbidden, Detail: "items of queues without logical deletion are removed for good, which needs the role admin",
		Hint: "choose one queue with logical deletion, or archive the items",
	}
}
