package simulation

import (
	"context"
	"fmt"
	"time"

	"botwork/internal/scheduler"
	"botwork/workqueue"
	"botwork/workqueue/runner"
)

const (
	// lookEvery is how often a process polls for work with pipelines that wake, and
	// wakeAgain the least time between two wakes for items that have waited before.
	lookEvery, wakeAgain = time.Second, 3 * time.Second

	// stayFor is how long a woken run waits for more items.
	stayFor = time.Minute
)

// wakes reports whether a job's run is woken when there is work for it.
func (r *rules) wakes(j job) bool { return r.Wake && j.wake }

// begin returns the session of a run that begins now.
func (p *process) begin(j job, start scheduler.Start) *runner.Session {
	o := runner.SessionOptions{Wakes: p.w.rules.wakes(j)}
	for i, band := range j.executes {
		o.Steps = append(o.Steps, runner.SessionStep{Name: stepName(i), Band: band})
	}
	if start.Trigger == scheduler.TriggerWake {
		o.StayFor = stayFor
	}
	s := p.runner.NewSession(o)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sessions[j.name] = s
	return s
}

// over ends the session of a run. If it was woken for work that it has not polled for,
// the job is woken again.
func (p *process) over(j job, s *runner.Session) {
	p.mu.Lock()
	delete(p.sessions, j.name)
	p.mu.Unlock()
	if s.End() && p.w.rules.wakes(j) {
		p.scheduler.WakeUp(j.name)
	}
}

// session returns the session of a job's active run; nil if there is none.
func (p *process) session(j job) *runner.Session {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sessions[j.name]
}

// soon calls do with the session of a job at an instant of its own: otherwise the order of
// jobs that are due at the same time would be random.
func (p *process) soon(j job, do func(*runner.Session)) {
	in := p.dice("soon "+j.name).between(time.Microsecond, time.Millisecond)
	p.w.loose.Go(func() {
		if p.sleep(context.Background(), in) == nil {
			do(p.session(j))
		}
	})
}

func stepName(i int) string { return fmt.Sprintf("ExecuteWorkItems %d", i+1) }

// poll wakes the pipelines when there is work for them, until the process
// takes no more items.
func (p *process) poll() {
	var woken time.Time
	moved := -1 // items of the session when it was woken last
	for {
		timer := time.NewTimer(p.dice("look").between(lookEvery*8/10, lookEvery))
		select {
		case <-timer.C:
		case <-p.dead:
			return
		case <-p.stopping:
			return
		case <-p.runner.Draining():
			return
		case <-p.runner.Replaced():
			return
		case <-p.w.over:
			return
		}
		if p.runner.Suspended() {
			continue
		}
		for _, j := range jobs {
			if !p.w.rules.wakes(j) {
				continue
			}
			ready, err := p.ready(j.assign)
			if err != nil || ready == workqueue.NothingReady || ready != workqueue.ItemsDue && time.Since(woken) < wakeAgain {
				continue
			}
			again := p.session(j).Moved() == moved // waking it had no effect
			woken, moved = time.Now(), p.session(j).Moved()
			if !p.session(j).Wake(ready != workqueue.ItemsAssigned || again) {
				p.scheduler.WakeUp(j.name)
			}
		}
	}
}

func (p *process) ready(band workqueue.Band) (workqueue.Readiness, error) {
	ctx, cancel := context.WithTimeout(context.Background(), p.w.rules.Lease/2)
	defer cancel()
	ready, _, err := link{p}.Ready(ctx, p.runner.Worker().ID, band)
	return ready, err
}
