package dashboard

import (
	"fmt"
	"net/http"
	"time"
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

// lookingBack asks for how many items have failed since the last look.
func lookingBack(r *http.Request, p *page, ask *asking) *lookBack {
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
	back := &lookBack{countedList: countedList{Link: "/items?" + filter.Encode()}, Since: since, First: !known}
	ask.slow(p.Caller, "/items/count", filter, back)
	return back
}

// markSeen makes the present the last look.
func (d *Dashboard) markSeen(w http.ResponseWriter, r *http.Request) {
	now := time.Now()
	http.SetCookie(w, visit{now, now}.cookie(r))
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
