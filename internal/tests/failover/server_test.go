//go:build linux

package failover

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"botwork/internal/database"
)

// server is a separate PostgreSQL server, which the test may kill.
type server struct {
	*testing.T
	dir  string // its files
	port int
	cmd  *exec.Cmd
}

// programs returns the folder of PostgreSQL's programs.
func programs(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/pg_basebackup")
	if err != nil || len(found) == 0 {
		t.Skip("no PostgreSQL server in /usr/lib/postgresql; hint: apt-get install postgresql")
	}
	slices.Sort(found)
	return filepath.Dir(found[len(found)-1])
}

// attributes let a program run as the user that Debian's package creates: the server
// refuses to run as root.
func attributes(t *testing.T) (*syscall.SysProcAttr, int) {
	t.Helper()
	if os.Getuid() != 0 {
		return nil, os.Getuid()
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		t.Skipf("PostgreSQL does not run as root, and there is no other user for it: %v", err)
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		t.Fatal(err)
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		t.Fatal(err)
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, uid
}

// newServer prepares the folder of a server.
func newServer(t *testing.T) *server {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "botwork-failover-pg-") //nolint:usetesting // of another user, who may not enter t.TempDir
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if _, uid := attributes(t); os.Getuid() == 0 {
		if err := os.Chown(dir, uid, -1); err != nil {
			t.Fatal(err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return &server{T: t, dir: dir, port: l.Addr().(*net.TCPAddr).Port}
}

// program runs one of PostgreSQL's programs to its end.
func (s *server) program(name string, args ...string) {
	s.Helper()
	cmd := exec.CommandContext(s.Context(), filepath.Join(programs(s.T), name), args...)
	cmd.SysProcAttr, _ = attributes(s.T)
	cmd.Dir = s.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("%s: %v\n%s", name, err, out)
	}
}

func (s *server) data() string { return filepath.Join(s.dir, "data") }

// newPrimary makes an empty server and starts it.
func newPrimary(t *testing.T) *server {
	t.Helper()
	s := newServer(t)
	s.program("initdb", "-D", s.data(), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "-N")
	s.start()
	return s
}

// newStandby makes a copy of a server that follows it with the name standby.
func newStandby(t *testing.T, primary *server) *server {
	t.Helper()
	s := newServer(t)
	s.program("pg_basebackup", "-D", s.data(), "-R", "-c", "fast", "-X", "stream", "-d",
		fmt.Sprintf("host=127.0.0.1 port=%d user=postgres application_name=standby", primary.port))
	s.start()
	return s
}

// start starts the server. It does not survive a crash of the machine, which is not tested.
func (s *server) start() {
	s.Helper()
	var output bytes.Buffer
	s.cmd = exec.Command(filepath.Join(programs(s.T), "postgres"), "-D", s.data(), "-p", strconv.Itoa(s.port), //nolint:noctx // ended by Cleanup
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "full_page_writes=off", "-c", "max_connections=200")
	s.cmd.SysProcAttr, _ = attributes(s.T)
	s.cmd.Dir = s.dir
	log, err := os.Create(filepath.Join(s.dir, "log"))
	if err != nil {
		s.Fatal(err)
	}
	defer log.Close() // the process has its own handle
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		s.Fatal(err)
	}
	s.Cleanup(s.kill)
	for until := time.Now().Add(time.Minute); ; {
		if s.try("SELECT 1") == nil {
			return
		}
		if time.Now().After(until) {
			text, _ := os.ReadFile(log.Name())
			s.Fatalf("the server does not start: %s\n%s", &output, text)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// dsn returns the DSN of this server only.
func (s *server) dsn() string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/postgres?sslmode=disable", s.port)
}

// try runs a statement.
func (s *server) try(statement string) error {
	db, err := database.Open(database.Postgres, s.dsn())
	if err != nil {
		return err
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, err = db.ExecContext(ctx, statement)
	return err
}

func (s *server) exec(statements ...string) {
	s.Helper()
	for _, statement := range statements {
		if err := s.try(statement); err != nil {
			s.Fatalf("%s: %v", statement, err)
		}
	}
}

// text returns one value.
func (s *server) text(query string) string {
	s.Helper()
	db, err := database.Open(database.Postgres, s.dsn())
	if err != nil {
		s.Fatal(err)
	}
	defer db.Close()
	var text sql.NullString
	if err := db.QueryRowContext(s.Context(), query).Scan(&text); err != nil {
		s.Fatalf("%s: %v", query, err)
	}
	return text.String
}

// await repeats a query until it returns the wanted value.
func (s *server) await(query, want string) {
	s.Helper()
	for until := time.Now().Add(time.Minute); s.text(query) != want; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(until) {
			s.Fatalf("%s is not %q", query, want)
		}
	}
}

// processes returns the postmaster and its children.
func (s *server) processes() []int {
	pids := []int{s.cmd.Process.Pid}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// "pid (name) state ppid …"; the name may contain anything.
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if parent, _ := strconv.Atoi(fields[1]); parent == pids[0] {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// freeze stops all processes. Their sockets remain open, and the system continues
// to accept connections for them.
func (s *server) freeze() {
	_ = s.cmd.Process.Signal(syscall.SIGSTOP) // so that it starts no more children
	for _, pid := range s.processes() {
		_ = syscall.Kill(pid, syscall.SIGSTOP)
	}
}

// stopSending stops the replication to the standby.
func (s *server) stopSending() {
	s.Helper()
	pid, err := strconv.Atoi(s.text("SELECT CAST(pid AS text) FROM pg_stat_replication"))
	if err != nil {
		s.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		s.Fatal(err)
	}
}

// kill ends all processes like a power cut.
func (s *server) kill() {
	if s.cmd.ProcessState != nil {
		return
	}
	s.freeze()
	for _, pid := range s.processes() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	_ = s.cmd.Wait()
}

// promote makes a standby the primary.
func (s *server) promote() {
	s.Helper()
	s.await("SELECT pg_promote()", "true")
}
