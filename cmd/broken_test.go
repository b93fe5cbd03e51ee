package cmd

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/workqueue"
)

const brokenSteps = "steps:\n  - handler: Lgo\n"

var systemPipelines = []string{"CleanUp", "ExecuteLowPriorityWorkQueue", "ExecuteWorkQueue", "LoadWorkQueue", "ScheduleTasks"}

// itemState is the name of an item's state.
func itemState(t *testing.T, id string) string {
	t.Helper()
	it := struct{ StateName string }{}
	if err := json.Unmarshal([]byte(mustDo(t, "items", "show", id, "-o", "json")), &it); err != nil {
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

// A broken file keeps nobody from working with the others; its items wait until it is
// fixed.
func TestAWorkerStartsWithoutABrokenFile(t *testing.T) {
	for name, text := range map[string]string{
		"a mistake":        "name: Import\n" + brokenSteps,
		"not YAML":         "name: Import\nsteps: [\n",
		"a broken copy":    "name: Import\nsteps: []\n",
		"an unknown field": "name: Import\nstep: []\n",
		"a missing target": "name: Import\nsteps: [{handler: Enqueue, with: {pipeline: nowhere}}]\n",
	} {
		t.Run(name, func(t *testing.T) {
			inProject(t)
			writeFile(t, "pipelines/imp.yaml", text)
			mustDo(t, "enqueue", "--pipeline", "hello", "--payload-file", "hello.json", "--priority", "700")
			mustDo(t, "enqueue", "--pipeline", "Import", "--priority", "900", "--no-check")
			r := botwork(t, "run", "--once")
			if r.code != cli.ExitDone || !strings.Contains(r.stderr, `"level":"warn"`) || !strings.Contains(r.stderr, "imp.yaml:") || !strings.Contains(r.stderr, "Import") {
				t.Errorf("run --once: exit code %d, want 0 and a warning that names imp.yaml and Import:\n%s", r.code, r.stderr)
			}
			wantItemState(t, "1", "Processed")
			wantItemState(t, "2", "Pending")

			botwork(t, "run", "--once", "--strict").wantFailure(t, cli.ExitUsage, "imp.yaml:")
			botwork(t, "pipelines", "check").wantFailure(t, cli.ExitUsage)
			r = botwork(t, "pipelines", "list")
			r.wantFailure(t, cli.ExitUsage, "imp.yaml:")
			if !strings.Contains(r.stdout, "Import ") || !strings.Contains(r.stdout, "broken: ") {
				t.Errorf("pipelines list does not show Import as broken:\n%s", r.stdout)
			}
			botwork(t, "pipelines", "show", "Import").wantFailure(t, cli.ExitUsage, "imp.yaml:")

			writeFile(t, "pipelines/imp.yaml", "name: Import\nsteps: [{handler: Log, with: {message: hi}}]\n")
			mustDo(t, "run", "--once")
			wantItemState(t, "2", "Processed")
		})
	}
}

// Of two files of one name the first is used, and the second is reported.
func TestAWorkerStartsWithTheFirstOfTwoFilesOfOneName(t *testing.T) {
	inProject(t)
	writeFile(t, "pipelines/z.yaml", "name: hello\nsteps: [{handler: Fail, with: {message: the second}}]\n")
	mustDo(t, "enqueue", "--pipeline", "hello", "--payload-file", "hello.json", "--priority", "700")
	if r := botwork(t, "run", "--once"); r.code != cli.ExitDone || !strings.Contains(r.stderr, "duplicate-pipeline") {
		t.Errorf("run --once: exit code %d, want 0 and duplicate-pipeline:\n%s", r.code, r.stderr)
	}
	wantItemState(t, "1", "Processed")
}

// Without its medium pipeline a worker runs the low items, and a script that asked for
// all pipelines is told that one is broken.
func TestAWorkerStartsWithoutABrokenSystemPipeline(t *testing.T) {
	inProject(t)
	mustDo(t, "enqueue", "--pipeline", "hello", "--payload-file", "hello.json", "--priority", "700")
	mustDo(t, "enqueue", "--pipeline", "hello", "--payload-file", "hello.json", "--priority", "100")
	writeFile(t, "pipelines/ExecuteWorkQueue.yaml", "name: ExecuteWorkQueue\ntrigger:\n  cron: '* * * * *\n")
	botwork(t, "run", "--once").wantFailure(t, cli.ExitUsage, "ExecuteWorkQueue.yaml:3:")
	wantItemState(t, "1", "Pending")
	wantItemState(t, "2", "Processed")
	r := botwork(t, "run", "--once", "ExecuteWorkQueue")
	r.wantFailure(t, cli.ExitUsage, "ExecuteWorkQueue.yaml:3:")
	mustDo(t, "run", "--once", "ExecuteLowPriorityWorkQueue")
}

func TestAWorkerRefusesToStartWithoutASystemPipeline(t *testing.T) {
	inProject(t)
	for _, name := range systemPipelines {
		writeFile(t, "pipelines/"+name+".yaml", brokenSteps)
	}
	for _, args := range [][]string{{"run"}, {"run", "--once"}, {"run", "--strict"}} {
		r := botwork(t, args...)
		r.wantFailure(t, cli.ExitUsage, "ExecuteWorkQueue.yaml:2:14: ", "CleanUp.yaml:2:14: ", "5 mistakes")
		if strict := len(args) == 2 && args[1] == "--strict"; strings.Contains(r.stderr, "no system pipeline of ") == strict {
			t.Errorf("%q said\n%s", args, r.stderr)
		}
	}
}

// Mistakes in the settings are never passed over.
func TestAWorkerRefusesMistakesInTasks(t *testing.T) {
	inProject(t)
	writeFile(t, "pipelines/imp.yaml", brokenSteps)
	writeFile(t, "botwork.yaml", "tasks:\n  one: {pipeline: nowhere, at: [\"09:00\"]}\n")
	botwork(t, "run", "--once").wantFailure(t, cli.ExitUsage, "nowhere")
}

func TestEnqueueNamesTheWayAroundABrokenPipeline(t *testing.T) {
	inProject(t)
	writeFile(t, "pipelines/imp.yaml", brokenSteps)
	r := botwork(t, "enqueue", "--pipeline", "imp")
	r.wantFailure(t, cli.ExitUsage, `--pipeline: the file of pipeline "imp" has errors [broken-pipeline]; fix the file; --no-check enqueues`, "imp.yaml:2:14: ")
}

// A pipeline may enqueue items of one that is broken: they wait.
func TestAGoodPipelineEnqueuesABrokenOne(t *testing.T) {
	inProject(t)
	writeFile(t, "pipelines/imp.yaml", brokenSteps)
	writeFile(t, "pipelines/feed.yaml", "steps: [{handler: Enqueue, with: {pipeline: imp}}]\n")
	mustDo(t, "enqueue", "--pipeline", "feed", "--priority", "700")
	if r := botwork(t, "run", "--once", "ExecuteWorkQueue"); r.code != cli.ExitDone || !strings.Contains(r.stderr, "enqueued items wait") {
		t.Errorf("run --once: exit code %d, want 0 and a warning:\n%s", r.code, r.stderr)
	}
	wantItemState(t, "1", "Processed")
	wantItemState(t, "2", "Pending")
}

func TestItemsWhyNamesABrokenPipeline(t *testing.T) {
	inProject(t)
	writeFile(t, "pipelines/imp.yaml", brokenSteps)
	mustDo(t, "enqueue", "--pipeline", "imp", "--no-check")
	mustDo(t, "run", "--once", "CleanUp") // makes the tables
	spec := workqueue.WorkerSpec{Name: "bot-1", InstanceID: "1", Host: "h", Capacity: 2, Lease: 3600e9}
	if _, err := openQueue(t).RegisterWorker(t.Context(), spec); err != nil {
		t.Fatal(err)
	}
	r := botwork(t, "items", "why", "1")
	if r.code != cli.ExitDone || !strings.Contains(r.stdout, "pipeline-broken") || !strings.Contains(r.stdout, `imp.yaml:2:14: steps[0].handler: unknown handler "Lgo"`) {
		t.Errorf("items why: exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
}

func TestDoctorNamesWhatAWorkerStartsWithout(t *testing.T) {
	inProject(t)
	mustDo(t, "db", "migrate")
	writeFile(t, "pipelines/imp.yaml", "name: Import\n"+brokenSteps)
	r := botwork(t, "doctor", "--service", "botwork-none")
	if r.code != cli.ExitFailed || !strings.Contains(r.stdout, "a worker starts without Import, whose items wait") {
		t.Errorf("exit code %d, want 1 and that a worker starts without Import:\n%s", r.code, r.stdout)
	}
	for _, name := range systemPipelines {
		if err := os.Remove("pipelines/" + name + ".yaml"); err != nil {
			t.Fatal(err)
		}
	}
	if r := botwork(t, "doctor", "--service", "botwork-none"); !strings.Contains(r.stdout, "a worker does not start like this") {
		t.Errorf("without a system pipeline:\n%s", r.stdout)
	}
}
