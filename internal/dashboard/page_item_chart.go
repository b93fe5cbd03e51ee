package dashboard

import (
	"fmt"
	"html/template"
	"strings"
	"time"
)

// lifeChart draws the phases of an item as one bar of time. Short phases are drawn wider than they
// were, so that they can be seen; the list below the chart has the exact times.
type lifeChart struct {
	From, Until time.Time
	SVG         template.HTML
	Legend      []look
}

const (
	lifeHeight = 38.0
	leastShare = 0.012 // of the width of the chart, for a phase
	labelShare = 0.11  // the narrowest phase with a text
)

// chartOf returns nil if there is nothing to draw.
func chartOf(phases []phase) *lifeChart {
	var drawn []phase
	total := time.Duration(0)
	for i := range phases {
		if took := phases[i].Took(); took > 0 {
			drawn, total = append(drawn, phases[i]), total+took
		}
	}
	if len(drawn) == 0 || len(drawn) > 60 {
		return nil
	}
	c := &lifeChart{From: drawn[0].From, Until: drawn[len(drawn)-1].Until}
	shares, sum := make([]float64, len(drawn)), 0.0
	for i := range drawn {
		shares[i] = max(float64(drawn[i].Took())/float64(total), leastShare)
		sum += shares[i]
	}
	var b, words strings.Builder
	at := 0.0
	for i := range drawn {
		p, share := &drawn[i], shares[i]/sum
		l := statusLook(p.Status)
		text := fmt.Sprintf("%s, %s", p.What, p.length())
		fmt.Fprintf(&b, `<svg x="%.3f%%" width="%.3f%%" height="%g" class="%s"><title>%s</title><rect class="back" width="100%%" height="100%%"/><rect class="top" width="100%%" height="4"/>`,
			100*at, 100*share, lifeHeight, l.Class, template.HTMLEscapeString(text))
		if share >= labelShare {
			fmt.Fprintf(&b, `<text x="7" y="25">%s</text>`, template.HTMLEscapeString(text))
		}
		b.WriteString("</svg>")
		if i > 0 {
			words.WriteString("; ")
		}
		words.WriteString(text)
		at += share
		c.Legend = appendLook(c.Legend, l, p.Status)
	}
	c.SVG = template.HTML(fmt.Sprintf(`<svg class="life" height="%g" role="img" aria-label="%s">%s</svg>`,
		lifeHeight, template.HTMLEscapeString("Life of the item: "+words.String()), b.String())) //nolint:gosec // numbers, constants and escaped texts
	return c
}

// length writes how long a phase was.
func (p *phase) length() string {
	if p.Open {
		return span(p.Took()) + " so far"
	}
	return span(p.Took())
}

// lifeWords say what the phases of a status are.
var lifeWords = map[string]string{"scheduled": "not due", "pending": "waiting", "assigned": "assigned", "running": "running", "retry": "backoff", "ended": "ended"}

func appendLook(all []look, l look, status string) []look {
	l.Word = lifeWords[status]
	for _, one := range all {
		if one.Word == l.Word {
			return all
		}
	}
	return append(all, l)
}
