package dashboard

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// Many open pages ask less often, and share more; a person who is alone sees everything as it is.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p pace
		for _, c := range []struct {
			tabs                                    int
			between, own, calm, shared, paced, slow time.Duration
		}{
			{0, 2 * time.Second, 2 * time.Second, 8 * time.Second, time.Second, 0, 20 * time.Second},
			{1, 2 * time.Second, 2 * time.Second, 8 * time.Second, time.Second, 0, 20 * time.Second},
			{2, 2 * time.Second, 2 * time.Second, 8 * time.Second, time.Second, time.Second, 20 * time.Second},
			{10, 4500 * time.Millisecond, 2 * time.Second, 18 * time.Second, 3500 * time.Millisecond, 3500 * time.Millisecond, 20 * time.Second},
			{100, 45 * time.Second, 11250 * time.Millisecond, 2 * time.Minute, 44 * time.Second, 44 * time.Second, time.Minute},
			{1000, time.Minute, 15 * time.Second, 2 * time.Minute, 59 * time.Second, 59 * time.Second, time.Minute},
		} {
			for i := range c.tabs {
				p.note(fmt.Sprint(i))
			}
			p.note("") // a browser that opens a page is no tab yet
			if p.count() != c.tabs {
				t.Errorf("counted %d tabs, want %d", p.count(), c.tabs)
			}
			got := []time.Duration{p.between(), p.own(), p.calm(), p.sharedFor(), p.pacedFor(), p.slowFor()}
			if want := []time.Duration{c.between, c.own, c.calm, c.shared, c.paced, c.slow}; !slices.Equal(got, want) {
				t.Errorf("%d tabs: between, own, calm, shared for, paced for and slow for are %v, want %v", c.tabs, got, want)
			}
		}
		time.Sleep(tabFor + time.Second)
		if n := p.count(); n != 0 {
			t.Errorf("%d tabs count some time after they were closed, want none", n)
		}
		for i := range maxTabs + 5 {
			p.note(fmt.Sprint(i))
		}
		if n := len(p.tabs); n > maxTabs {
			t.Errorf("%d tabs are kept, want at most %d", n, maxTabs)
		}
	})
}
