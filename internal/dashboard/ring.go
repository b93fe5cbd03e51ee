package dashboard

import (
	"fmt"
	"html/template"
	"math"
	"strings"
	"time"

	"botwork/workqueue"
)

// ring is the status of a queue as a ring: what waits and runs now, and what has ended in a stretch of
// time.
type ring struct {
	Since time.Time // of what has ended
	Parts []ringPart
	All   int64
}

// ringPart is a part of the ring, and the list of the items behind it.
type ringPart struct {
	Class, Name string
	Count       int64
	Link        string
}

func queueRing(queue string, now *counts, s *workqueue.Series) ring {
	r := ring{}
	var succeeded, failed, business int64
	for i := range s.Points {
		p := &s.Points[i]
		if i == 0 {
			r.Since = p.Start
		}
		succeeded += p.Succeeded
		failed += p.Cancelled - p.CancelledByKind[workqueue.KindBusiness]
		business += p.CancelledByKind[workqueue.KindBusiness]
	}
	since := r.Since.UTC().Format(time.RFC3339)
	link := func(pairs ...string) string { return address("/items", append([]string{"queue", queue}, pairs...)...) }
	r.add("pending", "New", now.Items["scheduled"]+now.waiting()+now.Items["retry"], link("status", "scheduled", "status", "pending", "status", "assigned", "status", "retry"))
	r.add("running", "In progress", now.Items["active"], link("status", "running"))
	r.add("succeeded", "Success", succeeded, link("status", "succeeded", "finishedSince", since))
	r.add("failed", "Error", failed, link("status", "failed", "status", "expired", "status", "cancelled", "finishedSince", since))
	r.add("retry", "Business error", business, link("status", "business-error", "finishedSince", since))
	return r
}

func (r *ring) add(class, name string, count int64, link string) {
	r.Parts = append(r.Parts, ringPart{class, name, max(count, 0), link})
	r.All += max(count, 0)
}

// SVG draws the ring. The legend beside it has the same in words.
func (r ring) SVG() template.HTML {
	const radius, gap = 42.0, 1.5
	around := 2 * math.Pi * radius
	var b strings.Builder
	var words []string
	for _, p := range r.Parts {
		words = append(words, fmt.Sprintf("%s %s", number(p.Count), strings.ToLower(p.Name)))
	}
	fmt.Fprintf(&b, `<svg class="ring" viewBox="0 0 100 100" role="img" aria-label="%s"><circle class="all" cx="50" cy="50" r="%g"/>`, template.HTMLEscapeString(strings.Join(words, ", ")), radius)
	at := 0.0
	for _, p := range r.Parts {
		if p.Count == 0 {
			continue
		}
		long := around * float64(p.Count) / float64(r.All)
		drawn := long
		if p.Count < r.All {
			drawn = max(long-gap, 0.6)
		}
		fmt.Fprintf(&b, `<circle class="%s" cx="50" cy="50" r="%g" stroke-dasharray="%.2f %.2f" stroke-dashoffset="%.2f" transform="rotate(-90 50 50)"><title>%s %s</title></circle>`,
			p.Class, radius, drawn, around-drawn, -at, number(p.Count), p.Name)
		at += long
	}
	fmt.Fprintf(&b, `<text x="50" y="50">%s</text><text class="unit" x="50" y="63">items</text></svg>`, shortNumber(r.All))
	return template.HTML(b.String()) //nolint:gosec // numbers, constants and escaped texts
}
