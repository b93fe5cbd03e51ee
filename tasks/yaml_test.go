package tasks_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"botwork/internal/author/strictyaml"
	"botwork/tasks"
	"botwork/workqueue"
)

func decode(t *testing.T, text string) ([]tasks.Task, strictyaml.Findings) {
	t.Helper()
	n, findings := strictyaml.Parse("botwork.yaml", []byte(text))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	return tasks.Decode(n.Get("tasks"), "Europe/Lisbon")
}

func TestDecode(t *testing.T) {
	got, findings := decode(t, `
tasks:
  close-books:
    topic: finance
    description: Close the month's books
    queue: finance
    pipeline: close-books
    importance: high
    schedule: {execute: monthly, startAt: 25, startTolerance: 5, timezone: UTC}
    scope: [lisbon, porto, 7]
    payload: {ledger: main, keep: [1, 2]}
    resilience: {limit: 5, delay: 30m}
    estimatedDuration: 5m
    notify: {pipeline: tell-admins, payload: {to: books@example.com}}
  sweep:
    pipeline: {name: sweep, steps: [{handler: Log}]}
    active: false
    importance: 0
    schedule: {cron: "0 6 * * *", startTolerance: 2h}
  on-demand: {pipeline: report}
`)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	want := []tasks.Task{
		{
			Name: "close-books", Topic: "finance", Description: "Close the month's books", Active: true, Queue: "finance", Pipeline: "close-books",
			Importance: tasks.High,
			Schedule:   &tasks.Schedule{Execute: tasks.Monthly, StartAt: "25", StartTolerance: "5", Timezone: "UTC"},
			Scope:      []string{"lisbon", "porto", "7"}, Payload: `{"keep":[1,2],"ledger":"main"}`,
			Resilience: `{"delay":"30m","limit":5}`, EstimatedDuration: workqueue.Duration(5 * time.Minute),
			Notify: &tasks.Notify{Pipeline: "tell-admins", Payload: `{"to":"books@example.com"}`},
		},
		{
			Name: "sweep", Queue: "default", Pipeline: `{"name":"sweep","steps":[{"handler":"Log"}]}`, Importance: tasks.Low,
			Schedule: &tasks.Schedule{Cron: "0 6 * * *", StartTolerance: "2h", Timezone: "Europe/Lisbon"},
		},
		{Name: "on-demand", Active: true, Queue: "default", Pipeline: "report", Importance: tasks.Normal},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(tasks.Task{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, task := range got {
		if scheduled := task.Plan() != nil; scheduled != (task.Schedule != nil) {
			t.Errorf("%s has a plan: %t", task.Name, scheduled)
		}
	}
}

func TestDecodeReportsAllErrors(t *testing.T) {
	_, findings := decode(t, `tasks:
  -bad name:
    pipeline: x
  books:
    pipelin: books
    importance: hihg
    schedule: {execute: daily, startAt: 25, startTolerance: -1, timezone: Mars}
    scope: [a, A, " b", {c: d}]
    payload: {task: mine}
    resilience: {limit: 0, dealy: 3s}
    notify: {payload: [1]}
  Books:
    pipeline: [1]
    schedule: {corn: "* * * * *"}
    estimatedDuration: 5
  none:
  text: hello
  late:
    pipeline: x
    schedule: {cron: "0 25 * * *", startAt: 1}
    resilience: {limit: 0}
    estimatedDuration: -5m
  nothing: {pipeline: x, estimatedDuration: 0s}
`)
	want := strings.TrimSpace(`
botwork.yaml:2:3: the task's name: got "-bad name", want up to 150 Latin letters, digits, _, - and ., with a letter or digit in front [invalid-name]
botwork.yaml:5:5: unknown key "pipelin" in tasks.books [unknown-key]; did you mean "pipeline"?
botwork.yaml:5:5: key "pipeline" is missing in tasks.books [missing-key]
botwork.yaml:6:17: tasks.books.importance: got "hihg", want low, normal or high [invalid-value]; did you mean "high"?
botwork.yaml:7:41: tasks.books.schedule.startAt: got "25", want an hour from 0 to 24, or a time such as 15:30 [invalid-value]
botwork.yaml:7:61: tasks.books.schedule.startTolerance: got "-1", want 0 to 8784 [invalid-value]
botwork.yaml:7:75: tasks.books.schedule.timezone: unknown time zone "Mars" [invalid-value]; use a name such as Europe/Lisbon, or UTC
botwork.yaml:8:25: tasks.books.scope[3]: got a mapping, want a number or text [wrong-type]
botwork.yaml:9:14: tasks.books.payload: the key "task" is the program's [invalid-value]; give it another name
botwork.yaml:10:28: unknown key "dealy" in tasks.books.resilience [unknown-key]; did you mean "delay"?
botwork.yaml:11:13: key "pipeline" is missing in tasks.books.notify [missing-key]
botwork.yaml:11:23: tasks.books.notify.payload: want a JSON object: the program adds the key "failure" to it [invalid-value]
botwork.yaml:13:5: tasks.Books: there is a task "books" already; upper and lower case count as the same [invalid-name]
botwork.yaml:13:15: tasks.Books.pipeline: got a list, want text [wrong-type]
botwork.yaml:14:16: unknown key "corn" in tasks.Books.schedule [unknown-key]; did you mean "cron"?
botwork.yaml:15:24: tasks.Books.estimatedDuration: got "5", want a duration [invalid-value]; write a number and a unit, such as 30s, 5m or 1h30m
botwork.yaml:16:8: tasks.none: key "pipeline" is missing [missing-key]
botwork.yaml:17:9: tasks.text: got text, want a mapping [wrong-type]
botwork.yaml:20:22: tasks.late.schedule.cron: cron "0 25 * * *": hour is "25", want 0-23; as a value, *, a step (*/5), a range from low to high (1-5) or a list (1,5) [invalid-value]
botwork.yaml:20:45: tasks.late.schedule.startAt: want no startAt together with cron [invalid-value]
botwork.yaml:21:17: tasks.late.resilience: {"limit":0}: limit 0: want 1 or more attempts; 1 means no retry [invalid-value]
botwork.yaml:22:24: tasks.late.estimatedDuration: got -5m, want more than 0s [invalid-value]; leave it out if it is not known
botwork.yaml:23:45: tasks.nothing.estimatedDuration: got 0s, want more than 0s [invalid-value]; leave it out if it is not known
`)
	if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(findings.Error(), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestNoTasks(t *testing.T) {
	for _, text := range []string{"x: 1", "tasks:", "tasks: {}"} {
		if list, findings := decode(t, text); len(list)+len(findings) > 0 {
			t.Errorf("%s: %v, %v", text, list, findings)
		}
	}
	if _, findings := decode(t, "tasks: [a]"); len(findings) != 1 || !strings.Contains(findings.Error(), "want a mapping of tasks by name") {
		t.Errorf("a list: %v", findings)
	}
}

// A stored task is read as the same task, and every change of a field changes its hash.
func TestRowsReadBack(t *testing.T) {
	list, findings := decode(t, `
tasks:
  a: {pipeline: p, topic: t, importance: low, schedule: {execute: weekly, startAt: mon, startTolerance: 2}, scope: [x], payload: {k: 1}, resilience: {limit: 2}, estimatedDuration: 90s, notify: {pipeline: n, payload: {to: [a]}}}
  b: {pipeline: p, topic: t, importance: low, schedule: {execute: weekly, startAt: mon, startTolerance: 3}}
  c: {pipeline: p, schedule: {cron: "@daily", active: false}}
`)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	seen := map[string]bool{}
	for _, task := range list {
		row, err := task.Row()
		if err != nil {
			t.Fatal(err)
		}
		back, err := tasks.Read(row)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(task, back, cmpopts.IgnoreUnexported(tasks.Task{})); diff != "" {
			t.Errorf("%s (-written +read):\n%s", task.Name, diff)
		}
		if len(row.Definition) != 64 || seen[row.Definition] {
			t.Errorf("%s: hash %q", task.Name, row.Definition)
		}
		seen[row.Definition] = true
	}
	if list[2].Plan() != nil {
		t.Error("a schedule that is not active has windows")
	}
}

func TestReadReportsErrorsInRows(t *testing.T) {
	_, err := tasks.Read(workqueue.TaskRow{
		Name: "x", Importance: 3, ScheduleConfig: `{""Execute"": "Daily"}`, Scope: `["a", "a "]`, Payload: `[]`,
		ResilienceConfig: `{"limits": 2}`, NotificationConfig: `{"payload": {"failure": 1}}`,
	})
	for _, want := range []string{
		"pipeline: want the name", "importance: got 3, want 0 (low), 1 (normal) or 2 (high)", "schedule: it cannot be read as JSON",
		`scope: got the value "a "`, "payload: want a JSON object", "resilience: ", `unknown field "limits"`,
		"notify.pipeline: want the name", `notify.payload: the key "failure" is the program's`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v\nwant it to say %q", err, want)
		}
	}
}
