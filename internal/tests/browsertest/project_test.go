//go:build unix

package browsertest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/internal/tests/testbuild"
	"botwork/pipelines/shipped"
	"botwork/workqueue/sqlstore"
)

// patience is the limit of every wait in these tests; no wait should come near it.
var patience = testdb.Slow(time.Minute)

const settings = `
queues:
  orders:
    description: Invoices and orders of the shop
    limits: {concurrency: 8, rate: 600/1m}
  mail:
    description: Letters to customers
    retain: 30d
`

// The pipelines of the project, by the name of their file.
var projectFiles = map[string]string{
	"book-invoice": `
description: Book one invoice in the ledger
input: {type: object, required: [invoice], properties: {invoice: {type: string}, amount: {type: number}}}
resilience: {limit: 1}
steps:
  - name: validate
    handler: Fail
    if: payload.amount < 0
    with: {kind: business, message: "the amount of ${{ payload.invoice }} is negative"}
  - name: post
    handler: Fail
    if: payload.ledger == "down"
    with: {message: "HTTP 503 from ledger.example"}
  - name: report
    handler: Log
    with: {message: "booked ${{ payload.invoice }}"}
`,
	"send-letter": `
description: Print and send one letter
resilience: {limit: 3, delay: 1h, maxDelay: 2h}
steps:
  - name: print
    handler: Fail
    if: payload.printer == "jammed"
    with: {message: "the printer is jammed"}
  - name: send
    handler: Log
    with: {message: "sent to ${{ payload.to }}"}
`,
	"hold": `
description: Wait until a file exists
steps:
  - name: begin
    handler: Log
    with: {message: "attempt ${{ item.attempt }}"}
  - name: wait
    handler: Exec
    with:
      program: sh
      args: [-c, 'i=0; while ! test -e "$1" && test $((i+=1)) -lt 1200; do sleep 0.05; done; echo "{\"left\": 0}"', hold, "${{ payload.until }}"]
`,
	"nightly-close": `
description: Close the books of the day
trigger: {cron: "30 2 * * *"}
steps:
  - {name: close, handler: Log, with: {message: closed}}
`,
}

// project is a folder with settings, pipelines and a SQLite database.
type project struct {
	*testing.T
	dir   string
	store *sqlstore.Store // the test's own connection
	url   string          // of the server
	env   []string        // of its programs, besides the usual
}

// newProject makes a project and serves it.
func newProject(t *testing.T, env ...string) *project {
	t.Helper()
	return newProjectWith(t, settings, env...)
}

// newProjectWith is newProject with other settings.
func newProjectWith(t *testing.T, settings string, env ...string) *project {
	t.Helper()
	readSources(t)
	x := &project{T: t, dir: t.TempDir(), env: env}
	for _, f := range shipped.Files() {
		x.write("pipelines/"+f.Name, strings.Replace(string(f.Data), `cron: "* * * * *" `, `cron: "* * * * * *" `, 1))
	}
	for name, text := range projectFiles {
		x.write("pipelines/"+name+".yaml", "name: "+name+text)
	}
	x.write("botwork.yaml", settings)
	x.must("db", "migrate")
	x.must("queues", "define")
	store, err := sqlstore.Open(t.Context(), sqlstore.Options{Driver: "sqlite", DSN: filepath.Join(x.dir, "botwork.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	x.store = store
	p := x.start(x.command("serve"))
	x.url = p.await(regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+`))
	return x
}

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

func (x *project) command(args ...string) *exec.Cmd {
	cmd := exec.Command(binary, args...)
	cmd.Dir = x.dir
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + x.dir, "BOTWORK_LOG_FORMAT=json", "BOTWORK_HTTP_LISTEN=127.0.0.1:0", "BOTWORK_DATABASE_DSN=" + filepath.Join(x.dir, "botwork.db"),
	}, x.env...)
	return cmd
}

// must returns the standard output of a command that must succeed.
func (x *project) must(args ...string) string { return x.mustWith("", args...) }

func (x *project) mustWith(input string, args ...string) string {
	x.Helper()
	cmd := x.command(args...)
	cmd.Stdin = strings.NewReader(input)
	if x.url != "" {
		cmd.Env = append(cmd.Env, "BOTWORK_HTTP_PUBLICURL="+x.url)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		x.Fatalf("botwork %s: %v\n%s%s", strings.Join(args, " "), err, stdout.String(), stderr.String())
	}
	return stdout.String()
}

// enqueue adds items, one JSON object each, and returns their ids.
func (x *project) enqueue(lines ...string) []int64 {
	x.Helper()
	text := x.mustWith(strings.Join(lines, "\n"), "enqueue", "-", "--output", "json")
	var created []struct{ ID int64 }
	if err := json.Unmarshal([]byte(text), &created); err != nil {
		x.Fatalf("%v in %s", err, text)
	}
	ids := make([]int64, len(created))
	for i := range created {
		ids[i] = created[i].ID
	}
	return ids
}

// hold adds an item of the pipeline hold and returns a function that lets it end.
func (x *project) hold() (id int64, letGo func()) {
	x.Helper()
	until := filepath.Join(x.TempDir(), "go")
	payload, err := json.Marshal(map[string]any{"pipeline": "hold", "payload": map[string]string{"until": until}, "priority": 1600})
	if err != nil {
		x.Fatal(err)
	}
	return x.enqueue(string(payload))[0], func() {
		x.Helper()
		if err := os.WriteFile(until, nil, 0o644); err != nil {
			x.Fatal(err)
		}
	}
}

// worker starts a worker, and waits until it takes items.
func (x *project) worker(name string) *program {
	x.Helper()
	cmd := x.command("run", "--worker", name, "--capacity", "4")
	cmd.Env = append(cmd.Env, "BOTWORK_WORKER_HEARTBEAT=1s", "BOTWORK_WORKER_LEASE=4s") // so that a lost worker is soon known to be lost
	p := x.start(cmd)
	p.await(regexp.MustCompile(`worker started`))
	return p
}

// program is a running botwork with its output on both streams.
type program struct {
	t    *testing.T
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended

	*testbuild.Output
}

// start starts a botwork that ends with the test.
func (x *project) start(cmd *exec.Cmd) *program {
	x.Helper()
	p := &program{t: x.T, cmd: cmd, done: make(chan struct{}), Output: testbuild.NewOutput()}
	cmd.Stdout, cmd.Stderr = p, p
	if err := cmd.Start(); err != nil {
		x.Fatal(err)
	}
	go func() {
		_ = cmd.Wait()
		close(p.done)
	}()
	x.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-p.done
		if x.Failed() {
			x.Logf("output of %s:\n%s", strings.Join(cmd.Args, " "), p.String())
		}
	})
	return p
}

// await returns what the program has printed of this form, as soon as it has.
func (p *program) await(form *regexp.Regexp) (found string) {
	p.t.Helper()
	if err := p.Await(p.done, patience, func(printed string) bool { found = form.FindString(printed); return found != "" }); err != nil {
		p.t.Fatalf("%v did not print %v: %v", p.cmd.Args, form, err)
	}
	return found
}

// kill ends the program like a crash.
func (p *program) kill() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGKILL); err != nil {
		p.t.Fatal(err)
	}
	<-p.done
}
