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
		{"a server near by", 1500 * us, 10 * us, 250, 350},
		{"as many as one statement carries", 100 * us, us, finishBatch, finishBatch},
		{"a slow disk", 30 * time.Millisecond, 20 * us, finishBatch, finishBatch},
		{"rows that are slow", 500 * us, 2 * time.Millisecond, 1, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p writePace
			if p.most() != firstBatch {
				t.Errorf("of what nobody knows %d may come together, want %d", p.most(), firstBatch)
			}
			p.note(1, c.fixed+c.each) // somebody was alone for once
			for range 50 {
				n := p.most()
				p.note(n, c.fixed+time.Duration(n)*c.each)
			}
			if got := p.most(); got < c.least || got > c.most {
				t.Errorf("%d may come together, want %d to %d", got, c.least, c.most)
			}
		})
	}
}

func TestWritePaceFollowsTheDatabase(t *testing.T) {
	var p writePace
	write := func(each time.Duration) { n := p.most(); p.note(n, time.Duration(n)*each) }
	for range 50 {
		write(20 * time.Microsecond)
	}
	quick := p.most()
	p.note(1, 100*time.Microsecond) // one that is alone does not narrow the others
	if got := p.most(); got != quick {
		t.Errorf("%d may come together when one was alone, want %d as before", got, quick)
	}
	for range 50 {
		write(time.Millisecond)
	}
	if got := p.most(); got > 6 {
		t.Errorf("%d may come together when each takes a millisecond, want 5 or so", got)
	}
	for range 60 { // the disk stalls: each write takes long, whatever is in it
		p.note(p.most(), 30*time.Millisecond)
	}
	if got := p.most(); got < finishBatch {
		t.Errorf("%d may come together on a disk that has become slow, want %d: fewer are not written sooner", got, finishBatch)
	}
	for range 50 {
		write(20 * time.Microsecond)
	}
	if got := p.most(); got < quick*9/10 {
		t.Errorf("%d may come together when the database is quick again, want %d or so", got, quick)
	}
}

// The first writes of a worker are slow whatever is in them: nothing is in any cache.
func TestWritePaceForgetsHowItBegan(t *testing.T) {
	var p writePace
	const fixed, each = 600 * time.Microsecond, 15 * time.Microsecond
	alone := 0
	for i := range 200 {
		n := p.next()
		if i == 0 {
			n = 1 // nobody else has ended yet
		}
		took := fixed + time.Duration(n)*each
		if i < 3 {
			took += 25 * time.Millisecond
		}
		p.note(n, took)
		if n == 1 {
			alone++
		}
	}
	if got := p.most(); got < 250 || got > 310 {
		t.Errorf("%d may come together after a cold start, want about the 293 that take %v", got, writeBudget)
	}
	if want := 1 + 200/tryEvery; alone != want {
		t.Errorf("%d of 200 results were written alone to learn what that takes, want %d", alone, want)
	}
}

// No more results wait to be written than one write may carry: a crash repeats those.
func TestRunsWaitForResultsThatAreNotWritten(t *testing.T) {
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
			c.add(workqueue.Finish{ItemID: int64(i)}, nobody)
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
			t.Errorf("%d runs wait when all is written", waiting)
		}
	})
}

func TestRunsDoNotWaitForADatabaseThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		c := startCompleter(t, &mu, func([]workqueue.Finish) ([]int64, error) { return nil, errDown })
		for i := range 3 * firstBatch {
			c.add(workqueue.Finish{ItemID: int64(i)}, nobody)
		}
		synctest.Wait() // the first write has failed
		c.awaitRoom()
		if n := len(c.unwritten()); n != 3*firstBatch {
			t.Errorf("%d results are kept, want %d", n, 3*firstBatch)
		}
	})
}
