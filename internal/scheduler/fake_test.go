package scheduler

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"botwork/internal/cron"
	"botwork/workqueue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errAway = errors.New("connection refused")

// fakeStore is the database of a cluster, in memory. Its clock is the bubble's.
type fakeStore struct {
	mu      sync.Mutex
	away    bool
	refused int            // calls while away
	hasty   time.Duration  // how much Now is ahead of the clock that judges claims
	lose    map[string]int // calls by name that do their work and then fail
	deny    map[string]int // calls by name that fail
	names   map[int64]string
	firings []workqueue.Firing
	runs    []workqueue.PipelineRun
}

var _ Store = (*fakeStore)(nil)

func newFakeStore() *fakeStore {
	return &fakeStore{lose: map[string]int{}, deny: map[string]int{}, names: map[int64]string{}}
}

// enter locks the store; done unlocks it and tells whether the answer is lost.
func (s *fakeStore) enter(ctx context.Context, call string) (done func() error, err error) {
	s.mu.Lock()
	if ctx.Err() != nil || s.away || s.deny[call] > 0 {
		s.deny[call]--
		s.refused++
		s.mu.Unlock()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, errAway
	}
	return func() error {
		defer s.mu.Unlock()
		if s.lose[call] > 0 {
			s.lose[call]--
			return errAway
		}
		return nil
	}, nil
}

func (s *fakeStore) setAway(away bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = away
}

func (s *fakeStore) Now(ctx context.Context) (time.Time, error) {
	done, err := s.enter(ctx, "Now")
	if err != nil {
		return time.Time{}, err
	}
	return time.Now().Add(s.hasty).UTC(), done()
}

func (s *fakeStore) has(f workqueue.Firing) bool {
	for _, g := range slices.Backward(s.firings) {
		if g.Schedule == f.Schedule && g.Worker == f.Worker && g.PlannedAt.Equal(f.PlannedAt) {
			return true
		}
	}
	return false
}

func (s *fakeStore) ClaimFiring(ctx context.Context, f workqueue.Firing) (workqueue.FiringClaim, error) {
	done, err := s.enter(ctx, "ClaimFiring")
	if err != nil {
		return workqueue.FiringClaim{}, err
	}
	if early := time.Until(f.PlannedAt); early > 0 {
		return workqueue.FiringClaim{Early: early}, done()
	}
	if s.has(f) {
		return workqueue.FiringClaim{}, done()
	}
	f.RecordedAt = time.Now().UTC()
	s.firings = append(s.firings, f)
	return workqueue.FiringClaim{Won: true}, done()
}

func (s *fakeStore) RecordFirings(ctx context.Context, fs []workqueue.Firing) error {
	done, err := s.enter(ctx, "RecordFirings")
	if err != nil {
		return err
	}
	for _, f := range fs {
		if !s.has(f) {
			f.RecordedAt = time.Now().UTC()
			s.firings = append(s.firings, f)
		}
	}
	return done()
}

func (s *fakeStore) LastFiring(ctx context.Context, schedule, worker string) (time.Time, error) {
	done, err := s.enter(ctx, "LastFiring")
	if err != nil {
		return time.Time{}, err
	}
	var last time.Time
	for _, f := range s.firings {
		if f.Schedule == schedule && f.Worker == worker && f.PlannedAt.After(last) {
			last = f.PlannedAt
		}
	}
	for _, r := range s.runs {
		if worker != "" && r.Pipeline == schedule && s.names[*r.WorkerID] == worker && r.PlannedAt != nil && r.PlannedAt.After(last) {
			last = *r.PlannedAt
		}
	}
	return last, done()
}

func (s *fakeStore) Firings(ctx context.Context, schedule string, limit int) ([]workqueue.Firing, error) {
	done, err := s.enter(ctx, "Firings")
	if err != nil {
		return nil, err
	}
	var fs []workqueue.Firing
	for _, f := range s.firings[max(0, len(s.firings)-2*limit):] { // they come nearly in order
		if f.Schedule == schedule {
			fs = append(fs, f)
		}
	}
	slices.SortStableFunc(fs, func(a, b workqueue.Firing) int { return b.PlannedAt.Compare(a.PlannedAt) })
	return fs[:min(limit, len(fs))], done()
}

func (s *fakeStore) StartRun(ctx context.Context, r workqueue.PipelineRun) (int64, error) {
	done, err := s.enter(ctx, "StartRun")
	if err != nil {
		return 0, err
	}
	r.ID = int64(len(s.runs)) + 1
	r.StartedAt = time.Now().UTC()
	s.runs = append(s.runs, r)
	return r.ID, done()
}

func (s *fakeStore) FinishRun(ctx context.Context, id int64, outcome workqueue.RunOutcome, errText, _ string) error {
	done, err := s.enter(ctx, "FinishRun")
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	run := &s.runs[id-1]
	run.Outcome, run.Error, run.FinishedAt = outcome, &errText, &now
	return done()
}

func (s *fakeStore) RunsElsewhere(ctx context.Context, pipeline string, workerID int64) (time.Time, bool, error) {
	done, err := s.enter(ctx, "RunsElsewhere")
	if err != nil {
		return time.Time{}, false, err
	}
	for _, r := range s.runs[max(0, len(s.runs)-100):] { // none runs for longer
		if r.Pipeline == pipeline && r.Outcome == workqueue.RunRunning && *r.WorkerID != workerID {
			return r.StartedAt, true, done()
		}
	}
	return time.Time{}, false, done()
}

func (s *fakeStore) Runs(ctx context.Context, pipeline string, limit int) ([]workqueue.PipelineRun, error) {
	done, err := s.enter(ctx, "Runs")
	if err != nil {
		return nil, err
	}
	var runs []workqueue.PipelineRun
	for _, r := range slices.Backward(s.runs) {
		if r.Pipeline == pipeline && len(runs) < limit {
			runs = append(runs, r)
		}
	}
	return runs, done()
}

// all returns copies of the records, runs in the order in which they started,
// firings by planned instant.
func (s *fakeStore) all() ([]workqueue.PipelineRun, []workqueue.Firing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fs := slices.Clone(s.firings)
	slices.SortStableFunc(fs, func(a, b workqueue.Firing) int { return a.PlannedAt.Compare(b.PlannedAt) })
	return slices.Clone(s.runs), fs
}

// newTestScheduler makes worker number id, whose clock is off by the duration
// that offset returns.
func newTestScheduler(t *testing.T, store *fakeStore, id int64, offset func() time.Duration) *Scheduler {
	t.Helper()
	name := string(rune('a' - 1 + id))
	store.mu.Lock()
	store.names[id] = name
	store.mu.Unlock()
	s := New(Options{Store: store, Worker: workqueue.Worker{ID: id, Name: name}, Log: zerolog.New(zerolog.NewTestWriter(t)).Level(zerolog.InfoLevel)})
	if offset != nil {
		s.now = func() time.Time { return time.Now().Add(offset()) }
	}
	return s
}

// begin adds the jobs and starts the scheduler.
func begin(t *testing.T, s *Scheduler, jobs ...Job) {
	t.Helper()
	for _, job := range jobs {
		if err := s.Add(job); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// end stops schedulers, all at the same time, which must succeed.
func end(t *testing.T, schedulers ...*Scheduler) {
	t.Helper()
	var wg sync.WaitGroup
	for _, s := range schedulers {
		wg.Go(func() {
			if err := s.Stop(t.Context()); err != nil {
				t.Errorf("Stop: %v", err)
			}
		})
	}
	wg.Wait()
}

func mustParse(t *testing.T, spec string) *cron.Schedule {
	t.Helper()
	schedule, err := cron.Parse(spec, time.UTC, cron.First)
	if err != nil {
		t.Fatal(err)
	}
	return schedule
}

// minutely is a job that fires each minute and takes as long as given.
func minutely(t *testing.T, takes time.Duration) Job {
	return Job{
		Name: "P", Schedule: mustParse(t, "* * * * *"), TriggerName: TriggerCron,
		Work: Work{Run: unreported(func(ctx context.Context, _ Start) error {
			if !sleep(ctx, takes) {
				return context.Cause(ctx)
			}
			return nil
		})},
	}
}

// at is an instant of the first day of a bubble.
func at(hour, minute, second int) time.Time {
	return time.Date(2000, 1, 1, hour, minute, second, 0, time.UTC)
}

// sleepUntil moves the bubble on.
func sleepUntil(t time.Time) { time.Sleep(time.Until(t)) }

// unreported returns the Run of a job that reports nothing.
func unreported(run func(context.Context, Start) error) func(context.Context, Start) (Report, error) {
	return func(ctx context.Context, start Start) (Report, error) { return Report{}, run(ctx, start) }
}
