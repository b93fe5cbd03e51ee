//go:build unix

package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/pipelines/shipped"
	"botwork/workqueue"
	"botwork/workqueue/sqlstore"
)

// hold is a pipeline whose item prints that it has begun, waits until a file exists, and
// outputs the content of the file. It does not wait forever, because the program of
// a killed worker continues.
const hold = `
steps:
  - handler: Log
    with: {message: "begun, attempt ${{ item.attempt }}"}
  - handler: Exec
    with:
      program: sh
      args: [-c, 'i=0; while ! test -e "$1" && test $((i+=1)) -lt 600; do sleep 0.05; done; cat "$1"', hold, "${{ payload.until }}"]
`

// project is a folder with settings and pipelines, and a database.
type project struct {
	*testing.T
	dir     string
	store   *sqlstore.Store // the test's own connection
	environ []string        // the settings of its programs

	password string // of the database, behind a proxy
}

// newProject makes a project with the shipped system pipelines, scheduled every
// second, and an empty database.
func newProject(t *testing.T, e testdb.Engine) *project {
	dsn := e.DSN(t)
	return projectOn(t, e, dsn, e.Open(t, dsn))
}

func projectOn(t *testing.T, e testdb.Engine, dsn string, store *sqlstore.Store) *project {
	x := &project{T: t, dir: t.TempDir(), store: store, environ: []string{
		"BOTWORK_DATABASE_DRIVER=" + string(e.Driver),
		"BOTWORK_DATABASE_DSN=" + dsn,
		"BOTWORK_LOG_FORMAT=json",
	}}
	for _, f := range shipped.Files() {
		x.write("pipelines/"+f.Name, strings.Replace(string(f.Data), `cron: "* * * * *" `, `cron: "* * * * * *" `, 1))
	}
	x.write("pipelines/hold.yaml", hold)
	return x
}

// write puts a file into the project.
func (x *project) write(name, text string) {
	x.Helper()
	path := filepath.Join(x.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		x.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		x.Fatal(err)
	}
}

// worker starts a worker with more settings, such as "LEASE=4s".
func (x *project) worker(name string, settings ...string) *program {
	x.Helper()
	environ := append([]string{"BOTWORK_WORKER_NAME=" + name}, x.environ...)
	for _, s := range settings {
		environ = append(environ, "BOTWORK_WORKER_"+s)
	}
	return start(x.T, command(x.T, x.dir, environ, "run"))
}

// result is the result of a command line.
type result struct {
	t              *testing.T
	args           string
	code           int
	stdout, stderr string
}

// run runs a command line.
func (x *project) run(args ...string) result {
	x.Helper()
	return run(x.T, x.dir, x.environ, args...)
}

func run(t *testing.T, dir string, environ []string, args ...string) result {
	t.Helper()
	cmd := command(t, dir, environ, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	p := start(t, cmd)
	code := p.wait()
	return result{t, p.args, code, stdout.String(), stderr.String()}
}

// must returns the standard output of a command line that must succeed.
func (x *project) must(args ...string) string {
	x.Helper()
	r := x.run(args...)
	r.want(0)
	return r.stdout
}

// want fails unless the exit code is this one and standard error contains all
// words.
func (r result) want(code int, words ...string) {
	r.t.Helper()
	if r.code != code {
		r.t.Errorf("botwork %s: exit code %d, want %d; output:\n%s%s", r.args, r.code, code, r.stdout, r.stderr)
	}
	for _, word := range words {
		if !strings.Contains(r.stderr, word) {
			r.t.Errorf("botwork %s: standard error lacks %q:\n%s", r.args, word, r.stderr)
		}
	}
}

// enqueue adds an item on the command line and returns its id.
func (x *project) enqueue(pipeline, payload string) int64 {
	x.Helper()
	var created struct{ ID int64 }
	decode(x.T, x.must("enqueue", "--pipeline", pipeline, "--payload", payload, "--output", "json"), &created)
	return created.ID
}

// enqueueUnchecked adds an item of high priority whose pipeline may be broken.
func (x *project) enqueueUnchecked(pipeline string, more ...string) int64 {
	x.Helper()
	var created struct{ ID int64 }
	args := []string{"enqueue", "--pipeline", pipeline, "--no-check", "--priority", "900", "--output", "json"}
	decode(x.T, x.must(append(args, more...)...), &created)
	return created.ID
}

// enqueueHold adds an item of the pipeline hold and returns a function that lets it end.
func (x *project) enqueueHold() (id int64, letGo func(output string)) {
	x.Helper()
	until := filepath.Join(x.TempDir(), "go")
	id = x.enqueue("hold", fmt.Sprintf(`{"until": %q}`, until))
	return id, func(output string) {
		x.Helper()
		// The file is renamed, so that no process reads half of it.
		if err := cmp.Or(os.WriteFile(until+"~", []byte(output), 0o644), os.Rename(until+"~", until)); err != nil {
			x.Fatal(err)
		}
	}
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}

func (x *project) item(id int64) workqueue.Item {
	x.Helper()
	it, err := x.store.Item(x.Context(), id)
	if err != nil {
		x.Fatal(err)
	}
	return it
}

// outcomes returns the outcomes of an item's recorded attempts.
func (x *project) outcomes(id int64) []string {
	x.Helper()
	attempts, err := x.store.Attempts(x.Context(), id)
	if err != nil {
		x.Fatal(err)
	}
	var list []string
	for _, a := range attempts {
		list = append(list, a.Outcome)
	}
	return list
}

// awaitState waits until the item is in a state. It polls, because the database sends no
// notification when a row changes.
func (x *project) awaitState(id int64, want workqueue.State) workqueue.Item {
	x.Helper()
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	late := time.After(patience)
	for {
		it := x.item(id)
		if it.State == want {
			return it
		}
		select {
		case <-ticker.C:
		case <-late:
			x.Fatalf("item %d is %s after %v, want %s", id, it.State, patience, want)
		}
	}
}
