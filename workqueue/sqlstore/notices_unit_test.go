package sqlstore

import (
	"slices"
	"testing"
	"time"

	"botwork/workqueue"
)

func TestPayload(t *testing.T) {
	here, there := newStore(&connection{}), newStore(&connection{})
	here.name, there.name = "here", "there"
	for _, n := range []workqueue.Notice{
		{Band: workqueue.EveryPriority},
		{Band: workqueue.Band{Min: -5, Max: 7}, Workers: []int64{3, 9_000_000_000}},
		{Band: workqueue.Band{Min: 1, Max: 2}, Soon: true},
	} {
		text := here.payload(here.name, n)
		if _, ok := here.noticeOf(text); ok {
			t.Errorf("%q: a notice of this process was read as one of another", text)
		}
		got, ok := there.noticeOf(text)
		if !ok || !got.Others || got.Band != n.Band || got.Soon != n.Soon || !slices.Equal(got.Workers, n.Workers) {
			t.Errorf("%q: read %+v, %t, want %+v", text, got, ok, n)
		}
	}
	for _, text := range []string{"", "probe x", "here", "x 1", "x 1 y", "x 1 2 z", "x 1.5 2", "soon", "x soon", "x 1 soon"} {
		if n, ok := there.noticeOf(text); ok {
			t.Errorf("%q: read %+v, want nothing", text, n)
		}
	}
}

func TestPaceOfNotices(t *testing.T) {
	q := &notifier{}
	now := time.Now()
	for i := range noticeBurst {
		if wait := q.toWait(now); wait != 0 {
			t.Fatalf("notice %d waits %v, want no wait for the first %d", i+1, wait, noticeBurst)
		}
	}
	sent := 0
	for end := now.Add(2 * time.Second); now.Before(end); sent++ {
		now = now.Add(q.toWait(now))
	}
	if sent < 2*noticeRate-2 || sent > 2*noticeRate+2 {
		t.Errorf("%d notices in two seconds, want about %d", sent, 2*noticeRate)
	}
}

func TestMergeNotices(t *testing.T) {
	n := merge(merge(nil, workqueue.Notice{Band: workqueue.Band{Min: 5, Max: 6}}), workqueue.Notice{Band: workqueue.Band{Min: 1, Max: 2}, Workers: []int64{4}})
	if n.Band != (workqueue.Band{Min: 1, Max: 6}) || len(n.Workers) != 1 {
		t.Errorf("merged to %+v", n)
	}
}
