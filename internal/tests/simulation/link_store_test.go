package simulation

import (
	"context"
	"fmt"
	"time"

	"botwork/internal/scheduler"
	"botwork/workqueue"
	"botwork/workqueue/learned"
	"botwork/workqueue/storetest"
)

var (
	_ storetest.Store = link{}
	_ scheduler.Store = link{}
)

func (l link) Now(ctx context.Context) (time.Time, error) {
	return call(ctx, l, "Now", func() (time.Time, error) {
		if l.p.w.rules.WrongReading {
			return time.Now().Add(l.p.skew), nil
		}
		return l.p.w.db.now(), nil
	})
}

// A process reads the large item for which it keeps slots, and its queue.

func (l link) Item(ctx context.Context, id int64) (workqueue.Item, error) {
	return call(ctx, l, "Item", func() (workqueue.Item, error) {
		return l.p.w.db.store.Item(context.Background(), id)
	})
}
func (l link) Queue(ctx context.Context, name string) (workqueue.Queue, error) {
	return call(ctx, l, "Queue", func() (workqueue.Queue, error) {
		return l.p.w.db.store.Queue(context.Background(), name)
	})
}

// Workers are set, drained and resumed outside of the processes.

func (l link) SetWorker(context.Context, string, bool, workqueue.WorkerOverrides) (workqueue.Worker, error) {
	return workqueue.Worker{}, errRefused
}
func (l link) RequestDrain(context.Context, string) error         { return errRefused }
func (l link) ResumeWorker(context.Context, string) (bool, error) { return false, errRefused }

// Items are enqueued and changed outside of the processes.

func (l link) Enqueue(context.Context, []workqueue.NewItem) ([]workqueue.Enqueued, error) {
	return nil, errRefused
}
func (l link) ChangeItem(context.Context, int64, workqueue.Change) (int64, error) {
	return 0, errRefused
}
func (l link) ChangeItems(context.Context, workqueue.ItemFilter, workqueue.Change) (workqueue.ChangeResult, error) {
	return workqueue.ChangeResult{}, errRefused
}
func (l link) Items(context.Context, workqueue.ItemFilter) ([]workqueue.Item, error) {
	return nil, errRefused
}
func (l link) CountItems(context.Context, workqueue.ItemFilter) (int64, error) { return 0, errRefused }
func (l link) Attempts(context.Context, int64) ([]workqueue.Attempt, error)    { return nil, errRefused }

func (l link) RefreshQueues(context.Context, []workqueue.Queue, string) ([]string, []string, error) {
	return nil, nil, errRefused
}
func (l link) DeletedQueues(context.Context) ([]workqueue.DeletedQueue, error) {
	return nil, errRefused
}
func (l link) CreateQueue(context.Context, workqueue.Queue, string) error { return errRefused }
func (l link) OverrideQueue(context.Context, workqueue.Queue, string) (bool, error) {
	return false, errRefused
}
func (l link) AuditEntries(context.Context, workqueue.AuditFilter) ([]workqueue.AuditEntry, error) {
	return nil, errRefused
}
func (l link) AuditItems(context.Context, int64, int64, int) ([]workqueue.AuditItem, error) {
	return nil, errRefused
}
func (l link) Failures(context.Context, workqueue.FailureFilter) ([]workqueue.Failure, error) {
	return nil, errRefused
}

func (l link) DefineQueues(context.Context, []workqueue.Queue, string) ([]string, error) {
	return nil, errRefused
}
func (l link) PauseQueue(context.Context, string) (bool, error)  { return false, errRefused }
func (l link) ResumeQueue(context.Context, string) (bool, error) { return false, errRefused }
func (l link) DeleteQueue(context.Context, string) error         { return errRefused }

func (l link) Tasks(context.Context) ([]workqueue.TaskRow, error) { return nil, errRefused }
func (l link) DefineTasks(context.Context, []workqueue.TaskRow, string) ([]string, error) {
	return nil, errRefused
}
func (l link) TaskFirings(context.Context, []workqueue.TaskSince) ([]workqueue.Firing, error) {
	return nil, errRefused
}
func (l link) TaskScopesBusy(context.Context, string) (map[string]time.Time, error) {
	return nil, errRefused
}
func (l link) FireTasks(context.Context, []workqueue.TaskWindow, string) ([]workqueue.TaskItem, error) {
	return nil, errRefused
}
func (l link) RunTask(context.Context, string, workqueue.BatchPart, []workqueue.ScopedItem) ([]int64, error) {
	return nil, errRefused
}
func (l link) SettleTask(context.Context, string, []workqueue.Firing, time.Time) error {
	return errRefused
}
func (l link) WaitingTaskItems(context.Context, workqueue.State, int64, int) ([]workqueue.TaskItem, error) {
	return nil, errRefused
}
func (l link) ReviseTaskItems(context.Context, []workqueue.TaskRevision) (int, error) {
	return 0, errRefused
}
func (l link) NotifyTaskFailures(context.Context, int, func(workqueue.TaskFailure) (workqueue.NewItem, bool)) (int, error) {
	return 0, errRefused
}

func (l link) Statistics(context.Context, string) ([]workqueue.QueueStatistics, error) {
	return nil, errRefused
}
func (l link) CompactStatistics(context.Context, int) (int, error) { return 0, errRefused }
func (l link) FoldSeries(context.Context, int) (int, error)        { return 0, errRefused }
func (l link) SampleGauges(context.Context) (bool, error)          { return false, errRefused }
func (l link) Series(context.Context, workqueue.SeriesParams) (workqueue.Series, error) {
	return workqueue.Series{}, errRefused
}
func (l link) RecountStatistics(context.Context, func(done, of int64)) ([]workqueue.StatisticsCorrection, error) {
	return nil, errRefused
}

// Rules of escalation are not simulated: the simulated queues have none.

func (l link) EscalationFigures(context.Context) (workqueue.EscalationFigures, error) {
	return workqueue.EscalationFigures{}, errRefused
}
func (l link) EscalationTurn(context.Context, workqueue.Escalation, bool) (workqueue.EscalationTurn, bool, error) {
	return workqueue.EscalationTurn{}, false, errRefused
}
func (l link) Escalate(context.Context, workqueue.EscalationTurn) (workqueue.EscalationResult, error) {
	return workqueue.EscalationResult{}, errRefused
}
func (l link) WouldEscalate(context.Context, workqueue.Escalation, time.Time, int) (int, error) {
	return 0, errRefused
}
func (l link) EscalationStates(context.Context, int64) ([]workqueue.EscalationState, error) {
	return nil, errRefused
}

// Learned durations are only hints for estimates, which change no promise.

func (l link) Learn(context.Context, []learned.Runs) error { return errRefused }
func (l link) Learned(ctx context.Context) (map[learned.Key]learned.Typical, error) {
	return call(ctx, l, "Learned", func() (map[learned.Key]learned.Typical, error) {
		return l.p.w.db.store.Learned(context.Background())
	})
}
func (l link) Durations(context.Context, learned.Filter) ([]learned.Duration, error) {
	return nil, errRefused
}
func (l link) ForgetDurations(context.Context, learned.Filter) (int, error) {
	return 0, errRefused
}

func (l link) SaveSteps(ctx context.Context, ref workqueue.ItemRef, steps []workqueue.StepRecord) error {
	l.p.w.judge.recordsOf(ref)
	versions := resuming(ctx).of.versions
	return send(ctx, l, fmt.Sprintf("SaveSteps %v %s", ref, steps[0].Step), func() error { return l.p.w.db.saveSteps(ref, versions, steps) })
}

// A run that cannot read the records of its item starts at its first step.
func (l link) Steps(ctx context.Context, id int64) ([]workqueue.StepRecord, error) {
	r := resuming(ctx)
	l.p.w.judge.recordsOf(r.ref)
	kept, err := call(ctx, l, fmt.Sprintf("Steps %v", r.ref), func() ([]keptStep, error) { return l.p.w.db.recorded(id) })
	if err != nil {
		return nil, err
	}
	r.loaded(kept)
	records := make([]workqueue.StepRecord, len(kept))
	for i, k := range kept {
		records[i] = workqueue.StepRecord{Step: k.step, Data: workqueue.JSONText(k.data)}
	}
	return records, nil
}

func (l link) DropSteps(ctx context.Context, ref workqueue.ItemRef) error {
	return send(ctx, l, fmt.Sprintf("DropSteps %v", ref), func() error { return l.p.w.db.dropSteps(ref) })
}

// Housekeeping is not simulated: it removes only finished items.

func (l link) RemoveRetained(context.Context, int) (int, error) { return 0, errRefused }
func (l link) RemoveCompleted(context.Context, *time.Duration, int) (int, error) {
	return 0, errRefused
}
func (l link) RemoveArchived(context.Context, *time.Duration, int) (int, error) {
	return 0, errRefused
}
func (l link) TrimArchives(context.Context, *int, int) (int, error)             { return 0, errRefused }
func (l link) RemoveDeleted(context.Context, time.Duration, int) (int, error)   { return 0, errRefused }
func (l link) FreeTimedKeys(context.Context, int) (int, error)                  { return 0, errRefused }
func (l link) RemoveSteps(context.Context, int) (int, error)                    { return 0, errRefused }
func (l link) RemoveFirings(context.Context, time.Duration, int) (int, error)   { return 0, errRefused }
func (l link) RemoveRuns(context.Context, time.Duration, int) (int, error)      { return 0, errRefused }
func (l link) RemoveForecasts(context.Context, time.Duration, int) (int, error) { return 0, errRefused }
func (l link) RecordForecasts(context.Context, time.Time, []workqueue.ItemForecast) (int, error) {
	return 0, errRefused
}
func (l link) ForecastOutcomes(context.Context, workqueue.ForecastFilter) ([]workqueue.ForecastOutcome, error) {
	return nil, errRefused
}
func (l link) RemoveWorkers(context.Context, time.Duration, int) (int, error) { return 0, errRefused }
func (l link) RemoveTexts(context.Context, time.Duration, int) (int, error)   { return 0, errRefused }
func (l link) RemoveBatches(context.Context, time.Duration, int) (int, error) { return 0, errRefused }

func (l link) RemoveAudit(context.Context, time.Duration, int) (int, error) { return 0, errRefused }
func (l link) EnqueueBatch(context.Context, workqueue.BatchPart, []workqueue.NewItem) ([]workqueue.Enqueued, error) {
	return nil, errRefused
}
func (l link) EachBatchRecord(context.Context, string, func(workqueue.BatchRecord) error) error {
	return errRefused
}
func (l link) KeepTexts(context.Context, []workqueue.PipelineText) error { return errRefused }
func (l link) Texts(context.Context, workqueue.TextFilter) ([]workqueue.PipelineText, error) {
	return nil, errRefused
}
func (l link) RemoveDurations(context.Context, time.Duration, int) (int, error) {
	return 0, errRefused
}
func (l link) Installation(context.Context) (workqueue.Installation, error) {
	return workqueue.Installation{}, errRefused
}
func (l link) RaiseEpoch(context.Context, string) (workqueue.HistoryChange, error) {
	return workqueue.HistoryChange{}, errRefused
}
func (l link) PurgeQueue(context.Context, workqueue.PurgeParams) (workqueue.PurgeResult, error) {
	return workqueue.PurgeResult{}, errRefused
}

// Queues answers the loop that escalates at once: it begins at a random time, so its calls would
// change the delays of others from one history of a seed to the next.
func (l link) Queues(ctx context.Context) ([]workqueue.Queue, error) {
	if workqueue.ActorFrom(ctx).Via == workqueue.ViaWorker {
		return nil, nil // none has rules
	}
	return call(ctx, l, "Queues", l.p.w.db.queues)
}

func (l link) RegisterWorker(ctx context.Context, spec workqueue.WorkerSpec) (workqueue.Worker, error) {
	return call(ctx, l, "RegisterWorker", func() (workqueue.Worker, error) { return l.p.w.db.register(spec) })
}

func (l link) Workers(ctx context.Context) ([]workqueue.Worker, error) {
	return call(ctx, l, "Workers", l.p.w.db.workers)
}

func (l link) DrainWorker(ctx context.Context, name, instance string) error {
	return send(ctx, l, "DrainWorker", func() error { return l.p.w.db.drain(name, instance) })
}

func (l link) StopWorker(ctx context.Context, id int64, instance string) error {
	return send(ctx, l, "StopWorker", func() error { return l.p.w.db.stop(id, instance) })
}

func (l link) Claim(ctx context.Context, p workqueue.ClaimParams) ([]workqueue.Item, error) {
	op := fmt.Sprintf("Claim %v", p.Band)
	items, err := call(ctx, l, op, func() ([]workqueue.Item, error) { return l.p.w.db.claim(p) })
	if err == nil {
		l.p.received(claimsOf(items))
	}
	return items, err
}

func (l link) Begin(ctx context.Context, p workqueue.BeginParams) ([]int64, error) {
	sent := time.Now()
	refused, err := call(ctx, l, fmt.Sprintf("Begin %v", p.Items), func() ([]int64, error) {
		for _, ref := range p.Items {
			if l.p.w.db.isHeld(ref.ItemID) {
				l.p.excuse(ref)
			}
		}
		return l.p.w.db.begin(p)
	})
	l.p.beginAnswered(p.Items, refused, err, sent)
	return refused, err
}

// Join is not called in these histories, which have no batches: see TestBatches.
func (l link) Join(context.Context, workqueue.JoinParams) ([]workqueue.Item, error) {
	return nil, errRefused
}

func (l link) Beat(ctx context.Context, p workqueue.BeatParams) (workqueue.BeatResult, error) {
	return call(ctx, l, "Beat", func() (workqueue.BeatResult, error) { return l.p.w.db.beat(p) })
}

func (l link) Progress(ctx context.Context, worker int64, instance string, notes []workqueue.ProgressNote) ([]int64, error) {
	return call(ctx, l, "Progress", func() ([]int64, error) { return l.p.w.db.progress(worker, instance, notes) })
}

func (l link) Lost(ctx context.Context, worker int64, instance string, held []workqueue.ItemRef) ([]int64, error) {
	return call(ctx, l, "Lost", func() ([]int64, error) { return l.p.w.db.lost(worker, instance, held) })
}

func (l link) Finish(ctx context.Context, worker int64, instance string, ends []workqueue.Finish) ([]int64, error) {
	return call(ctx, l, "Finish", func() ([]int64, error) {
		for _, f := range ends {
			if ref := claimOfEnd(f); l.p.w.db.isHeld(f.ItemID) {
				l.p.excuse(ref)
			} else {
				l.p.returned(ref)
			}
		}
		return l.p.w.db.finish(worker, instance, ends)
	})
}

func (l link) ReleaseAssigned(ctx context.Context, worker int64, instance string) (int, error) {
	return call(ctx, l, "ReleaseAssigned", func() (int, error) { return l.p.w.db.releaseAssigned(worker, instance) })
}

func (l link) AbandonedBand(ctx context.Context, worker int64) (workqueue.Band, bool, error) {
	type answer struct {
		band  workqueue.Band
		found bool
	}
	a, err := call(ctx, l, "AbandonedBand", func() (a answer, err error) {
		a.band, a.found, err = l.p.w.db.stranded(worker)
		return a, err
	})
	return a.band, a.found, err
}

func (l link) OpenSessions(context.Context) ([]workqueue.RowHolder, error) { return nil, errRefused }
func (l link) RowHolders(context.Context, ...int64) ([]workqueue.RowHolder, error) {
	return nil, errRefused
}
func (l link) Waits(context.Context, workqueue.Band) (bool, error) { return false, errRefused }
func (l link) Marks(context.Context, int) (workqueue.Marks, error) {
	return workqueue.Marks{}, errRefused
}

func (l link) Ready(ctx context.Context, worker int64, band workqueue.Band) (workqueue.Readiness, time.Duration, error) {
	r, err := call(ctx, l, "Ready", func() (workqueue.Readiness, error) { return l.p.w.db.ready(worker, band) })
	return r, 0, err
}

// There are no notices in a simulation: processes poll for work.

func (l link) Listen(context.Context, func(workqueue.Notice), func(error)) error { return errRefused }

func (l link) ReadUnlocked(ctx context.Context, read func(context.Context, workqueue.AssignView) error) error {
	return send(ctx, l, "ReadUnlocked", func() error { return l.p.w.db.survey(ctx, l.p, read) })
}

func (l link) Assign(ctx context.Context, pass func(context.Context, workqueue.AssignTx) error) error {
	claimed, err := call(ctx, l, "Assign", func() ([]workqueue.ItemRef, error) { return l.p.w.db.assign(ctx, l.p, pass) })
	if err == nil {
		l.p.received(claimed)
	}
	return err
}

func (l link) ClaimPass(ctx context.Context, passes int64, assignments []workqueue.Assignment, t workqueue.PassClaim) (workqueue.Claimed, bool, error) {
	return workqueue.ClaimPassByAssign(ctx, l, passes, assignments, t)
}

func (l link) ClaimFiring(ctx context.Context, f workqueue.Firing) (workqueue.FiringClaim, error) {
	return call(ctx, l, "ClaimFiring "+f.Schedule, func() (workqueue.FiringClaim, error) { return l.p.w.db.claimFiring(f) })
}

func (l link) RecordFirings(ctx context.Context, fs []workqueue.Firing) error {
	return send(ctx, l, "RecordFirings "+fs[0].Schedule, func() error { return l.p.w.db.store.RecordFirings(context.Background(), fs) })
}

func (l link) LastFiring(ctx context.Context, schedule, worker string) (time.Time, error) {
	return call(ctx, l, "LastFiring "+schedule, func() (time.Time, error) {
		return l.p.w.db.store.LastFiring(context.Background(), schedule, worker)
	})
}

func (l link) Firings(context.Context, workqueue.FiringFilter) ([]workqueue.Firing, error) {
	return nil, errRefused
}

// Nobody pauses pipelines or requests runs in a simulation.

func (l link) Controls(context.Context) (workqueue.Controls, error) {
	return workqueue.Controls{}, nil
}
func (l link) SkipFiring(context.Context, workqueue.Firing) error { return errRefused }
func (l link) StartRequested(context.Context, workqueue.PipelineRun, bool, string) (int64, bool, error) {
	return 0, false, errRefused
}
func (l link) CountRuns(context.Context, workqueue.RunFilter, int) (map[workqueue.RunOutcome]int, bool, error) {
	return nil, false, errRefused
}

func (l link) CountFirings(context.Context, workqueue.FiringFilter, int) (map[workqueue.FiringOutcome]int, bool, error) {
	return nil, false, errRefused
}

func (l link) RecordPipelineSave(context.Context, workqueue.PipelineSave) error { return errRefused }

func (l link) PausePipeline(context.Context, workqueue.PipelinePause) (bool, error) {
	return false, errRefused
}
func (l link) ResumePipeline(context.Context, string, string) (bool, error) {
	return false, errRefused
}
func (l link) RequestRuns(context.Context, workqueue.NewRunRequests) ([]int64, error) {
	return nil, errRefused
}
func (l link) RunRequests(context.Context, workqueue.RequestFilter) ([]workqueue.RunRequest, error) {
	return nil, errRefused
}

func (l link) StartRun(ctx context.Context, r workqueue.PipelineRun) (int64, error) {
	return call(ctx, l, "StartRun "+r.Pipeline, func() (int64, error) { return l.p.w.db.store.StartRun(context.Background(), r) })
}

func (l link) FinishRun(ctx context.Context, id int64, end workqueue.RunEnd) error {
	return send(ctx, l, fmt.Sprintf("FinishRun %d", id), func() error {
		return l.p.w.db.store.FinishRun(context.Background(), id, end)
	})
}

func (l link) RunsElsewhere(ctx context.Context, pipeline string, worker int64) (time.Time, bool, error) {
	type answer struct {
		since   time.Time
		running bool
	}
	a, err := call(ctx, l, "RunsElsewhere "+pipeline, func() (a answer, err error) {
		a.since, a.running, err = l.p.w.db.store.RunsElsewhere(context.Background(), pipeline, worker)
		return a, err
	})
	return a.since, a.running, err
}

func (l link) Runs(ctx context.Context, f workqueue.RunFilter) ([]workqueue.PipelineRun, error) {
	return call(ctx, l, "Runs "+f.Pipeline, func() ([]workqueue.PipelineRun, error) {
		return l.p.w.db.store.Runs(context.Background(), f)
	})
}
