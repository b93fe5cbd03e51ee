package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"botwork/cmd"
	"botwork/internal/faultproxy"
)

// asProgram makes this test binary run the robot, or botwork.
const asProgram = "ROBOTS_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	switch os.Getenv(asProgram) {
	case "robot":
		main()
		return
	case "botwork":
		os.Exit(cmd.Main())
	}
	os.Exit(m.Run())
}

// office is a running server over the example's project.
type office struct {
	config, url string
}

func (o *office) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.CommandContext(context.WithoutCancel(t.Context()), os.Args[0], append([]string{"--config", o.config}, args...)...)
	c.Env = append(os.Environ(), asProgram+"=botwork")
	return c
}

func (o *office) must(t *testing.T, args ...string) string {
	t.Helper()
	var out, said bytes.Buffer
	c := o.command(t, args...)
	c.Stdout, c.Stderr = &out, &said
	if err := c.Run(); err != nil {
		t.Fatalf("botwork %s: %v\n%s", strings.Join(args, " "), err, said.String())
	}
	return strings.TrimSpace(out.String())
}

func open(t *testing.T) *office {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("project")); err != nil {
		t.Fatal(err)
	}
	o := &office{config: filepath.Join(dir, "botwork.yaml")}
	o.must(t, "db", "init")
	o.must(t, "queues", "define")
	address := faultproxy.FreeAddress(t)
	o.url = "http://" + address
	serve := o.command(t, "serve", "--listen", address)
	start(t, serve)
	for until := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, o.url+"/api/openapi.json", nil)
		if err != nil {
			t.Fatal(err)
		}
		if res, err := http.DefaultClient.Do(req); err == nil {
			res.Body.Close()
			return o
		} else if time.Now().After(until) {
			t.Fatal(err)
		}
	}
}

// start runs a program until the test ends. It must stop by itself, without an error, after a
// SIGTERM.
func start(t *testing.T, c *exec.Cmd) {
	t.Helper()
	var said bytes.Buffer
	c.Stdout, c.Stderr = &said, &said
	c.WaitDelay = 10 * time.Second
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Process.Signal(syscall.SIGTERM); err != nil {
			t.Errorf("stop %s: %v", c.Path, err)
		}
		ended := make(chan error, 1)
		go func() { ended <- c.Wait() }()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("%s: %v\n%s", c, err, said.String())
			}
		case <-time.After(60 * time.Second):
			_ = c.Process.Kill()
			t.Errorf("%s does not stop\n%s", c, said.String())
		}
		if t.Failed() {
			t.Logf("%s:\n%s", c, said.String())
		}
	})
}

// Each robot greets all guests as a program of its own, and reports an item without a name as a
// business error.
func TestRobots(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("robots are stopped by SIGTERM, which Windows does not have")
	}
	o := open(t)
	for name, program := range map[string][]string{"go": {os.Args[0]}, "python": {"python3", "robot.py"}, "sh": {"sh", "robot.sh"}} {
		t.Run(name, func(t *testing.T) {
			for _, needed := range append([]string{program[0]}, map[string][]string{"sh": {"curl", "sed"}}[name]...) {
				if _, err := exec.LookPath(needed); err != nil {
					t.Skipf("%s is not installed", needed)
				}
			}
			token := o.must(t, "tokens", "create", "bot-"+name, "--role", "robot", "--queue", "greetings")
			robot := exec.CommandContext(context.WithoutCancel(t.Context()), program[0], program[1:]...) //nolint:gosec // the programs of the example
			robot.Env = append(os.Environ(), asProgram+"=robot", "BOTWORK_URL="+o.url, "BOTWORK_TOKEN="+token, "BOTWORK_WAIT=5", "NO_PROXY=127.0.0.1")
			var ids []string
			add := func(payload string) {
				out := o.must(t, "enqueue", "--queue", "greetings", "--payload", payload, "--output", "json")
				var made struct{ ID int64 }
				if err := json.Unmarshal([]byte(out), &made); err != nil || made.ID == 0 {
					t.Fatalf("enqueued %s, %v", out, err)
				}
				ids = append(ids, fmt.Sprint(made.ID))
			}
			add(`{"name":"Ada"}`)
			start(t, robot)
			add(`{"name":"Grace"}`)
			add(`{"name":""}`)
			for i, want := range []string{`"Hello, Ada!"`, `"Hello, Grace!"`, `"the payload has no name"`} {
				o.await(t, ids[i], "bot-"+name, want)
			}
		})
	}
}

// await waits until an item has ended with this text in its output or error.
func (o *office) await(t *testing.T, id, robot, want string) {
	t.Helper()
	for until := time.Now().Add(60 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		shown := o.must(t, "items", "show", id, "--output", "json")
		var it struct {
			Status, Robot string
			Output, Error any
		}
		if err := json.Unmarshal([]byte(shown), &it); err != nil {
			t.Fatalf("%v\n%s", err, shown)
		}
		if it.Status == "Succeeded" || it.Status == "Business error" || it.Status == "Failed" {
			if !strings.Contains(shown, want) || it.Robot != robot {
				t.Errorf("item %s of %s is %s: output %v, error %v, want %s", id, it.Robot, it.Status, it.Output, it.Error, want)
			}
			return
		}
		if time.Now().After(until) {
			t.Fatalf("item %s is %s, want it to end", id, it.Status)
		}
	}
}
