package dashboard

import (
	"maps"
	"net/url"
	"slices"
)

// How many items a list looks at, unless an index has those of its filter. A page may be open all day, and asks for its
// list again whenever items change.
const (
	// mostLookedAt is for filters that may select almost none.
	mostLookedAt = 100_000

	// mostPassed is for filters of which the statistics show that they select some, but maybe no new ones: a million new items
	// may wait. A search by payload has a bound of its own.
	mostPassed = 1_000_000
)

// countedFilters are the filters by which the pages with statistics link to lists.
var countedFilters = []string{"status", "lifecycle", "state", "queue", "band"}

// lookedAt returns how many items the list of a filter looks at.
func lookedAt(filter url.Values) int64 {
	if filter.Has("payload") {
		return mostPassed
	}
	for name := range filter {
		if !slices.Contains(countedFilters, name) {
			return mostLookedAt
		}
	}
	return mostPassed
}

// searchParameter and everything ask for a search without a bound.
const (
	searchParameter = "search"
	everything      = "all"
)

// searchesAll reports whether the address of a list asks for a search without a bound.
func searchesAll(q url.Values) bool { return q.Get(searchParameter) == everything }

// bound sets what a bounded list links to. A list without a bound stays as it is when items change, because it may read
// all of them.
func (v *itemsPage) bound(p *page, q url.Values, all bool) {
	wider := maps.Clone(q)
	wider.Set(searchParameter, everything)
	wider.Del("before")
	v.Unbounded, v.Everything = all, "/items?"+wider.Encode()
	if !all {
		return
	}
	p.Live, p.Follow = "", nil
	if v.More != "" {
		v.More += "&" + searchParameter + "=" + everything
	}
}

// searchCut is what a search left out.
type searchCut struct {
	Looked     int64  `json:"looked"`
	Below      *int64 `json:"below"` // the id where it ended; nil: it looked at all items of the filter
	Unreadable int    `json:"unreadable"`
}

// itemCount is how many items a filter selects.
type itemCount struct {
	Count int64      `json:"count"`
	More  bool       `json:"more"`       // there are more than Count
	Cut   *searchCut `json:"incomplete"` // there may be more
}

// Whole reports whether it is the number of all items of the filter.
func (n itemCount) Whole() bool { return n.Cut == nil || n.Cut.Below == nil }

// String returns the number with the word item or items.
func (n itemCount) String() string {
	if !n.More && !n.Whole() {
		return number(n.Count) + " of the newest " + number(n.Cut.Looked) + " items"
	}
	return counted(n.Count, n.More, "item", "items")
}

// Ended returns the id where the search of the list ended early, or 0.
func (v itemsPage) Ended() int64 {
	if v.Cut == nil || v.Cut.Below == nil {
		return 0
	}
	return *v.Cut.Below
}
