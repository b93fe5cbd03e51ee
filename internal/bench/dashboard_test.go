package bench

import (
	"strings"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/internal/testgroup"
)

func TestDashboard(t *testing.T) {
	testgroup.Need(t, testgroup.Processes)
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		progress := &counter{}
		o := DashboardOptions{Common: common(t, e, progress), Finished: 300, Waiting: 50, Workers: 3, Requests: 2, Browsers: 10, Rate: 20, For: 3 * time.Second, Drain: 200, hurry: true}
		r, err := Dashboard(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		wantPositive(t, r, PageP50Ms, PageP95Ms, SlowestPageP95Ms, FirstLoadKb, OpenPagesStatementsPerSecond, OpenPagesRenewedPerSecond, OpenPagesDrainShare)
		if r.N != 350 || progress.sum() != o.Work() {
			t.Errorf("report of %d items and progress %d, want 350 and %d", r.N, progress.sum(), o.Work())
		}
		// Each page has a figure; the pages of the two items share one.
		pages := 0
		for name := range r.Figures {
			if strings.HasPrefix(string(name), string(pageFigure("/"))) {
				pages++
			}
		}
		if want := len(o.pages(1, 2)) - 1; pages != want {
			t.Errorf("%d pages have a figure, want %d", pages, want)
		}
		if kb := r.Figures[FirstLoadKb].Median; kb > 150 {
			t.Errorf("the first load is %.0f kB, want 150 at most", kb)
		}
	})
}
