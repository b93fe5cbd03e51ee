//go:build unix

package browsertest

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// For the figures of docs/benchmarks.md: how often each page is opened, and a SQLite file with many items in which the
// project adds its own, instead of a new one.
const (
	loadsVariable    = "BOTWORK_PAINT_LOADS"
	databaseVariable = "BOTWORK_PAINT_DATABASE"
)

// TestBrowserFirstPaint opens pages with an empty cache, and logs when the browser has painted the first content,
// counted from the moment at which it begins to load. The figures depend on the machine; that each page paints
// something does not.
func TestBrowserFirstPaint(t *testing.T) {
	loads := 1
	if text := os.Getenv(loadsVariable); text != "" {
		var err error
		if loads, err = strconv.Atoi(text); err != nil || loads < 1 {
			t.Fatalf("%s: got %q, want how often each page is opened, such as 20", loadsVariable, text)
		}
	}
	var x *project
	if file := os.Getenv(databaseVariable); file != "" {
		x = newProject(t, "BOTWORK_DATABASE_DSN="+file) // without a worker, which would run the items
	} else {
		x = newProject(t)
		x.worker("bot-1")
	}
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf(`{"pipeline": "book-invoice", "queue": "orders", "payload": {"invoice": "INV-%d"}}`, i))
	}
	ids := x.enqueue(lines...)
	p := x.browser().as("admin")
	var all []float64
	for _, page := range []string{"/", "/items", fmt.Sprint("/items/", ids[0]), "/queues", "/workers", "/pipelines/book-invoice", "/forecast"} {
		var times []float64
		for range loads {
			var at float64
			p.run(network.ClearBrowserCache())
			p.open(page)
			p.until(`performance.getEntriesByName("first-contentful-paint").length > 0`)
			p.run(chromedp.Evaluate(`performance.getEntriesByName("first-contentful-paint")[0].startTime`, &at))
			times = append(times, at)
		}
		slices.Sort(times)
		t.Logf("%s: first content after %.0f ms, p95 %.0f ms", page, times[len(times)/2], times[len(times)*95/100])
		all = append(all, times...)
	}
	slices.Sort(all)
	t.Logf("all pages: first content after %.0f ms, p95 %.0f ms, of %d loads", all[len(all)/2], all[len(all)*95/100], len(all))
	if all[0] <= 0 {
		t.Errorf("a page has painted after %v ms, want a time after its begin", all[0])
	}
}
