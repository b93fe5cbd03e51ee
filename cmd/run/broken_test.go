package run_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/workqueue"
)

const brokenSteps = "steps:\n  - handler: Lgo\n"

var systemPipelines = []string{"CleanUp", "ExecuteLowPriorityWorkQueue", "ExecuteWorkQueue", "LoadWorkQueue", "RecordForecast", "ScheduleTasks"}

// itemState returns the name of an item's state.
func itemState(t *testing.T, id string) string {
	t.Helper()
	it := struct{ StateName string }{}
	if err := json.Unmarshal([]byte(clitest.Must(t, "items", "show", id, "-o", "json")), &it); err != nil {
		t.Fatal(err)
	}
	return it.StateName
}

func wantItemState(t *testing.T, id, want string) {
	t.Helper()
	if got := itemState(t, id); got != want {
		t.Errorf("item %s is %s, want %s", id, got, want)
	}
}

// A broken file does not affect the other files; its items wait until it is fixed.
func TestWorkerStartsWithoutBrokenFile(t *testing.T) {
	for name, text := range map[string]string{
		"an error":         "name: Import\n" + brokenSteps,
		"not YAML":         "name: Import\nsteps: [\n",
		"a broken copy":    "name: Import\nsteps: []\n",
		"an unknown field": "name: Import\nstep: []\n",
		"a missing target": "name: Import\nsteps: [{handler: Enqueue, with: {pipeline: nowhere}}]\n",
	} {
		t.Run(name, func(t *testing.T) {
			clitest.InProject(t)
			clitest.WriteFile(t, "pipelines/imp.yaml", text)
			clitest.Must(t, "enqueue", "--pipeline", "hello", "--payload-file", "hello.json", "--priority", "700")
			clitest.Must(t, "enqueue", "--pipeline", "Import", "--priority", "900", "--no-check")
			r := clitest.Do(t, "run", "--once")
			if r.Code != cli.ExitDone || !strings.Contains(r.Stderr, `"level":"warn"`) || !strings.Contains(r.Stderr, "imp.yaml:") || !strings.Contains(r.Stderr, "Import") {
				t.Errorf("run --once: exit code %d, want 0 and a warning that names imp.yaml and Import:\n%s", r.Code, r.Stderr)
			}
			wantItemState(t, "1", "Processed")
			wantItemState(t, "2", "Pending")

			clitest.Do(t, "run", "--once", "--strict").WantFailure(t, cli.ExitUsage, "imp.yaml:")
			clitest.Do(t, "pipelines", "check").WantFailure(t, cli.ExitUsage)
			r = clitest.Do(t, "pipelines", "list")
			r.WantFailure(t, cli.ExitUsage, "imp.yaml:")
			if !strings.Contains(r.Stdout, "Import ") || !strings.Contains(r.Stdout, "broken: ") {
				t.Errorf("pipelines list does not show Import as broken:\n%s", r.Stdout)
			}
			clitest.Do(t, "pipelines", "show", "Import").WantFailure(t, cli.ExitUsage, "imp.yaml:")

			clitest.WriteFile(t, "pipelines/imp.yaml", "name: Import\nsteps: [{handler: Log, with: {message: hi}}]\n")
			clitest.Must(t, "run", "--once")
			wantItemState(t, "2", "Processed")
		})
	}
}

// Of two files of one name the first is used, and the second is reported.
func TestWorkerStartsWithFirstOfDuplicateFiles(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/z.yaml", "name: hello\nsteps: [{handler: Fail, with: {message: the second}}]\n")
	clitest.Must(t, "enqueue", "--pipeline", "hello", "--payload-file", "hello.json", "--priority", "700")
	if r := clitest.Do(t, "run", "--once"); r.Code != cli.ExitDone || !strings.Contains(r.Stderr, "duplicate-pipeline") {
		t.Errorf("run --once: exit code %d, want 0 and duplicate-pipeline:\n%s", r.Code, r.Stderr)
	}
	wantItemState(t, "1", "Processed")
}

// If ExecuteWorkQueue is broken, a worker still runs the low items, and a script that runs all
// pipelines gets an error exit code.
func TestWorkerStartsWithoutBrokenSystemPipeline(t *testing.T) {
	clitest.InProject(t)
	clitest.Must(t, "enqueue", "--pipeline", "hello", "--payload-file", "hello.json", "--priority", "700")
	clitest.Must(t, "enqueue", "--pipeline", "hello", "--payload-file", "hello.json", "--priority", "100")
	clitest.WriteFile(t, "pipelines/ExecuteWorkQueue.yaml", "name: ExecuteWorkQueue\ntrigger:\n  cron: '* * * * *\n")
	clitest.Do(t, "run", "--once").WantFailure(t, cli.ExitUsage, "ExecuteWorkQueue.yaml:3:")
	wantItemState(t, "1", "Pending")
	wantItemState(t, "2", "Processed")
	r := clitest.Do(t, "run", "--once", "ExecuteWorkQueue")
	r.WantFailure(t, cli.ExitUsage, "ExecuteWorkQueue.yaml:3:")
	clitest.Must(t, "run", "--once", "ExecuteLowPriorityWorkQueue")
}

func TestWorkerNeedsASystemPipeline(t *testing.T) {
	clitest.InProject(t)
	for _, name := range systemPipelines {
		clitest.WriteFile(t, "pipelines/"+name+".yaml", brokenSteps)
	}
	for _, args := range [][]string{{"run"}, {"run", "--once"}, {"run", "--strict"}} {
		r := clitest.Do(t, args...)
		r.WantFailure(t, cli.ExitUsage, "ExecuteWorkQueue.yaml:2:14: ", "CleanUp.yaml:2:14: ", "6 errors")
		if strict := len(args) == 2 && args[1] == "--strict"; strings.Contains(r.Stderr, "no usable system pipeline in ") == strict {
			t.Errorf("%q printed\n%s", args, r.Stderr)
		}
	}
}

// Errors in the settings are never ignored.
func TestWorkerRejectsErrorsInTasks(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/imp.yaml", brokenSteps)
	clitest.WriteFile(t, "botwork.yaml", "tasks:\n  one: {pipeline: nowhere, at: [\"09:00\"]}\n")
	clitest.Do(t, "run", "--once").WantFailure(t, cli.ExitUsage, "nowhere")
}

func TestEnqueueOfBrokenPipelineSuggestsNoCheck(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/imp.yaml", brokenSteps)
	r := clitest.Do(t, "enqueue", "--pipeline", "imp")
	r.WantFailure(t, cli.ExitUsage, `--pipeline: the file of pipeline "imp" has errors [broken-pipeline]; fix the file; --no-check enqueues`, "imp.yaml:2:14: ")
}

// A pipeline may enqueue items of a broken pipeline: they wait.
func TestPipelineEnqueuesItemsOfBrokenOne(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/imp.yaml", brokenSteps)
	clitest.WriteFile(t, "pipelines/feed.yaml", "steps: [{handler: Enqueue, with: {pipeline: imp}}]\n")
	clitest.Must(t, "enqueue", "--pipeline", "feed", "--priority", "700")
	if r := clitest.Do(t, "run", "--once", "ExecuteWorkQueue"); r.Code != cli.ExitDone || !strings.Contains(r.Stderr, "enqueued items wait") {
		t.Errorf("run --once: exit code %d, want 0 and a warning:\n%s", r.Code, r.Stderr)
	}
	wantItemState(t, "1", "Processed")
	wantItemState(t, "2", "Pending")
}

func TestItemsWhyReportsBrokenPipeline(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "pipelines/imp.yaml", brokenSteps)
	clitest.Must(t, "enqueue", "--pipeline", "imp", "--no-check")
	clitest.Must(t, "run", "--once", "CleanUp") // creates the tables
	spec := workqueue.WorkerSpec{Name: "bot-1", InstanceID: "1", Host: "h", Capacity: 2, Lease: 3600e9}
	if _, err := clitest.OpenQueue(t).RegisterWorker(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	r := clitest.Do(t, "items", "why", "1")
	if r.Code != cli.ExitDone || !strings.Contains(r.Stdout, "pipeline-broken") || !strings.Contains(r.Stdout, `imp.yaml:2:14: steps[0].handler: unknown handler "Lgo"`) {
		t.Errorf("items why: exit code %d\n%s%s", r.Code, r.Stdout, r.Stderr)
	}
}

func TestDoctorReportsBrokenPipelines(t *testing.T) {
	clitest.InProject(t)
	clitest.Must(t, "db", "migrate")
	clitest.WriteFile(t, "pipelines/imp.yaml", "name: Import\n"+brokenSteps)
	r := clitest.Do(t, "doctor", "--service", "botwork-none")
	if r.Code != cli.ExitFailed || !strings.Contains(r.Stdout, "a worker starts without Import, whose items wait") {
		t.Errorf("exit code %d, want 1 and that a worker starts without Import:\n%s", r.Code, r.Stdout)
	}
	for _, name := range systemPipelines {
		if err := os.Remove("pipelines/" + name + ".yaml"); err != nil {
			t.Fatal(err)
		}
	}
	if r := clitest.Do(t, "doctor", "--service", "botwork-none"); !strings.Contains(r.Stdout, "a worker does not start: ") {
		t.Errorf("without a system pipeline:\n%s", r.Stdout)
	}
}
