package simulation

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"botwork/internal/scheduler"
	"botwork/workqueue"
	"botwork/workqueue/runner"
)

// machine runs the processes of one worker, one after the other.
type machine struct {
	w    *world
	name string
	skew time.Duration // how far its clock is ahead of the simulation's

	starts  int
	latest  *process                // started last
	present atomic.Pointer[process] // nil: no process is running
}

// process is one start of a worker.
type process struct {
	*machine
	pid       int
	instance  string
	dead      chan struct{} // closed when the process is dead
	stopping  chan struct{} // closed when the process must drain and end
	stopOnce  sync.Once
	before    *process      // the previous one on its machine; nil: it is the first
	succeeded chan struct{} // closed when the next one has registered
	drained   atomic.Bool   // by hand: it takes no more items
	gate      *gate

	mu     sync.Mutex
	frozen chan struct{} // closed when it continues; nil: it is not frozen
	cut    chan struct{} // closed when it has its connection again; nil: it is connected
	calls  map[string]int

	slots   int                          // in which items run
	running map[string]int               // items by their channel
	claims  map[workqueue.ItemRef]*claim // that have not begun

	// beginSentAt and answeredAt are the times of the Begin statement that was answered last.
	beginSentAt, answeredAt time.Time

	// turn is the large item that the process had to release. It keeps free slots for this item.
	turn largeItem

	// spoiled is set when a begin was refused so late that the slots of its item may have
	// counted as stuck: they remain stuck, and no more items start in them.
	spoiled bool

	troubles int       // statements that are failing now
	troubled time.Time // time of the last failure

	// surveyed is what each of its passes has read last, without the lock. A pass
	// has one context; several run at the same time.
	surveyed map[context.Context]*passView

	// Set once it has registered.
	runner    *runner.Runner
	scheduler *scheduler.Scheduler
	sessions  map[string]*runner.Session // of active runs, by their job
	ended     chan struct{}              // closed when the process has ended completely
}

// start starts a process on a machine without one.
func (m *machine) start() {
	if m.w.closing.Load() {
		return
	}
	m.w.mu.Lock()
	m.starts++
	p := &process{
		machine: m, pid: m.starts, instance: fmt.Sprintf("%s-%d", m.name, m.starts),
		dead: make(chan struct{}), stopping: make(chan struct{}), ended: make(chan struct{}), succeeded: make(chan struct{}), before: m.latest, calls: map[string]int{}, running: map[string]int{}, sessions: map[string]*runner.Session{},
		claims: map[workqueue.ItemRef]*claim{}, turn: largeItem{priority: workqueue.EveryPriority.Min}, troubled: time.Now(),
		gate: newGate(),
	}
	replaces := ""
	if last := m.latest; last != nil && last.isDead() && roll(m.w.seed, p.instance, 0).chance(50) {
		replaces = last.instance // the new process knows that the previous one is dead
	}
	m.latest = p
	m.w.processes = append(m.w.processes, p)
	m.w.mu.Unlock()
	m.present.Store(p)
	p.log("starts")
	go p.live(replaces)
}

// live registers, and works until the process is killed or stopped.
func (p *process) live(replaces string) {
	defer close(p.ended)
	for !p.register(replaces) {
		if p.isDead() || p.isStopping() || p.w.isOver() {
			return
		}
		p.w.sleep(time.Second + p.dice("register again").between(0, time.Second))
	}
	p.mu.Lock()
	p.scheduler = p.newScheduler()
	p.mu.Unlock()
	if !p.isStopping() && !p.isDead() { // otherwise the progress of Start would be random
		if err := p.scheduler.Start(context.Background()); err != nil {
			p.w.judge.violation("%s: start the scheduler: %v", p.instance, err)
		}
	}
	if p.w.rules.Wake {
		polling := make(chan struct{})
		go func() {
			defer close(polling)
			p.poll()
		}()
		defer func() { <-polling }()
	}
	select {
	case <-p.dead:
	case <-p.stopping:
		// A frozen process notices it when it continues, and not at the same
		// instant as all other events that it has missed.
		if p.awake(context.Background()) == nil {
			_ = p.sleep(context.Background(), p.dice("asked").between(time.Microsecond, time.Millisecond))
		}
	case <-p.runner.Replaced():
		p.log("notices that it was replaced")
		p.shutdown()
		p.exit()
		if p.present.CompareAndSwap(p, nil) && !p.w.isOver() {
			p.start() // as a service manager does
		}
		return
	case <-p.w.over:
	}
	p.shutdown()
	p.exit()
}

func (p *process) register(replaces string) bool {
	runner, err := runner.New(runner.Options{
		Store: link{p}, RunItem: p.runItem, Log: zerolog.Nop(), Heartbeat: p.w.rules.Heartbeat, ShutdownGrace: p.w.rules.Grace,
		Spec: workqueue.WorkerSpec{
			Name: p.name, InstanceID: p.instance, Host: p.name, PID: p.pid, Version: "simulated",
			Capacity: p.w.rules.Capacity, Lease: p.w.rules.Lease, Replaces: replaces,
			ReservedSlots: p.w.rules.Reserved, Channels: p.w.rules.Channels,
		},
		Attend: p.attend, Profiles: profile, Gate: p.gate,
	})
	if err != nil {
		p.w.judge.violation("%s: make the runner: %v", p.instance, err)
		return false
	}
	if err := runner.Start(context.Background()); err != nil {
		taken := (*workqueue.NameTakenError)(nil)
		if errors.As(err, &taken) && taken.InstanceID == p.instance {
			// The answer to the registration was lost. A real process waits
			// for its own lease to expire, or replaces itself with a new instance id.
			return p.register(p.instance)
		}
		return false
	}
	p.mu.Lock()
	p.runner = runner
	p.mu.Unlock()
	p.log("is registered")
	if p.before != nil {
		close(p.before.succeeded)
	}
	return true
}

// shutdown stops the parts of a process. A dead process stops without statements.
func (p *process) shutdown() {
	var wg sync.WaitGroup
	ctx, cancel := context.WithTimeout(context.Background(), p.w.rules.Grace+p.w.rules.Lease)
	defer cancel()
	wg.Go(func() { _ = p.scheduler.Stop(ctx) })
	stop := context.Background()
	if p.isDead() {
		ended, cancel := context.WithCancel(stop)
		cancel()
		stop = ended
	}
	if err := p.runner.Stop(stop); err != nil {
		p.log("stopped with: %v", err)
		p.w.judge.gaveUp(p)
	}
	wg.Wait()
	p.log("has ended")
}

// kill is like kill -9: from now on the process has no effects.
func (p *process) kill() {
	p.log("is killed")
	p.w.judge.count(&p.w.judge.figures.kills, 1)
	p.w.judge.gaveUp(p)
	p.exit()
	p.thaw()
	p.join()
	p.present.CompareAndSwap(p, nil)
}

// exit marks the process as dead.
func (p *process) exit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.isDead() {
		close(p.dead)
	}
}

// stop asks the process to drain and end, like a service manager, and waits
// for it.
func (p *process) stop() {
	p.stopOnce.Do(func() {
		p.log("is asked to stop")
		close(p.stopping)
	})
	<-p.ended
	p.present.CompareAndSwap(p, nil)
}

// freeze is like SIGSTOP, thaw like SIGCONT.
func (p *process) freeze(d time.Duration) {
	p.log("is frozen for %s", d)
	p.w.judge.count(&p.w.judge.figures.freezes, 1)
	p.mu.Lock()
	if p.frozen == nil {
		p.frozen = make(chan struct{})
	}
	p.mu.Unlock()
	p.w.later(d, func() {
		p.log("continues")
		p.thaw()
	})
}

func (p *process) thaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.frozen != nil {
		close(p.frozen)
		p.frozen, p.troubled = nil, time.Now()
	}
}

// part cuts the connection, join restores it. After the trouble has ended, no
// connection is cut, because no event would restore it.
func (p *process) part() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut == nil && !p.w.calm.Load() {
		p.cut = make(chan struct{})
	}
}

func (p *process) join() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut != nil {
		close(p.cut)
		p.cut, p.troubled = nil, time.Now()
	}
}

// awake waits while the process is frozen: it can neither send nor receive. ctx
// may have ended when it returns.
func (p *process) awake(ctx context.Context) error {
	for {
		p.mu.Lock()
		frozen := p.frozen
		p.mu.Unlock()
		if p.isDead() {
			return errKilled
		}
		if frozen == nil {
			return ctx.Err()
		}
		select {
		case <-frozen:
		case <-p.dead:
		}
	}
}

// sleep waits in the process, at least for d.
func (p *process) sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-p.dead:
	}
	return p.awake(ctx)
}

// connected waits for the connection, until the caller gives up.
func (p *process) connected(ctx context.Context) error {
	p.mu.Lock()
	cut := p.cut
	p.mu.Unlock()
	if cut == nil {
		return nil
	}
	const patience = 15 * time.Second // of the operating system, shorter than in reality
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-cut:
	case <-ctx.Done():
	case <-p.dead:
	case <-timer.C:
	}
	if err := p.awake(ctx); err != nil {
		return err
	}
	return errRefused
}

func (p *process) isDead() bool { return closed(p.dead) }

func (p *process) isStopping() bool { return closed(p.stopping) }

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// dice returns the dice of the process's next call of this kind.
func (p *process) dice(op string) dice {
	p.mu.Lock()
	p.calls[op]++
	n := p.calls[op]
	p.mu.Unlock()
	return roll(p.w.seed, p.instance+" "+op, n)
}

func (p *process) log(format string, args ...any) {
	p.w.judge.log(p.instance, format, args...)
}
