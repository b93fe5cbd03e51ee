package simulation

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"botwork/internal/cron"
	"botwork/internal/scheduler"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/runner"
)

// The bands of the shipped pipelines.
var (
	high   = workqueue.Band{Min: 1001, Max: workqueue.EveryPriority.Max}
	medium = workqueue.Band{Min: 500, Max: workqueue.EveryPriority.Max}
	low    = workqueue.Band{Min: workqueue.EveryPriority.Min, Max: 499}
)

// job is a system pipeline like the shipped ones; the low one runs more often,
// because a simulation is short.
type job struct {
	name     string
	cron     string
	scope    scheduler.Scope
	assign   workqueue.Band
	executes []workqueue.Band
	wake     bool // where pipelines wake
}

var jobs = []job{
	{"ExecuteWorkQueue", "* * * * *", scheduler.ScopeEachWorker, medium, []workqueue.Band{high, medium}, true},
	{"ExecuteLowPriorityWorkQueue", "* * * * *", scheduler.ScopeEachWorker, low, []workqueue.Band{low}, false},
	{"Once", "* * * * *", scheduler.ScopeOnce, workqueue.Band{}, nil, false},
}

// newScheduler makes the schedules of a process. The clock of its machine is wrong.
func (p *process) newScheduler() *scheduler.Scheduler {
	s := scheduler.New(context.Background(), scheduler.Options{
		Store: link{p}, Worker: p.runner.Worker(), Log: zerolog.Nop(), Now: func() time.Time { return time.Now().Add(p.skew) },
	})
	for _, j := range jobs {
		schedule, err := cron.Parse(j.cron, time.UTC, cron.First)
		if err == nil {
			err = s.Add(scheduler.Job{
				Name: j.name, Schedule: schedule, TriggerName: scheduler.TriggerCron, AtStart: j.scope == scheduler.ScopeEachWorker,
				Overlap: scheduler.OverlapSkip, Scope: j.scope, CatchUp: 10 * time.Minute,
				Work: p.workOf(j),
			})
		}
		if err != nil {
			p.w.judge.violation("%s: add %s: %v", p.instance, j.name, err)
		}
	}
	return s
}

// workOf returns the work of a job: a planned instant during a run ticks the run.
func (p *process) workOf(j job) scheduler.Work {
	work := scheduler.Work{
		Run: func(ctx context.Context, start scheduler.Start) (scheduler.Report, error) {
			return scheduler.Report{}, p.run(ctx, j, start)
		},
		Tick: func() { p.soon(j, (*runner.Session).Tick) },
	}
	if p.w.rules.wakes(j) {
		work.Leave = func() { p.soon(j, (*runner.Session).Leave) }
	}
	return work
}

// run is a run of a system pipeline.
func (p *process) run(ctx context.Context, j job, start scheduler.Start) error {
	p.log("runs %s (%s)", j.name, start.Trigger)
	if j.scope == scheduler.ScopeOnce {
		p.w.judge.fired(p, j.name, start.PlannedAt)
		d := p.dice("Once")
		if d.chance(50) {
			return p.sleep(ctx, d.between(time.Millisecond, 100*time.Millisecond))
		}
		return p.sleep(ctx, d.between(time.Second, 50*time.Second))
	}
	s := p.begin(j, start)
	defer p.over(j, s)
	if _, err := p.runner.Assign(s.With(ctx), assign.AssignParams{Band: j.assign, Workers: p.w.rules.Workers, Profiles: profile}); err != nil {
		return err
	}
	for i, band := range j.executes {
		if _, err := p.runner.Execute(ctx, runner.ExecuteParams{Band: band, Refill: true, Session: s, Step: stepName(i)}); err != nil {
			return err
		}
	}
	return nil
}

// attend starts the jobs for stranded items that no worker runs.
func (p *process) attend(band workqueue.Band) {
	p.mu.Lock()
	s := p.scheduler
	p.mu.Unlock()
	if s == nil {
		return
	}
	for _, j := range jobs {
		if j.executes != nil && j.assign.Overlaps(band) {
			s.Wake(j.name)
		}
	}
}
