package simulation

import (
	"sync/atomic"
	"time"
)

// gate is that of one process: its machine is short of a resource while the director wants it.
type gate struct {
	reason  atomic.Pointer[string]
	changed chan struct{}
}

func newGate() *gate {
	g := &gate{changed: make(chan struct{}, 1)}
	g.reason.Store(new(""))
	return g
}

func (g *gate) Closed() string { return *g.reason.Load() }

func (g *gate) Changed() <-chan struct{} { return g.changed }

func (g *gate) set(reason string) {
	g.reason.Store(&reason)
	select {
	case g.changed <- struct{}{}:
	default:
	}
}

// crowd makes a machine short of processors for a while, or every machine.
func (w *world) crowd(d dice) []expectation {
	first := w.machine[d.IntN(len(w.machine))]
	every, back := d.chance(25), d.between(time.Second, 2*w.rules.Lease)
	for _, m := range w.machine {
		if m != first && !every {
			continue
		}
		if p := m.present.Load(); p != nil && !w.calm.Load() {
			p.log("is gated for %s", back)
			w.judge.count(&w.judge.figures.gates, 1)
			p.gate.set("cpu 97% over 90%")
			w.later(back, p.relieve)
		}
	}
	return nil
}

// relieve opens the gate of the process. Its passes and claims begin again some time later.
func (p *process) relieve() {
	if p.gate.Closed() != "" {
		p.log("is no longer gated")
		p.trouble(0)
		p.gate.set("")
	}
}
