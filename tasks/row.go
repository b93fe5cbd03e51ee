package tasks

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"botwork/workqueue"
)

// Read parses a row. The error is a Problems; the task then has the fields that could be read.
func Read(row workqueue.TaskRow) (Task, error) {
	t := Task{
		Name: row.Name, Topic: row.Topic, Description: row.Description, Active: row.Active, Queue: row.QueueName,
		Pipeline: row.Pipeline, Importance: Importance(row.Importance), Payload: row.Payload,
		Resilience: row.ResilienceConfig, EstimatedDuration: workqueue.Duration(row.Estimate),
	}
	if t.Queue == "" {
		t.Queue = workqueue.DefaultQueue
	}
	var ps Problems
	decode := func(field string, text workqueue.JSONText, into any) {
		if text == "" {
			return
		}
		if err := json.Unmarshal([]byte(text), into); err != nil {
			ps.add(field, "", "it cannot be read as JSON: %v", err)
		}
	}
	decode("schedule", row.ScheduleConfig, &t.Schedule)
	decode("scope", row.Scope, &t.Scope)
	decode("notify", row.NotificationConfig, &t.Notify)
	if err := t.check(); err != nil {
		ps = append(ps, err.(Problems)...) //nolint:errorlint,forcetypeassert // check returns it bare
	}
	return t, ps.err()
}

// Row returns the task's row.
func (t *Task) Row() (workqueue.TaskRow, error) {
	row := workqueue.TaskRow{
		Name: t.Name, Topic: t.Topic, Description: t.Description, Active: t.Active, QueueName: t.Queue,
		Pipeline: t.Pipeline, Importance: int(t.Importance), Payload: t.Payload, ResilienceConfig: t.Resilience,
		Estimate: time.Duration(t.EstimatedDuration),
	}
	for _, part := range []struct {
		there bool
		value any
		into  *workqueue.JSONText
	}{
		{t.Schedule != nil, t.Schedule, &row.ScheduleConfig},
		{len(t.Scope) > 0, t.Scope, &row.Scope},
		{t.Notify != nil, t.Notify, &row.NotificationConfig},
	} {
		if !part.there {
			continue
		}
		text, err := json.Marshal(part.value)
		if err != nil {
			return row, err
		}
		*part.into = workqueue.JSONText(text)
	}
	whole, err := json.Marshal(t)
	if err != nil {
		return row, err
	}
	sum := sha256.Sum256(whole)
	row.Definition = hex.EncodeToString(sum[:])
	return row, nil
}

// Rows returns the rows of tasks, ordered by name.
func Rows(list []Task) ([]workqueue.TaskRow, error) {
	rows := make([]workqueue.TaskRow, len(list))
	for i := range list {
		row, err := list[i].Row()
		if err != nil {
			return nil, err
		}
		rows[i] = row
	}
	slices.SortStableFunc(rows, func(a, b workqueue.TaskRow) int { return strings.Compare(a.Name, b.Name) })
	return rows, nil
}
