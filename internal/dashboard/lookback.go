package dashboard

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"botwork/workqueue/report"
)

// seenCookie keeps when a person has looked at the overview, for this browser.
const seenCookie = "botwork-seen"

const (
	visitEnds   = 15 * time.Minute   // without a look, the next one begins a visit
	visitNoted  = time.Minute        // how often a look is noted
	mostLookFor = 7 * 24 * time.Hour // failures before that are no news
)

// lookBack is what has failed since the person last looked.
type lookBack struct {
	countedList

	Since time.Time
	First bool // the person has not looked before in this browser

	filter url.Values // what has failed since
}

// visit is the times in the cookie.
type visit struct {
	since time.Time // the end of the visit before this one, or when the person marked all as seen
	last  time.Time // the latest look
}

func visitOf(r *http.Request) (l visit, ok bool) {
	c, err := r.Cookie(seenCookie)
	if err != nil {
		return visit{}, false
	}
	var since, last int64
	if n, err := fmt.Sscanf(c.Value, "%d.%d", &since, &last); n != 2 || err != nil {
		return visit{}, false
	}
	return visit{time.UnixMilli(since), time.UnixMilli(last)}, true
}

func (l visit) cookie(r *http.Request) *http.Cookie {
	return &http.Cookie{
		Name: seenCookie, Value: fmt.Sprintf("%d.%d", l.since.UnixMilli(), l.last.UnixMilli()), Path: "/", MaxAge: 365 * 24 * 3600, HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteLaxMode,
	}
}

// look notes a look at now. A visit goes on while the page is open, since the page asks for itself again.
func (l visit) look(now time.Time) (after visit, changed bool) {
	switch away := now.Sub(l.last); {
	case away >= visitEnds:
		return visit{l.last, now}, true
	case away >= visitNoted || away < 0:
		return visit{l.since, now}, true
	}
	return l, false
}

// lookingBack notes the look of the person. The caller counts what has failed since the last one.
func lookingBack(r *http.Request, p *page) *lookBack {
	now := time.Now()
	l, known := visitOf(r)
	changed := !known
	if known {
		l, changed = l.look(now)
	} else {
		l = visit{now, now}
	}
	if changed {
		p.Cookies = append(p.Cookies, l.cookie(r))
	}
	since := l.since
	if earliest := now.Add(-mostLookFor).Truncate(time.Hour); since.Before(earliest) {
		since = earliest
	}
	filter := values("failedSince", since.UTC().Format("2006-01-02T15:04:05.000Z07:00"))
	return &lookBack{countedList: countedList{Link: "/items?" + filter.Encode()}, Since: since, First: !known, filter: filter}
}

// count counts what has failed. Each person has looked at another time, so the answer serves no other page:
// nothing is asked if the report, which all share, says that nothing has failed since.
func (l *lookBack) count(ask *asking, c caller, r *report.Report) {
	if l.noneIn(r) {
		return
	}
	ask.slow(c).get("/items/count", upTo(l.filter), l)
}

// noneIn reports whether a report shows that nothing has failed since the last look. A person who may not
// see it has an empty one.
func (l *lookBack) noneIn(r *report.Report) bool {
	if r.Since.IsZero() || l.Since.Before(r.Since) || len(r.Bounds) > 0 {
		return false
	}
	return !slices.ContainsFunc(r.Failures, func(g report.Group) bool { return !g.Last.Before(l.Since) })
}

// markSeen makes the present the last look.
func (d *Dashboard) markSeen(w http.ResponseWriter, r *http.Request) {
	now := time.Now()
	http.SetCookie(w, visit{now, now}.cookie(r))
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
