package gate

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
)

const (
	// every is the time between two measurements, samples how many of them are judged
	// together.
	every   = 2 * time.Second
	samples = 5

	// holdFor is how long a closed gate stays closed at least. Each opening lets items begin
	// whose load shows only seconds later.
	holdFor = 30 * time.Second

	// mostReason bounds the reason in runes; it includes the path of a folder.
	mostReason = 300
)

// Meter measures the machine.
type Meter interface {
	// CPU returns how busy the processors were since the previous call, in percent of all of
	// them; of the first call, since some time before.
	CPU() (float64, error)

	// MemoryFree returns the bytes that programs can still get.
	MemoryFree() (int64, error)

	// DiskFree returns the bytes that are free on the disk of a folder. Quotas count on Linux only.
	DiskFree(folder string) (int64, error)
}

// Gate is closed while a bound is exceeded. Its methods are safe for concurrent use.
type Gate struct {
	log     zerolog.Logger
	watched []*watched
	changed chan struct{}
	reason  atomic.Pointer[string]

	// Of the loop that measures, and of Start before.
	beyond   string    // the names of what is beyond its bound; "": the gate is open
	closedAt time.Time // when it closed last

	stop  chan struct{}
	ended sync.WaitGroup
	once  sync.Once
}

// New returns an open gate with these bounds.
func New(b Bounds, m Meter, log zerolog.Logger) *Gate {
	g := &Gate{log: log, changed: make(chan struct{}, 1), stop: make(chan struct{})}
	g.reason.Store(new(""))
	bytes := func(n int64, err error) (float64, error) { return float64(n), err }
	if b.CPU > 0 {
		g.watched = append(g.watched, &watched{name: "cpu", measure: m.CPU, most: b.CPU, text: percentText, atLeast: samples})
	}
	if b.MemoryFree > 0 {
		g.watched = append(g.watched, &watched{
			name: "free memory", least: float64(b.MemoryFree), text: bytesText, atLeast: samples,
			measure: func() (float64, error) { return bytes(m.MemoryFree()) },
		})
	}
	for _, folder := range b.Folders {
		if b.DiskFree > 0 {
			g.watched = append(g.watched, &watched{
				name: "free disk space at " + strings.ToValidUTF8(folder, "?"), least: float64(b.DiskFree), text: bytesText, atLeast: 1,
				measure: func() (float64, error) { return bytes(m.DiskFree(folder)) },
			})
		}
	}
	return g
}

// Start measures once and then until Stop. A disk that is full already closes the gate before Start
// returns; the processors and the memory need the first ten seconds.
func (g *Gate) Start() {
	g.measure(time.Now())
	g.ended.Go(func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-g.stop:
				return
			case now := <-ticker.C:
				g.measure(now)
			}
		}
	})
}

// Stop ends the measurements. It may be called twice, and without Start. It does not wait for a
// measurement that hangs, such as that of a file server that does not answer.
func (g *Gate) Stop() {
	g.once.Do(func() { close(g.stop) })
	ended := make(chan struct{})
	go func() { g.ended.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(every):
	}
}

// Closed returns why the worker must take no new items; "" if it may. The figures in the reason are
// the latest.
func (g *Gate) Closed() string { return *g.reason.Load() }

// Changed receives a value when the gate has closed or opened, or is closed for another resource.
func (g *Gate) Changed() <-chan struct{} { return g.changed }

// measure takes one sample of everything and judges.
func (g *Gate) measure(now time.Time) {
	var names, reasons []string
	for _, w := range g.watched {
		if err := w.sample(); err != nil {
			g.log.Warn().Err(err).Msg("cannot measure a resource of worker.gate; it does not hold the worker back")
		}
		if w.closed {
			names, reasons = append(names, w.name), append(reasons, w.reason())
		}
	}
	beyond := strings.Join(names, ", ")
	if beyond == "" && g.beyond != "" && now.Sub(g.closedAt) < holdFor {
		return // the last reason stays
	}
	reason := cut(strings.Join(reasons, ", "))
	g.reason.Store(&reason)
	if beyond == g.beyond {
		return
	}
	if beyond == "" {
		g.log.Info().Float64("closed_s", now.Sub(g.closedAt).Seconds()).Msg("this machine has resources again; the worker takes items")
	} else {
		if g.beyond == "" {
			g.closedAt = now
		}
		g.log.Warn().Str("reason", reason).Msg("this machine is short of a resource; the worker takes no new items, running items continue")
	}
	g.beyond = beyond
	select {
	case g.changed <- struct{}{}:
	default: // the receiver has not seen the previous change yet, and reads the latest reason
	}
}

func cut(reason string) string {
	if runes := []rune(reason); len(runes) > mostReason {
		return string(runes[:mostReason-1]) + "…"
	}
	return reason
}
