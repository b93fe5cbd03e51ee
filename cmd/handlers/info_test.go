package handlers_test

import (
	"context"
	"runtime"
	"strings"
	"testing"

	handlerscmd "botwork/cmd/handlers"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/handlers"
)

func TestVersion(t *testing.T) {
	if out := clitest.Must(t, "version"); !strings.HasPrefix(out, "botwork ") || !strings.Contains(out, runtime.Version()) {
		t.Errorf("version = %q", out)
	}
	v := clitest.Decode[map[string]string](t, clitest.Must(t, "version", "-o", "json"))
	for _, key := range []string{"version", "commit", "date", "goVersion", "platform"} {
		if _, ok := v[key]; !ok {
			t.Errorf("version --output json lacks %q: %v", key, v)
		}
	}
}

func TestHandlers(t *testing.T) {
	t.Chdir(t.TempDir())
	out := clitest.Must(t, "handlers")
	for _, kind := range []string{"HTTP", "SQL", "AssignTasksToWorker", "ExecuteWorkItems", "Enqueue"} {
		if !strings.Contains(out, kind+" ") {
			t.Errorf("handlers lacks %s:\n%s", kind, out)
		}
	}
	if out := clitest.Must(t, "handlers", "show", "http"); !strings.HasPrefix(out, "# HTTP\n") || !strings.Contains(out, "## Parameters") {
		t.Errorf("handlers show http = %.200s", out)
	}
	list := clitest.Decode[[]handlerscmd.KindView](t, clitest.Must(t, "handlers", "-o", "json"))
	for _, kind := range list {
		if kind.Name == "" || kind.Summary == "" || kind.Doc == "" || kind.Output == "" || kind.Example == "" {
			t.Errorf("handler %q lacks a part of its documentation: %+v", kind.Name, kind)
		}
	}
}

func TestHandlerContract(t *testing.T) {
	var out strings.Builder
	kind := handlers.Kind{
		Name: "Fetch", Summary: "Fetch a thing", Doc: "Fetches.", Output: "the thing", Example: "- handler: Fetch\n",
		New: func() handlers.Handler { return &fetch{Tries: 3} },
	}
	a := &cli.App{Streams: cli.Streams{Stdout: &out}}
	if err := a.Print(cli.FormatJSON, handlerscmd.ViewKind(kind), nil); err != nil {
		t.Fatal(err)
	}
	clitest.Golden(t, "handlers_show.json", out.String())
}

type fetch struct {
	URL   string          `json:"url" required:"true" doc:"where it is"`
	Tries int             `json:"tries" doc:"how often"`
	Mode  string          `json:"mode" enum:"fast,slow" doc:"how"`
	Key   handlers.Secret `json:"key" doc:"who asks"`
	Parts []struct {
		Name string `json:"name" doc:"of the part"`
	} `json:"parts" doc:"what of it"`
}

func (*fetch) Handle(context.Context, *handlers.Call) (any, error) { return nil, nil }

func TestDB(t *testing.T) {
	clitest.InProject(t)
	status := clitest.Decode[[]struct {
		Version int
		Applied bool
	}](t, clitest.Must(t, "db", "status", "-o", "json"))
	if len(status) == 0 || status[0].Applied {
		t.Errorf("a new database: %+v, want pending migrations", status)
	}
	if out := clitest.Must(t, "db", "status"); !strings.Contains(out, "botwork db migrate") {
		t.Errorf("db status does not say what to do:\n%s", out)
	}
	if out := clitest.Must(t, "db", "migrate"); !strings.Contains(out, "applied 0001_queue.sql\n") || !strings.Contains(out, "up to date") {
		t.Errorf("db migrate printed\n%s", out)
	}
	if out := clitest.Must(t, "db", "migrate"); strings.Contains(out, "applied ") {
		t.Errorf("a second db migrate printed\n%s", out)
	}
	first := clitest.Decode[[]map[string]any](t, clitest.Must(t, "db", "status", "-o", "json"))[0]
	for _, key := range []string{"version", "name", "applied", "appliedAt"} {
		if first[key] == nil {
			t.Errorf("db status --output json: %q is missing in %v", key, first)
		}
	}
}

func TestDatabaseMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	environ := []string{"BOTWORK_DATABASE_DRIVER=postgres", "BOTWORK_DATABASE_DSN=postgres://bot:hunter2@127.0.0.1:1/work?connect_timeout=1"}
	r := clitest.DoWith(t, "", environ, "items", "list")
	r.WantFailure(t, cli.ExitFailed, "postgres", "bot:<secret>@127.0.0.1:1")
	if strings.Contains(r.Stderr, "hunter2") {
		t.Errorf("the password shows:\n%s", r.Stderr)
	}
}

func TestDatabaseFolderMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	r := clitest.DoWith(t, "", []string{"BOTWORK_DATABASE_DSN=nowhere/botwork.db"}, "items", "list")
	r.WantFailure(t, cli.ExitFailed, "nowhere does not exist: create it, or change database.dsn")
}

func TestSettingsWithMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.WriteFile(t, "botwork.yaml", "databse: {}\nworker: {capacity: 0}\n")
	r := clitest.Do(t, "items", "list")
	r.WantFailure(t, cli.ExitUsage, `botwork.yaml:1:1: unknown key "databse"`, "botwork.yaml:2:20: ", "botwork: 2 errors\n")
}
