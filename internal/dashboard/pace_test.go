package dashboard

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// Many open pages ask less often, and share more; a person who is alone sees everything as it is.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pace
		for _, c := range []struct {
			tabs                   int
			between, shared, paced time.Duration
		}{
			{0, 2 * time.Second, time.Second, 0},
			{1, 2 * time.Second, time.Second, 0},
			{2, 2 * time.Second, time.Second, time.Second},
			{25, 3 * time.Second, 2 * time.Second, 2 * time.Second},
			{100, 12 * time.Second, 11 * time.Second, 11 * time.Second},
			{1000, 30 * time.Second, 29 * time.Second, 29 * time.Second},
		} {
			for i := range c.tabs {
				p.note(fmt.Sprint(i))
			}
			p.note("") // a browser that opens a page is no tab yet
			if p.count() != c.tabs || p.between() != c.between || p.sharedFor() != c.shared || p.pacedFor() != c.paced {
				t.Errorf("%d tabs (counted %d): between %s, shared for %s, paced for %s; want %s, %s, %s", c.tabs, p.count(), p.between(), p.sharedFor(), p.pacedFor(), c.between, c.shared, c.paced)
			}
		}
		time.Sleep(tabFor + time.Second)
		if n := p.count(); n != 0 {
			t.Errorf("%d tabs count a minute after they were closed, want none", n)
		}
		for i := range maxTabs + 5 {
			p.note(fmt.Sprint(i))
		}
		if n := len(p.tabs); n > maxTabs {
			t.Errorf("%d tabs are kept, want at most %d", n, maxTabs)
		}
	})
}
