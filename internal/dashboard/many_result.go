package dashboard

import (
	"net/url"
	"strconv"
	"strings"
)

// skippedItem is an item that a change of many has passed over, and why.
type skippedItem struct {
	ItemID  int64  `json:"itemId"`
	Message string `json:"message"`
}

// Bounds of what a page passes on to the next request of its change.
const (
	mostSkipped     = 100
	mostSkippedText = 300
)

// after adds what the requests before have done, which the form passes on.
func (c *changed) after(form url.Values) {
	for name, n := range map[string]*int{"done": &c.Changed, "refused": &c.Refused, "keysTaken": &c.KeysTaken, "unreadable": &c.Unreadable} {
		before, _ := strconv.Atoi(form.Get(name)) // anything else than a number is none
		*n += max(before, 0)
	}
	var all []skippedItem
	for _, text := range form["skipped"] {
		id, message, _ := strings.Cut(text, " ")
		if n, err := strconv.ParseInt(id, 10, 64); err == nil {
			all = append(all, skippedItem{n, message})
		}
	}
	all = append(all, c.Skipped...)
	c.Skipped = all[:min(len(all), mostSkipped)]
}

// Fields are the fields of the form that passes it on.
func (c changed) Fields() url.Values {
	f := url.Values{}
	for name, n := range map[string]int{"done": c.Changed, "refused": c.Refused, "keysTaken": c.KeysTaken, "unreadable": c.Unreadable} {
		if n > 0 {
			f.Set(name, strconv.Itoa(n))
		}
	}
	for _, one := range c.Skipped {
		f.Add("skipped", itoa(one.ItemID)+" "+briefText(one.Message, mostSkippedText))
	}
	return f
}

// MoreSkipped is how many refused items Skipped does not list.
func (c changed) MoreSkipped() int { return max(c.Refused-len(c.Skipped), 0) }
