package scheduler

import (
	"cmp"
	"context"
	"errors"
	"maps"
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
	refused int            // calls while the store was down
	hasty   time.Duration  // how far Now is ahead of the clock for claims
	lose    map[string]int // calls by name that do their work and then fail
	deny    map[string]int // calls by name that fail
	names   map[int64]string
	firings []workqueue.Firing
	runs    []workqueue.PipelineRun
	pauses  map[string]workqueue.PipelinePause
	asked   []workqueue.RunRequest
}

var _ Store = (*fakeStore)(nil)

func newFakeStore() *fakeStore {
	return &fakeStore{lose: map[string]int{}, deny: map[string]int{}, names: map[int64]string{}, pauses: map[string]workqueue.PipelinePause{}}
}

// enter locks the store; done unlocks it and returns an error if the answer is lost.
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

// refuse makes the next calls of this name fail.
func (s *fakeStore) refuse(call string, times int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deny[call] = times
}

func (s *fakeStore) setDown(away bool) {
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
	if pause, ok := s.pauses[f.Schedule]; ok {
		return workqueue.FiringClaim{Paused: &workqueue.PausedError{PipelinePause: pause}}, done()
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

func (s *fakeStore) SkipFiring(ctx context.Context, f workqueue.Firing) error {
	done, err := s.enter(ctx, "SkipFiring")
	if err != nil {
		return err
	}
	for i, g := range s.firings {
		if g.Schedule == f.Schedule && g.PlannedAt.Equal(f.PlannedAt) && g.Worker == f.Worker && g.Outcome == workqueue.Fired {
			s.firings[i].Outcome, s.firings[i].Reason = workqueue.Skipped, f.Reason
		}
	}
	return done()
}

func (s *fakeStore) Firings(ctx context.Context, filter workqueue.FiringFilter) ([]workqueue.Firing, error) {
	schedule, limit := filter.Schedule, filter.Limit
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
	if pause, ok := s.pauses[r.Pipeline]; ok {
		return 0, cmp.Or(done(), error(&workqueue.PausedError{PipelinePause: pause}))
	}
	return s.addRun(r), done()
}

func (s *fakeStore) addRun(r workqueue.PipelineRun) int64 {
	r.ID = int64(len(s.runs)) + 1
	r.StartedAt = time.Now().UTC()
	s.runs = append(s.runs, r)
	return r.ID
}

func (s *fakeStore) StartRequested(ctx context.Context, r workqueue.PipelineRun, once bool, by string) (int64, bool, error) {
	done, err := s.enter(ctx, "StartRequested")
	if err != nil {
		return 0, false, err
	}
	at := slices.IndexFunc(s.asked, func(q workqueue.RunRequest) bool { return q.ID == *r.RequestID })
	if _, paused := s.pauses[r.Pipeline]; paused || at < 0 {
		return 0, false, done()
	}
	s.asked = slices.Delete(s.asked, at, at+1)
	if once && r.PlannedAt != nil {
		s.firings = append(s.firings, workqueue.Firing{Schedule: r.Pipeline, PlannedAt: *r.PlannedAt, Outcome: workqueue.Fired, Reason: "backfill", RecordedBy: by})
	}
	return s.addRun(r), true, done()
}

func (s *fakeStore) Controls(ctx context.Context) (workqueue.Controls, error) {
	done, err := s.enter(ctx, "Controls")
	if err != nil {
		return workqueue.Controls{}, err
	}
	c := workqueue.Controls{Paused: maps.Clone(s.pauses)}
	seen := map[string]bool{}
	for _, q := range s.asked {
		if !seen[q.Pipeline] {
			c.Requests = append(c.Requests, q)
		}
		seen[q.Pipeline] = true
	}
	return c, done()
}

// pause pauses or resumes a pipeline.
func (s *fakeStore) pause(pipeline string, paused bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pauses, pipeline)
	if paused {
		s.pauses[pipeline] = workqueue.PipelinePause{Pipeline: pipeline, By: "ann", Reason: "maintenance", At: time.Now().UTC()}
	}
}

// ask requests a run now, or for a planned time.
func (s *fakeStore) ask(pipeline string, planned ...time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := workqueue.RunRequest{ID: int64(100 + len(s.asked) + len(s.runs)), Pipeline: pipeline, Trigger: TriggerRequest, By: "ann"}
	if len(planned) > 0 {
		q.Trigger, q.PlannedAt = TriggerBackfill, &planned[0]
	}
	s.asked = append(s.asked, q)
}

func (s *fakeStore) FinishRun(ctx context.Context, id int64, end workqueue.RunEnd) error {
	done, err := s.enter(ctx, "FinishRun")
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	run := &s.runs[id-1]
	run.Outcome, run.Error, run.FailedStep, run.Summary, run.FinishedAt = end.Outcome, &end.Error, &end.Step, end.Summary, &now
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

func (s *fakeStore) Runs(ctx context.Context, f workqueue.RunFilter) ([]workqueue.PipelineRun, error) {
	pipeline, limit := f.Pipeline, f.Limit
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

// newTestScheduler returns the scheduler of worker id, whose clock is wrong by the duration
// that offset returns.
func newTestScheduler(t *testing.T, store *fakeStore, id int64, offset func() time.Duration) *Scheduler {
	t.Helper()
	name := string(rune('a' - 1 + id))
	store.mu.Lock()
	store.names[id] = name
	store.mu.Unlock()
	s := New(t.Context(), Options{Store: store, Worker: workqueue.Worker{ID: id, Name: name}, Log: zerolog.New(zerolog.NewTestWriter(t)).Level(zerolog.InfoLevel)})
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

// everyMinute returns a job that fires each minute and runs for takes.
func everyMinute(t *testing.T, takes time.Duration) Job {
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

// at returns a time on the first day of a bubble.
func at(hour, minute, second int) time.Time {
	return time.Date(2000, 1, 1, hour, minute, second, 0, time.UTC)
}

// sleepUntil advances the clock of the bubble.
func sleepUntil(t time.Time) { time.Sleep(time.Until(t)) }

// unreported returns the Run of a job that reports nothing.
func unreported(run func(context.Context, Start) error) func(context.Context, Start) (Report, error) {
	return func(ctx context.Context, start Start) (Report, error) { return Report{}, run(ctx, start) }
}
