package runner

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"botwork/workqueue"
)

func TestWritePace(t *testing.T) {
	const us = time.Microsecond
	for _, c := range []struct {
		name        string
		fixed, each time.Duration
		least, most int
	}{
		{"a quick disk", 500 * us, 20 * us, 150, 225},
		{"a nearby server", 1500 * us, 10 * us, 250, 350},
		{"as many as one statement may contain", 100 * us, us, finishBatch, finishBatch},
		{"a slow disk", 30 * time.Millisecond, 20 * us, finishBatch, finishBatch},
		{"slow rows", 500 * us, 2 * time.Millisecond, 1, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p writePace
			if p.most() != firstBatch {
				t.Errorf("first batch of %d, want %d", p.most(), firstBatch)
			}
			p.record(1, c.fixed+c.each) // one result alone
			for range 50 {
				n := p.most()
				p.record(n, c.fixed+time.Duration(n)*c.each)
			}
			if got := p.most(); got < c.least || got > c.most {
				t.Errorf("batches of %d, want %d to %d", got, c.least, c.most)
			}
		})
	}
}

func TestWritePaceFollowsTheDatabase(t *testing.T) {
	var p writePace
	write := func(each time.Duration) { n := p.most(); p.record(n, time.Duration(n)*each) }
	for range 50 {
		write(20 * time.Microsecond)
	}
	quick := p.most()
	p.record(1, 100*time.Microsecond) // a write of one result does not reduce the batch
	if got := p.most(); got != quick {
		t.Errorf("batches of %d after a write of one result, want %d as before", got, quick)
	}
	for range 50 {
		write(time.Millisecond)
	}
	if got := p.most(); got > 6 {
		t.Errorf("batches of %d if each result takes a millisecond, want about 5", got)
	}
	for range 60 { // the disk stalls: each write is slow, whatever its size
		p.record(p.most(), 30*time.Millisecond)
	}
	if got := p.most(); got < finishBatch {
		t.Errorf("batches of %d on a disk that has become slow, want %d: smaller ones are not written sooner", got, finishBatch)
	}
	for range 50 {
		write(20 * time.Microsecond)
	}
	if got := p.most(); got < quick*9/10 {
		t.Errorf("batches of %d when the database is fast again, want about %d", got, quick)
	}
}

// The first writes of a worker are slow, whatever their size, because the caches are empty.
func TestWritePaceAfterColdStart(t *testing.T) {
	var p writePace
	const fixed, each = 600 * time.Microsecond, 15 * time.Microsecond
	alone := 0
	for i := range 200 {
		n := p.next()
		if i == 0 {
			n = 1 // no other run has ended yet
		}
		took := fixed + time.Duration(n)*each
		if i < 3 {
			took += 25 * time.Millisecond
		}
		p.record(n, took)
		if n == 1 {
			alone++
		}
	}
	if got := p.most(); got < 250 || got > 310 {
		t.Errorf("batches of %d after a cold start, want about 293, which take %v", got, writeBudget)
	}
	if want := 1 + 200/tryEvery; alone != want {
		t.Errorf("%d of 200 results were written alone to measure the time, want %d", alone, want)
	}
}

// No more results wait to be written than one write may contain, because a crash repeats their
// runs.
func TestRunsWaitForUnwrittenResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		hold := make(chan struct{})
		c := startCompleter(t, &mu, func([]workqueue.Finish) ([]int64, error) {
			<-hold
			return nil, nil
		})
		var count sync.Mutex
		waiting := 0                    // guarded by count
		for i := range firstBatch + 1 { // one is being written
			c.add(workqueue.Finish{ItemID: int64(i)}, ignoreSettled)
			if i == 0 {
				synctest.Wait()
			}
			go func() {
				count.Lock()
				waiting++
				count.Unlock()
				c.awaitRoom()
				count.Lock()
				waiting--
				count.Unlock()
			}()
			synctest.Wait()
			count.Lock()
			want := 0
			if i == firstBatch {
				want = 1
			}
			if waiting != want {
				t.Errorf("%d runs wait behind %d results, want %d", waiting, i+1, want)
			}
			count.Unlock()
		}
		close(hold)
		synctest.Wait()
		count.Lock()
		defer count.Unlock()
		if waiting != 0 {
			t.Errorf("%d runs wait when all results are written", waiting)
		}
	})
}

func TestRunsDoNotWaitWhileDatabaseIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		c := startCompleter(t, &mu, func([]workqueue.Finish) ([]int64, error) { return nil, errDown })
		for i := range 3 * firstBatch {
			c.add(workqueue.Finish{ItemID: int64(i)}, ignoreSettled)
		}
		synctest.Wait() // the first write has failed
		c.awaitRoom()
		if n := len(c.unwritten()); n != 3*firstBatch {
			t.Errorf("%d results are kept, want %d", n, 3*firstBatch)
		}
	})
}
