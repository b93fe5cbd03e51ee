package runner

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"botwork/workqueue"
)

func TestMemoryIsReleasedAfterLargeItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		released := 0
		r := releaser{release: func() { released++ }}
		end := func(it *workqueue.Item, output int) {
			r.ended(it, &workqueue.Outcome{Output: workqueue.JSONText(strings.Repeat("x", output))})
			time.Sleep(releaseAfter / 10)
			synctest.Wait()
		}
		for range 100 {
			end(&workqueue.Item{Payload: quoted(1000)}, 1000)
		}
		if released != 0 {
			t.Errorf("released %d times after small items", released)
		}
		large := &workqueue.Item{Payload: quoted(largeItem)}
		for range 100 {
			end(large, 0)
		}
		time.Sleep(2 * releaseAfter)
		synctest.Wait()
		if released < 5 || released > 11 {
			t.Errorf("released %d times in ten periods of %v, want at most once in each", released, releaseAfter)
		}
		for _, it := range []*workqueue.Item{{IntegrationConfig: strings.Repeat("x", largeItem)}, {Oversized: "yes"}} {
			before := released
			end(it, 0)
			time.Sleep(2 * releaseAfter)
			synctest.Wait()
			if released != before+1 {
				t.Error("memory was not released")
			}
		}
		before := released
		end(&workqueue.Item{}, largeItem)
		time.Sleep(2 * releaseAfter)
		synctest.Wait()
		if released != before+1 {
			t.Error("memory was not released after a large output")
		}
	})
}

// quoted returns a JSON string of n bytes.
func quoted(n int) workqueue.JSONText {
	return workqueue.JSONText(`"` + strings.Repeat("x", n-2) + `"`)
}
