package tasks_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/internal/operations"
	"botwork/workqueue"
)

const someTasks = `worker: {name: bot-1}
pipelines: {timezone: Europe/Lisbon}
tasks:
  close-books:
    topic: finance
    description: Close the month's books
    pipeline: hello
    importance: high
    schedule: {execute: monthly, startAt: 31, startTolerance: 5}
    scope: [lisbon, porto]
    payload: {name: Ada}
    resilience: {limit: 5}
    estimatedDuration: 5m
    notify: {pipeline: hello, payload: {name: admin}}
  report: {pipeline: hello}
  sweep: {pipeline: hello, active: false, schedule: {cron: "0 6 * * *", startTolerance: 2h, timezone: UTC}}
`

// Times depend on the day, and so do the width of columns and whether a window is open.
var (
	taskInstants = regexp.MustCompile(`((Mon|Tue|Wed|Thu|Fri|Sat|Sun) )?\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:\d\d| WES?T| UTC)?`)
	openWindow   = regexp.MustCompile(`"open": (null|\{[^}]*\})|(?m)^open .*\n|^open:( null|(\n  .*)*)`)
	gaps         = regexp.MustCompile(`(\S) {2,}`)
)

func steady(out string) string {
	return gaps.ReplaceAllString(openWindow.ReplaceAllString(taskInstants.ReplaceAllString(out, "INSTANT"), ""), "$1  ")
}

// taskShown holds the fields of a task that these tests check.
type taskShown struct {
	Name            string
	Active          bool
	Problems, Notes []string
	Windows         []operations.Window
}

// taskItem holds the fields of an item that these tests check.
type taskItem struct {
	State               workqueue.State
	Priority            int
	TaskName, CreatedBy *string
	Payload             json.RawMessage
}

// defineTasks creates a project whose settings define three tasks.
func defineTasks(t *testing.T) {
	t.Helper()
	clitest.InProject(t)
	clitest.WriteFile(t, "botwork.yaml", someTasks)
	if out := clitest.Must(t, "tasks", "define"); out != "task close-books: defined\ntask report: defined\ntask sweep: defined\n" {
		t.Errorf("tasks define: %q", out)
	}
}

func TestTasksListWithoutTasks(t *testing.T) {
	clitest.InProject(t)
	if out := clitest.Must(t, "tasks", "list"); !strings.HasPrefix(out, "no tasks are defined: `botwork tasks define`") {
		t.Errorf("tasks list: %q", out)
	}
}

func TestTasksContract(t *testing.T) {
	defineTasks(t)
	if out := clitest.Must(t, "tasks", "define"); out != "nothing to do: the 3 tasks in the database are up to date\n" {
		t.Errorf("tasks define, again: %q", out)
	}
	if out := clitest.Must(t, "tasks", "define", "-o", "json"); out != "[]\n" {
		t.Errorf("tasks define -o json: %q, want an empty list", out)
	}
	clitest.Golden(t, "tasks_list.txt", steady(clitest.Must(t, "tasks", "list")))
	clitest.Golden(t, "tasks_list.json", steady(clitest.Must(t, "tasks", "list", "--output", "json")))
	clitest.Golden(t, "tasks_show.txt", steady(clitest.Must(t, "tasks", "show", "close-books", "--count", "2")))
	clitest.Golden(t, "tasks_show.yaml", steady(clitest.Must(t, "tasks", "show", "sweep", "--count", "1", "--output", "yaml")))
	if got := clitest.Decode[taskShown](t, clitest.Must(t, "tasks", "show", "close-books", "-o", "json", "--count", "3")); len(got.Windows) != 3 || len(got.Notes) != 2 {
		t.Errorf("tasks show --count 3: %d windows, notes %q", len(got.Windows), got.Notes)
	}
}

// The last window of a task is what became of all values of its scope.
func TestTasksListCountsTheLastWindow(t *testing.T) {
	defineTasks(t)
	store := clitest.OpenQueue(t)
	at := time.Date(2026, 1, 31, 6, 0, 0, 0, time.UTC)
	for _, f := range []workqueue.Firing{{Worker: "lisbon", Outcome: workqueue.Missed, Reason: "no worker ran a pass"}, {Worker: "porto", Outcome: workqueue.Fired}} {
		f.Schedule, f.PlannedAt, f.RecordedBy = workqueue.TaskSchedule("close-books"), at, "bot-1"
		if err := store.RecordFirings(t.Context(), []workqueue.Firing{f}); err != nil {
			t.Fatal(err)
		}
	}
	if out := clitest.Must(t, "tasks", "list"); !strings.Contains(out, "2026-01-31 06:00Z 1 fired 1 missed") {
		t.Errorf("tasks list: %s", out)
	}
	f := workqueue.Firing{Schedule: workqueue.TaskSchedule("report"), PlannedAt: at, Outcome: workqueue.Fired, RecordedBy: "bot-1"}
	if err := store.RecordFirings(t.Context(), []workqueue.Firing{f}); err != nil {
		t.Fatal(err)
	}
	if out := clitest.Must(t, "tasks", "list"); !strings.Contains(out, "2026-01-31 06:00Z fired") {
		t.Errorf("tasks list: %s", out)
	}
}

func TestTasksRun(t *testing.T) {
	defineTasks(t)
	if out := clitest.Must(t, "tasks", "run", "close-books"); out != "task close-books: item 1 for lisbon\ntask close-books: item 2 for porto\n" {
		t.Errorf("tasks run: %q", out)
	}
	got := clitest.Decode[[]operations.ScopedItem](t, clitest.Must(t, "tasks", "run", "close-books", "--scope", "porto", "-o", "json"))
	if len(got) != 1 || *got[0].Scope != "porto" || got[0].ID != 3 {
		t.Errorf("tasks run --scope porto: %+v", got)
	}
	if out := clitest.Must(t, "tasks", "run", "sweep"); out != "task sweep: item 4\n" {
		t.Errorf("a task that is not active, on request: %q", out)
	}
	items := clitest.Decode[[]taskItem](t, clitest.Must(t, "items", "list", "--task", "close-books", "-o", "json"))
	if len(items) != 3 || items[0].State != workqueue.Pending || items[0].Priority != 1000 || items[0].CreatedBy == nil ||
		!strings.Contains(string(items[0].Payload), `"porto"`) {
		t.Errorf("the items are %+v", items)
	}
	clitest.Do(t, "tasks", "run", "close-books", "--scope", "prto").WantFailure(t, cli.ExitUsage, `no scope value "prto"; did you mean "porto"?`)
	clitest.Do(t, "tasks", "run", "report", "--scope", "porto").WantFailure(t, cli.ExitUsage, `task "report" has no scope, got the value "porto"`)
	clitest.Do(t, "tasks", "run", "reprt").WantFailure(t, cli.ExitFailed, `task "reprt": not found; did you mean "report"?`)
	clitest.Do(t, "tasks", "show", "close-books", "--count", "0").WantFailure(t, cli.ExitUsage, "--count: got 0, want 1 to 1000")
}

func TestTasksDefineReportsAllErrorsFirst(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "botwork.yaml", `tasks:
  a: {pipeline: helo, schedule: {execute: dayly}, notify: {pipeline: ExecuteWorkQueue}}
  b: {pipeline: "steps: [{handler: Lgo}]"}
`)
	for _, words := range [][]string{{"tasks", "define"}, {"run", "--once"}} {
		clitest.Do(t, words...).WantFailure(t, cli.ExitUsage,
			`botwork.yaml:2:17: tasks.a.pipeline: there is no pipeline "helo" [unknown-pipeline]; did you mean "hello"?`,
			`botwork.yaml:2:43: tasks.a.schedule.execute: got "dayly", want daily, weekly or monthly [invalid-value]`,
			`tasks.a.notify.pipeline: pipeline "ExecuteWorkQueue" has a trigger; an item needs a pipeline without one`,
			`tasks.b.pipeline: 1:19: `, "4 errors")
	}
	if out := clitest.Must(t, "tasks", "list", "-o", "json"); out != "[]\n" {
		t.Errorf("a rejected file wrote tasks: %s", out)
	}
}

// A task with an unknown queue would create no item, which might be noticed only a month later.
func TestTasksWithUnknownQueue(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "botwork.yaml", `tasks:
  a: {pipeline: hello, queue: defalt}
  b: {pipeline: hello, queue: mail, estimatedDuration: 1d}
  c: {pipeline: hello}
`)
	for _, words := range [][]string{{"tasks", "define"}, {"run", "--once", "LoadWorkQueue"}} {
		clitest.Do(t, words...).WantFailure(t, cli.ExitUsage,
			`botwork.yaml:2:31: tasks.a.queue: there is no queue "defalt" [unknown-queue]; did you mean "default"?`,
			`botwork.yaml:3:31: tasks.b.queue: there is no queue "mail" [unknown-queue]; known queues: default`, "2 errors")
	}
	if out := clitest.Must(t, "tasks", "list", "-o", "json"); out != "[]\n" {
		t.Errorf("a rejected file wrote tasks: %s", out)
	}
	// A queue that the same file defines is known.
	clitest.WriteFile(t, "botwork.yaml", "queues:\n  mail:\ntasks:\n  b: {pipeline: hello, queue: mail, estimatedDuration: 1d}\n")
	if out := clitest.Must(t, "tasks", "define"); out != "task b: defined\n" {
		t.Errorf("tasks define: %q", out)
	}
}

func TestTasksRemovedFromTheFile(t *testing.T) {
	defineTasks(t)
	clitest.ByHand(t, `INSERT INTO BotTasks (Name, Pipeline, ScheduleConfig) VALUES ('by-hand', 'hello', '{"Execute": "Dayly"}')`)
	clitest.WriteFile(t, "botwork.yaml", "tasks: {report: {pipeline: hello}}\n")
	want := "task close-books: set inactive, because botwork.yaml no longer defines it\n" +
		"task sweep: set inactive, because botwork.yaml no longer defines it\n"
	if out := clitest.Must(t, "tasks", "define"); out != want {
		t.Errorf("tasks define: %q, want %q", out, want)
	}
	states := map[string]string{}
	for _, v := range clitest.Decode[[]taskShown](t, clitest.Must(t, "tasks", "list", "-o", "json")) {
		states[v.Name] = map[bool]string{true: "active", false: "inactive"}[v.Active]
		if v.Name == "by-hand" && (len(v.Problems) != 1 || !strings.Contains(v.Problems[0], `got "Dayly"`)) {
			t.Errorf("the broken row: %q", v.Problems)
		}
	}
	for name, state := range map[string]string{"by-hand": "active", "close-books": "inactive", "report": "active", "sweep": "inactive"} {
		if states[name] != state {
			t.Errorf("task %s is %s, want %s", name, states[name], state)
		}
	}
	if out := clitest.Must(t, "tasks", "list"); !regexp.MustCompile(`by-hand +- +broken`).MatchString(out) {
		t.Errorf("tasks list:\n%s", out)
	}
	clitest.WriteFile(t, "botwork.yaml", "worker: {name: bot-1}\n") // a file without tasks
	if out := clitest.Must(t, "tasks", "define"); !strings.Contains(out, "the settings define no tasks") {
		t.Errorf("tasks define: %q", out)
	}
	if out := clitest.Must(t, "tasks", "show", "report"); !strings.Contains(out, "on request") {
		t.Errorf("a file without tasks changed one:\n%s", out)
	}
}

// From the settings to a finished item: the tasks are written, the first pass creates the
// item, the next one runs it.
func TestTaskOfTheSettingsRuns(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "botwork.yaml", strings.Replace(clitest.ReadFile(t, "botwork.yaml"), "tasks:\n", "tasks:\n  greet: {pipeline: hello, payload: {name: Ada}, schedule: {execute: daily, timezone: UTC}}\n", 1))
	clitest.Must(t, "run", "--once", "LoadWorkQueue")
	clitest.Must(t, "run", "--once", "ScheduleTasks")
	clitest.Must(t, "run", "--once", "ExecuteWorkQueue")
	items := clitest.Decode[[]taskItem](t, clitest.Must(t, "items", "list", "-o", "json"))
	if len(items) != 1 || items[0].State != workqueue.Processed || items[0].TaskName == nil || *items[0].TaskName != "greet" || *items[0].CreatedBy != "schedule" {
		t.Fatalf("the items are %+v", items)
	}
	clitest.Must(t, "run", "--once", "LoadWorkQueue")
	if out := clitest.Must(t, "tasks", "show", "greet"); strings.Count(out, "fired") != 1 {
		t.Errorf("tasks show:\n%s", out)
	}
}
