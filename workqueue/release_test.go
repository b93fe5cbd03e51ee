package workqueue

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestMemoryIsReleasedAfterLargeItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		released := 0
		r := releaser{release: func() { released++ }}
		end := func(it *Item, output int) {
			r.ended(it, &Outcome{Output: JSONText(strings.Repeat("x", output))})
			time.Sleep(releaseAfter / 10)
			synctest.Wait()
		}
		for range 100 {
			end(&Item{Payload: text(1000)}, 1000)
		}
		if released != 0 {
			t.Errorf("released %d times after small items", released)
		}
		large := &Item{Payload: text(largeItem)}
		for range 100 {
			end(large, 0)
		}
		time.Sleep(2 * releaseAfter)
		synctest.Wait()
		if released < 5 || released > 11 {
			t.Errorf("released %d times in ten spans of %v, want once in each at most", released, releaseAfter)
		}
		for _, it := range []*Item{{IntegrationConfig: strings.Repeat("x", largeItem)}, {Oversized: "yes"}} {
			before := released
			end(it, 0)
			time.Sleep(2 * releaseAfter)
			synctest.Wait()
			if released != before+1 {
				t.Error("it was not released")
			}
		}
		before := released
		end(&Item{}, largeItem)
		time.Sleep(2 * releaseAfter)
		synctest.Wait()
		if released != before+1 {
			t.Error("it was not released after a large output")
		}
	})
}
