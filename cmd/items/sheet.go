package items

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

// itemSheet shows the fields that have a value, one per line.
func (a *command) itemSheet(it *workqueue.Item, attempts []workqueue.Attempt, workers []workqueue.Worker) {
	s := &sheet{cli.NewGrid(), a.Instant}
	s.add("id", fmt.Sprint(it.ID))
	s.add("status", string(it.Status()))
	s.add("state", fmt.Sprintf("%s (%d)", it.State, it.State))
	s.add("version", fmt.Sprint(it.Version))
	s.time("deleted", it.DeletedAt)
	s.text("deleted because", it.DeletedReason)
	s.add("queue", it.QueueName)
	s.add("priority", fmt.Sprint(it.Priority))
	s.add("pipeline", it.IntegrationConfig)
	if it.Encrypted {
		s.add("encrypted", "payload, output and metadata")
		s.add("unreadable", it.Unreadable)
	}
	s.add("payload", string(it.Payload))
	s.add("output", string(it.Output))
	s.add("analytics", string(it.Analytics))
	s.snooze(it)
	s.run(it)
	for _, w := range workers {
		if it.WorkerID != nil && w.ID == *it.WorkerID {
			s.add("worker", fmt.Sprintf("%s on %s", w.Name, w.Host))
		}
	}
	s.text("robot", it.Robot)
	s.times(it)
	s.text("created by", it.CreatedBy)
	s.text("task", it.TaskName)
	s.text("task scope", it.TaskScope)
	s.time("task planned", it.TaskPlannedAt)
	if it.RootID != nil {
		s.add("root", fmt.Sprintf("item %d", *it.RootID))
	}
	s.text("natural key", it.NaturalKey)
	s.text("limit key", it.LimitKey)
	s.add("tags", tagList(it.Tags))
	s.add("metadata", pairList(it.Metadata))
	s.add("labels", string(it.Labels))
	s.add("selectors", string(it.Selectors))
	s.Print(a.Stdout)
}

// sheet is a grid of names and values without lines for empty values.
type sheet struct {
	*cli.Grid
	instant func(*time.Time) string // as cli.Streams.Instant
}

func (s *sheet) add(name, value string) {
	if value != "" {
		s.Add(name, value)
	}
}

func (s *sheet) text(name string, value *string) {
	if value != nil {
		s.add(name, *value)
	}
}

func (s *sheet) time(name string, at *time.Time) { s.add(name, s.instant(at)) }

func (s *sheet) milliseconds(name string, ms *int64) {
	if ms != nil {
		s.add(name, workqueue.Duration(time.Duration(*ms)*time.Millisecond).String())
	}
}

// snooze shows until when a snoozed item waits, and why.
func (s *sheet) snooze(it *workqueue.Item) {
	if it.SnoozeReason != nil {
		until := "until " + s.instant(&it.AvailableAt)
		if *it.SnoozeReason != "" {
			until += ": " + *it.SnoozeReason
		}
		s.add("snoozed", until)
	}
}

// run shows the progress of the current or last run, and its failures.
func (s *sheet) run(it *workqueue.Item) {
	s.add("pipeline text", cli.ShortHash(it.PipelineHash))
	s.text("step", it.Step)
	s.text("progress", it.Progress)
	if it.ProgressPercent != nil {
		s.add("percentage", fmt.Sprintf("%d %%", *it.ProgressPercent))
	}
	s.add("steps took", stepTimes(it.StepTimes))
	s.add("log", logLines(it.LogTail))
	s.text("error", it.Error)
	s.text("error kind", (*string)(it.ErrorKind))
	s.add("failed attempts", fmt.Sprint(it.RetryCount))
	if it.ReleaseCount > 0 {
		s.add("lost by workers", fmt.Sprint(it.ReleaseCount))
	}
	s.add("resilience", string(it.ResilienceConfig))
	s.milliseconds("estimated duration", it.EstimatedDurationMs)
}

// times shows an item's times.
func (s *sheet) times(it *workqueue.Item) {
	s.time("due", &it.AvailableAt)
	s.time("deadline", it.DeadlineAt)
	s.time("finish by", it.FinishBy)
	if it.BatchKey != nil {
		s.add("batch key", *it.BatchKey)
	}
	if it.BatchLeaderID != nil && *it.BatchLeaderID != it.ID {
		s.add("ran with", fmt.Sprintf("the batch that item %d led", *it.BatchLeaderID))
	}
	s.time("expires", it.ExpiresAt)
	s.time("created", &it.CreatedAt)
	s.time("assigned", it.AssignedAt)
	s.time("first started", it.FirstStartedAt)
	s.time("started", it.StartedAt)
	s.time("finished", it.FinishedAt)
	s.time("lease until", it.LeaseExpiresAt)
	s.milliseconds("retention", it.RetainMs)
	s.time("kept until", it.RetainUntil)
}

// tagList returns tags separated by commas, and a value that is not a list unchanged.
func tagList(tags workqueue.JSONText) string {
	var list []string
	if json.Unmarshal([]byte(tags), &list) != nil {
		return string(tags)
	}
	return strings.Join(list, ", ")
}

// pairList returns metadata with one pair per line.
func pairList(metadata workqueue.JSONText) string {
	var pairs map[string]string
	if json.Unmarshal([]byte(metadata), &pairs) != nil {
		return string(metadata)
	}
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		lines = append(lines, key+"="+pairs[key])
	}
	return strings.Join(lines, "\n")
}
