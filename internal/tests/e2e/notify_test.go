//go:build unix

package e2e

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/pipelines/shipped"
)

// systemd is the end of the notification socket at which systemd listens.
type systemd struct {
	t     *testing.T
	conn  *net.UnixConn
	heard string
}

func listen(t *testing.T) (*systemd, string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "notify-") //nolint:usetesting // the name of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &systemd{t: t, conn: conn}, path
}

// await reads messages until a line begins with the text.
func (s *systemd) await(text string) {
	s.t.Helper()
	if err := s.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		s.t.Fatal(err)
	}
	for b := make([]byte, 4096); !strings.Contains("\n"+s.heard, "\n"+text); {
		n, err := s.conn.Read(b)
		if err != nil {
			s.t.Fatalf("systemd did not receive %q: %v; it received:\n%s", text, err, s.heard)
		}
		s.heard += string(b[:n]) + "\n"
	}
}

// service starts the program like systemd.
func (x *project) service(socket string, environ ...string) *program {
	x.Helper()
	x.write("botwork.yaml", "{}\n")
	environ = append(slices.Concat(x.environ, environ), "NOTIFY_SOCKET="+socket, "WATCHDOG_USEC=3000000")
	// The working folder is a different one, as for every service.
	return start(x.T, command(x.T, x.TempDir(), environ, "service", "run", "--name", "nightly", "--config", filepath.Join(x.dir, "botwork.yaml")))
}

func TestServiceNotifiesSystemd(t *testing.T) {
	t.Parallel()
	x := newProject(t, testdb.Engine{Driver: database.SQLite})
	id, letGo := x.enqueueHold()
	s, socket := listen(t)
	w := x.service(socket)
	s.await("READY=1")
	s.await("STATUS=working as ")
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s.heard, "working as "+host+"-nightly\n") {
		t.Errorf("the worker's name is not the host's name followed by the service's:\n%s", s.heard)
	}
	s.await("WATCHDOG=1")
	w.await("begun, attempt 1", 1)
	w.signal(os.Interrupt)
	s.await("STOPPING=1\nEXTEND_TIMEOUT_USEC=")
	letGo("done")
	w.wantStopped()
	if it := x.item(id); len(x.outcomes(id)) != 0 || it.FinishedAt == nil {
		t.Errorf("the item ended as %v, want it finished at the first attempt", x.outcomes(id))
	}
}

func TestServiceIsReadyBeforeItsDatabase(t *testing.T) {
	t.Parallel()
	x := newProject(t, testdb.Engine{Driver: database.SQLite})
	s, socket := listen(t)
	// No database listens on port 1.
	w := x.service(socket, "BOTWORK_DATABASE_DRIVER=postgres", "BOTWORK_DATABASE_DSN=postgres://bot:hunter2@127.0.0.1:1/x?connect_timeout=1")
	s.await("READY=1")
	s.await("STATUS=waiting for the database: ")
	if strings.Contains(s.heard, "hunter2") {
		t.Errorf("systemd received the password:\n%s", s.heard)
	}
	w.signal(os.Interrupt)
	if code := w.wait(); code != 0 {
		t.Errorf("exit code %d, want 0: it was asked to stop", code)
	}
}

// A service with one broken file is ready, and reports the file.
func TestServiceIsReadyWithBrokenFile(t *testing.T) {
	t.Parallel()
	x := newProject(t, testdb.Engine{Driver: database.SQLite})
	x.write("pipelines/wrong.yaml", "steps:\n  - handler: Nothing\n")
	s, socket := listen(t)
	w := x.service(socket, "JOURNAL_STREAM=8:1")
	s.await("READY=1")
	s.await("STATUS=working as ")
	if !strings.Contains(s.heard, "; pipelines have 1 error, and files with errors are not used\n") {
		t.Errorf("systemd does not receive the error:\n%s", s.heard)
	}
	w.signal(os.Interrupt)
	if code := w.wait(); code != 0 || !strings.Contains(w.String(), `<4>{"level":"warn"`) || !strings.Contains(w.String(), "wrong.yaml:2:14: ") {
		t.Errorf("exit code %d, want 0 and a warning for the journal with its place:\n%s", code, w.String())
	}
}

func TestServiceWithoutSystemPipelineIsNeverReady(t *testing.T) {
	t.Parallel()
	x := newProject(t, testdb.Engine{Driver: database.SQLite})
	x.write("pipelines/wrong.yaml", "steps:\n  - handler: Nothing\n")
	for _, f := range shipped.Files() {
		x.write("pipelines/"+f.Name, "steps: []\n")
	}
	s, socket := listen(t)
	w := x.service(socket, "JOURNAL_STREAM=8:1")
	if code := w.wait(); code != 2 || !strings.Contains(w.String(), `<3>{"level":"error"`) || !strings.Contains(w.String(), "wrong.yaml:2:14: ") {
		t.Errorf("exit code %d, want 2 and an error for the journal with its place:\n%s", code, w.String())
	}
	if err := s.conn.SetReadDeadline(time.Now()); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 4096)
	if n, err := s.conn.Read(b); err == nil && strings.Contains(string(b[:n]), "READY") {
		t.Errorf("systemd received %q, want nothing", b[:n])
	}
}
