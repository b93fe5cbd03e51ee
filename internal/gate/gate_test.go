package gate

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

// fakeMeter returns what a test sets.
type fakeMeter struct {
	mu     sync.Mutex
	cpu    float64
	memory int64
	disks  map[string]int64
	err    error
	calls  int
}

func (m *fakeMeter) set(change func(*fakeMeter)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(m)
}

func (m *fakeMeter) CPU() (float64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	return m.cpu, m.err
}

func (m *fakeMeter) MemoryFree() (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	return m.memory, m.err
}

func (m *fakeMeter) DiskFree(folder string) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls++
	return m.disks[folder], m.err
}

// opened starts a gate with these bounds in a bubble. log has its lines.
func opened(t *testing.T, b Bounds, m *fakeMeter) (g *Gate, log *bytes.Buffer) {
	t.Helper()
	log = &bytes.Buffer{}
	g = New(b, m, zerolog.New(log))
	g.Start()
	t.Cleanup(g.Stop)
	return g, log
}

// after waits, and then for the measurement of that instant.
func after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func changes(g *Gate) int {
	select {
	case <-g.Changed():
		return 1
	default:
		return 0
	}
}

func TestShortPeaksChangeNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &fakeMeter{cpu: 30}
		g, log := opened(t, Bounds{CPU: 90}, m)
		for range 100 { // four seconds of peak in each ten
			m.set(func(m *fakeMeter) { m.cpu = 100 })
			after(4 * time.Second)
			m.set(func(m *fakeMeter) { m.cpu = 60 })
			after(6 * time.Second)
			if g.Closed() != "" {
				t.Fatalf("closed by a short peak: %s", g.Closed())
			}
		}
		if changes(g) != 0 || log.Len() > 0 {
			t.Errorf("changes or log lines without a change: %s", log)
		}
	})
}

func TestClosesAndOpens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &fakeMeter{cpu: 30}
		g, log := opened(t, Bounds{CPU: 90}, m)
		after(time.Minute)
		m.set(func(m *fakeMeter) { m.cpu = 97 })
		after(9 * time.Second)
		if g.Closed() != "" {
			t.Errorf("closed after 9 s: %s", g.Closed())
		}
		after(3 * time.Second)
		if got := g.Closed(); got != "cpu 97% over 90%" || changes(g) != 1 {
			t.Errorf("closed = %q, want cpu 97%% over 90%% and one change", got)
		}
		// Near the bound it stays closed, however often the load crosses the bound.
		for range 50 {
			m.set(func(m *fakeMeter) { m.cpu = 92 })
			after(10 * time.Second)
			m.set(func(m *fakeMeter) { m.cpu = 87 })
			after(10 * time.Second)
			if g.Closed() == "" {
				t.Fatal("opened near the bound")
			}
		}
		if changes(g) != 0 {
			t.Error("changes while it stays closed")
		}
		m.set(func(m *fakeMeter) { m.cpu = 20 })
		after(12 * time.Second)
		if g.Closed() != "" || changes(g) != 1 {
			t.Errorf("closed = %q 12 s after the load has gone", g.Closed())
		}
		if n := strings.Count(log.String(), "\n"); n != 2 {
			t.Errorf("%d log lines, want one when it closed and one when it opened:\n%s", n, log)
		}
	})
}

func TestStaysClosedForHalfAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &fakeMeter{cpu: 100}
		g, _ := opened(t, Bounds{CPU: 90}, m)
		closings := 0
		var opened time.Duration
		// A load that follows the gate: items begin when it opens, and end when it closes.
		for start := time.Now(); time.Since(start) < time.Hour; {
			after(time.Second)
			closed := g.Closed() != ""
			closings += changes(g)
			if !closed {
				opened += time.Second
			}
			m.set(func(m *fakeMeter) {
				if m.cpu = 100; closed {
					m.cpu = 0
				}
			})
		}
		if most := 2 * int(time.Hour/(40*time.Second)); closings > most {
			t.Errorf("%d changes in an hour, want at most %d: ten seconds open, half a minute closed", closings, most)
		}
		if opened < 10*time.Minute {
			t.Errorf("open for %s of an hour, want it to open again and again", opened)
		}
	})
}

func TestDiskAndMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &fakeMeter{memory: 4 << 30, disks: map[string]int64{"/data": 800 << 20, "/logs": 50 << 30}}
		g, log := opened(t, Bounds{MemoryFree: 500 << 20, DiskFree: 1 << 30, Folders: []string{"/data", "/logs"}}, m)
		const disk = "free disk space at /data 800MB below 1GB"
		if got := g.Closed(); got != disk || changes(g) != 1 {
			t.Errorf("closed = %q at the start, want %q: the disk is full already", got, disk)
		}
		m.set(func(m *fakeMeter) { m.memory = 100 << 20 })
		after(20 * time.Second)
		if got, want := g.Closed(), "free memory 100MB below 500MB, "+disk; got != want || changes(g) != 1 {
			t.Errorf("closed = %q, want %q and a change: another resource", got, want)
		}
		// A tenth more than the bound must be free.
		m.set(func(m *fakeMeter) {
			m.memory, m.disks = 8<<30, map[string]int64{"/data": 1<<30 + 1<<20, "/logs": 50 << 30}
		})
		after(time.Minute)
		if got, want := g.Closed(), "free disk space at /data 1025MB still near 1GB"; got != want {
			t.Errorf("closed = %q, want %q", got, want)
		}
		m.set(func(m *fakeMeter) { m.disks["/data"] = 2 << 30 })
		after(time.Minute)
		if got := g.Closed(); got != "" {
			t.Errorf("closed = %q with enough of everything\n%s", got, log)
		}
	})
}

func TestUnmeasurable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &fakeMeter{cpu: 99}
		g, log := opened(t, Bounds{CPU: 90}, m)
		after(20 * time.Second)
		if g.Closed() == "" {
			t.Fatal("open at 99%")
		}
		m.set(func(m *fakeMeter) { m.err = errors.New("access denied") })
		after(5 * time.Minute)
		if got := g.Closed(); got != "" {
			t.Errorf("closed = %q although nothing can be measured", got)
		}
		if n := strings.Count(log.String(), "measure cpu: access denied"); n != 1 {
			t.Errorf("the error is logged %d times, want once:\n%s", n, log)
		}
	})
}

func TestStopEndsMeasurements(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &fakeMeter{}
		g := New(Bounds{CPU: 90}, m, zerolog.Nop())
		g.Stop()
		g.Stop() // twice, and unstarted
		g = New(Bounds{CPU: 90}, m, zerolog.Nop())
		g.Start()
		g.Stop()
		before := m.calls
		time.Sleep(time.Minute)
		if m.calls != before {
			t.Error("measured after Stop")
		}
	})
}
