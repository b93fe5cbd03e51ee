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

// machine is a place where one worker's processes live, one after the other.
type machine struct {
	w    *world
	name string
	skew time.Duration // how far its clock is ahead of the simulation's

	starts  int
	latest  *process                // the one that was started last
	present atomic.Pointer[process] // nil: nothing runs here
}

// process is one start of a worker.
type process struct {
	*machine
	pid       int
	instance  string
	dead      chan struct{} // closed when nothing of it goes on
	asked     chan struct{} // closed when it is to drain and end
	askOnce   sync.Once
	before    *process      // on its machine; nil: it is the first
	succeeded chan struct{} // closed when the next one has registered
	drained   atomic.Bool   // by hand: it will take nothing any more

	mu     sync.Mutex
	frozen chan struct{} // closed when it goes on; nil: it is awake
	cut    chan struct{} // closed when it has its connection back; nil: it has it
	calls  map[string]int

	slots   int                          // in which items run
	running map[string]int               // items by their channel
	claims  map[workqueue.ItemRef]*claim // that have not begun

	// askedAt and answeredAt are those of the statement Begin that was answered last.
	askedAt, answeredAt time.Time

	// turn and turnCost are the priority and the slots of the large item for which the
	// process keeps free slots from others, since it had to give it back.
	turn, turnCost int

	// spoiled is set when a begin was refused so late that the slots of its item may have
	// counted as stuck: they go on to do so, and nothing starts in them any more.
	spoiled bool

	troubles int       // statements with which something goes wrong now
	troubled time.Time // when something went wrong last

	// surveyed is what each of its passes could read last, without the lock. A pass
	// has one context; several run at the same time.
	surveyed map[context.Context]*passView

	// Set once it has registered.
	runner    *runner.Runner
	scheduler *scheduler.Scheduler
	sessions  map[string]*runner.Session // of the runs that go on, by their job
	ended     chan struct{}              // closed when nothing of it is left
}

// start begins a process on a machine where none runs.
func (m *machine) start() {
	if m.w.closing.Load() {
		return
	}
	m.w.mu.Lock()
	m.starts++
	p := &process{
		machine: m, pid: m.starts, instance: fmt.Sprintf("%s-%d", m.name, m.starts),
		dead: make(chan struct{}), asked: make(chan struct{}), ended: make(chan struct{}), succeeded: make(chan struct{}), before: m.latest, calls: map[string]int{}, running: map[string]int{}, sessions: map[string]*runner.Session{},
		claims: map[workqueue.ItemRef]*claim{}, turn: workqueue.EveryPriority.Min, troubled: time.Now(),
	}
	replaces := ""
	if last := m.latest; last != nil && last.isDead() && roll(m.w.seed, p.instance, 0).chance(50) {
		replaces = last.instance // the machine knows that it is dead
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
		if p.isDead() || p.isAsked() || p.w.isOver() {
			return
		}
		p.w.sleep(time.Second + p.dice("register again").between(0, time.Second))
	}
	p.mu.Lock()
	p.scheduler = p.newScheduler()
	p.mu.Unlock()
	if !p.isAsked() && !p.isDead() { // else it would be chance how far it comes
		if err := p.scheduler.Start(context.Background()); err != nil {
			p.w.judge.violation("%s: start the scheduler: %v", p.instance, err)
		}
	}
	if p.w.rules.Wake {
		looking := make(chan struct{})
		go func() {
			defer close(looking)
			p.look()
		}()
		defer func() { <-looking }()
	}
	select {
	case <-p.dead:
	case <-p.asked:
		// A frozen process hears it when it goes on, and not at the very
		// instant at which all that it has missed comes in.
		if p.awake(context.Background()) == nil {
			_ = p.sleep(context.Background(), p.dice("asked").between(time.Microsecond, time.Millisecond))
		}
	case <-p.runner.Replaced():
		p.log("learns that its name is not its own any more")
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
		Attend: p.attend, Profiles: profile,
	})
	if err != nil {
		p.w.judge.violation("%s: make the runner: %v", p.instance, err)
		return false
	}
	if err := runner.Start(context.Background()); err != nil {
		taken := (*workqueue.NameTakenError)(nil)
		if errors.As(err, &taken) && taken.InstanceID == p.instance {
			// The answer to the registration was lost. A real process waits
			// for its own lease, or replaces itself by a new instance id.
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

// shutdown ends what is left of a process. Of a dead one nobody hears.
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
	p.log("is gone")
}

// kill is kill -9: from now on nothing of the process reaches anything.
func (p *process) kill() {
	p.log("is killed")
	p.w.judge.count(&p.w.judge.figures.kills, 1)
	p.w.judge.gaveUp(p)
	p.exit()
	p.thaw()
	p.join()
	p.present.CompareAndSwap(p, nil)
}

// exit ends the process: nothing of it goes on.
func (p *process) exit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.isDead() {
		close(p.dead)
	}
}

// stop asks the process to drain and end, as a service manager does, and waits
// for it.
func (p *process) stop() {
	p.askOnce.Do(func() {
		p.log("is asked to stop")
		close(p.asked)
	})
	<-p.ended
	p.present.CompareAndSwap(p, nil)
}

// freeze is SIGSTOP, thaw is SIGCONT.
func (p *process) freeze(d time.Duration) {
	p.log("is frozen for %s", d)
	p.w.judge.count(&p.w.judge.figures.freezes, 1)
	p.mu.Lock()
	if p.frozen == nil {
		p.frozen = make(chan struct{})
	}
	p.mu.Unlock()
	p.w.later(d, func() {
		p.log("goes on")
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

// part cuts the connection, join mends it. Nobody is cut off when the trouble
// has ceased: nobody would mend it.
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

// awake waits while the process is frozen: it can neither speak nor hear. ctx
// may have ended when it wakes up.
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

// sleep is time that goes by for the process.
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

// connected waits for the connection, until whoever asks gives up.
func (p *process) connected(ctx context.Context) error {
	p.mu.Lock()
	cut := p.cut
	p.mu.Unlock()
	if cut == nil {
		return nil
	}
	const patience = 15 * time.Second // of the operating system, shorter than in life
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

func (p *process) isAsked() bool { return closed(p.asked) }

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// dice rolls for the process's next call of this kind.
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
