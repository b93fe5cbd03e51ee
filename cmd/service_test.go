package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"botwork/cmd/internal/cli"
	"botwork/internal/service"
)

// fakeManager keeps services in memory.
type fakeManager struct {
	specs map[string]service.Spec
	now   map[string]*service.Status
	calls []string

	warnings   []error
	startFails error
}

func newFakeManager(services ...service.Status) *fakeManager {
	m := &fakeManager{specs: map[string]service.Spec{}, now: map[string]*service.Status{}}
	for _, st := range services {
		m.now[st.Name] = &st
	}
	return m
}

func (m *fakeManager) find(name string) (*service.Status, error) {
	if st := m.now[name]; st != nil {
		return st, nil
	}
	return nil, fmt.Errorf("look at %s: %w", name, service.ErrNotInstalled)
}

func (m *fakeManager) Install(_ context.Context, s service.Spec) ([]error, error) {
	m.specs[s.Name] = s
	m.now[s.Name] = &service.Status{Name: s.Name, State: service.Stopped, Program: s.Program, Config: s.Config}
	return m.warnings, nil
}

func (m *fakeManager) Uninstall(_ context.Context, name string) ([]error, error) {
	m.calls = append(m.calls, "uninstall "+name)
	_, err := m.find(name)
	delete(m.now, name)
	return m.warnings, err
}

func (m *fakeManager) Start(_ context.Context, name string) error {
	m.calls = append(m.calls, "start "+name)
	st, err := m.find(name)
	if err == nil {
		if err = m.startFails; err == nil {
			st.State, st.PID = service.Running, 4711
		}
	}
	return err
}

func (m *fakeManager) Stop(_ context.Context, name string) error {
	m.calls = append(m.calls, "stop "+name)
	st, err := m.find(name)
	if err == nil {
		st.State, st.PID = service.Stopped, 0
	}
	return err
}

func (m *fakeManager) Status(_ context.Context, name string) (service.Status, error) {
	st, err := m.find(name)
	if err != nil {
		return service.Status{}, err
	}
	return *st, nil
}

func (m *fakeManager) List(context.Context) ([]service.Status, error) {
	var list []service.Status
	for _, name := range []string{"botwork", "nightly"} {
		if st := m.now[name]; st != nil {
			list = append(list, *st)
		}
	}
	return list, nil
}

// do carries out a command line with this manager.
func (m *fakeManager) do(t *testing.T, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	a := newApp(strings.NewReader(""), &stderr, nil, nil)
	a.Stdout, a.Services = &stdout, func() (service.Manager, error) { return m, nil }
	root := a.rootCommand()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(t.Context())
	return result{a.Finish(cmd, err), stdout.String(), stderr.String()}
}

// account is a user who is there.
func account() []string {
	if runtime.GOOS == "windows" {
		return nil
	}
	return []string{"--account", "root"}
}

func TestServiceInstall(t *testing.T) {
	inProject(t)
	m := newFakeManager()
	m.warnings = []error{errors.New("the description could not be set: no pen")}
	r := m.do(t, append([]string{
		"service", "install", "--name", "nightly", "--restart-after", "1s,2m", "--depends-on", "MSSQLSERVER,Tcpip", "--executable", abs(t, "bot"),
	}, account()...)...)
	r.wantFailure(t, cli.ExitDone, "warning: the description could not be set: no pen")
	if want := "the service nightly is installed; `botwork service start --name nightly` starts it\n"; r.stdout != want {
		t.Errorf("it said %q, want %q", r.stdout, want)
	}
	want := service.Spec{
		Name: "nightly", DisplayName: "Botwork (nightly)", Description: "Runs queued work for bots.", Program: abs(t, "bot"), Config: abs(t, "botwork.yaml"),
		RestartAfter: []time.Duration{time.Second, 2 * time.Minute}, DependsOn: []string{"MSSQLSERVER", "Tcpip"}, StopWithin: 150 * time.Second,
		Writable: []string{abs(t, "."), abs(t, "data")},
	}
	got := m.specs["nightly"]
	if got.Account == "root" {
		got.Account = ""
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func abs(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestServiceInstallRefuses(t *testing.T) {
	inProject(t)
	writeFile(t, "wrong.yaml", "worker: {capacity: many}\n")
	m := newFakeManager()
	for want, args := range map[string][]string{
		"wrong.yaml:1:20: worker.capacity":          {"--config", "wrong.yaml"},
		"there is no such settings file":            {"--config", "none.yaml"},
		`got the service name "a b"`:                {"--name", "a b"},
		"--restart-after: got \"soon\"":             {"--restart-after", "soon"},
		`--executable: got "bot", want an absolute`: {"--executable", "bot"},
		"got the argument \"botwork\", want none":   {"botwork"},
	} {
		m.do(t, append([]string{"service", "install"}, args...)...).wantFailure(t, cli.ExitUsage, want)
	}
	if runtime.GOOS == "linux" {
		m.do(t, "service", "install", "--delayed-start").wantFailure(t, cli.ExitUsage, "--delayed-start is not known on linux")
		m.do(t, "service", "install", "--account", "no-such-user").wantFailure(t, cli.ExitUsage, `there is no user "no-such-user" here; make one: useradd --system`)
	}
	if len(m.specs) > 0 {
		t.Errorf("%v was installed", m.specs)
	}
	t.Chdir(t.TempDir())
	m.do(t, append([]string{"service", "install"}, account()...)...).wantFailure(t, cli.ExitUsage, "there is no settings file here; name one with --config")
}

func TestServicePrintsTheUnitOfAnotherMachine(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("units are Linux' own")
	}
	r := newFakeManager().do(t, "service", "install", "--print", "--executable", "/opt/botwork/botwork", "--config", "/no/such/folder/botwork.yaml", "--writable", "/srv/x")
	for _, want := range []string{
		"ExecStart=/opt/botwork/botwork service run --name botwork --config /no/such/folder/botwork.yaml\n", "User=botwork\n",
		"ReadWritePaths=-/no/such/folder\nReadWritePaths=-/srv/x\n", "TimeoutStopSec=150\n",
	} {
		if r.code != cli.ExitDone || !strings.Contains(r.stdout, want) {
			t.Errorf("exit code %d, %q is missing in\n%s%s", r.code, want, r.stdout, r.stderr)
		}
	}
}

func TestServiceStatus(t *testing.T) {
	running := service.Status{Name: "botwork", DisplayName: "Botwork", State: service.Running, PID: 4711, Start: "automatic", Account: "botwork",
		Program: "/opt/botwork/botwork", Config: "/etc/botwork/botwork.yaml", Text: "working as vm"}
	failed := service.Status{Name: "nightly", DisplayName: "Botwork (nightly)", State: service.Failed, Start: "manual", Account: "botwork",
		Program: "/opt/botwork/botwork", Config: "/etc/nightly.yaml", ExitCode: 2}
	m := newFakeManager(running, failed)
	for _, c := range []struct {
		golden string
		args   []string
		code   int
	}{
		{"service_status.txt", nil, cli.ExitDone},
		{"service_status.json", []string{"--output", "json"}, cli.ExitDone},
		{"service_status_failed.txt", []string{"--name", "nightly"}, exitNotRunning},
		{"service_status_all.txt", []string{"--all"}, exitNotRunning},
		{"service_status_all.yaml", []string{"--all", "--output", "yaml"}, exitNotRunning},
	} {
		r := m.do(t, append([]string{"service", "status"}, c.args...)...)
		r.wantFailure(t, c.code)
		golden(t, c.golden, r.stdout)
	}
	m.do(t, "service", "status", "--name", "none").wantFailure(t, exitNotInstalled, "there is no such service")
	r := newFakeManager().do(t, "service", "status", "--all", "--output", "json")
	if r.wantFailure(t, exitNotInstalled); r.stdout != "[]\n" {
		t.Errorf("none is shown as %q, want an empty list", r.stdout)
	}
}

func TestServiceIsDriven(t *testing.T) {
	m := newFakeManager(service.Status{Name: "botwork", State: service.Stopped})
	for _, c := range []struct{ verb, says, calls string }{
		{"start", "the service botwork runs\n", "start botwork"},
		{"restart", "the service botwork runs\n", "stop botwork, start botwork"},
		{"stop", "the service botwork is stopped\n", "stop botwork"},
		{"uninstall", "the service botwork is removed\n", "stop botwork, uninstall botwork"},
	} {
		m.calls = nil
		r := m.do(t, "service", c.verb)
		if got := strings.Join(m.calls, ", "); r.code != cli.ExitDone || r.stdout != c.says || got != c.calls {
			t.Errorf("%s: exit code %d, said %q, called %q; want 0, %q, %q", c.verb, r.code, r.stdout, got, c.says, c.calls)
		}
	}
	for _, verb := range []string{"start", "restart", "stop", "uninstall", "logs"} {
		m.do(t, "service", verb).wantFailure(t, cli.ExitFailed, "there is no such service")
	}
}

func TestServiceLogs(t *testing.T) {
	inProject(t)
	writeFile(t, "botwork.yaml", "log: {file: {path: here/worker.log}}\n")
	m := newFakeManager(service.Status{Name: "botwork", Config: abs(t, "botwork.yaml")})
	m.do(t, "service", "logs").wantFailure(t, cli.ExitFailed, "the service has no log yet", "worker.log")
	if err := os.Mkdir("here", 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, "here/worker.log", "one\ntwo\nthree\n")
	if r := m.do(t, "service", "logs", "--lines", "2"); r.code != cli.ExitDone || r.stdout != "two\nthree\n" {
		t.Errorf("exit code %d, %q, want the last two lines", r.code, r.stdout)
	}
	m.do(t, "service", "logs", "--lines=-1").wantFailure(t, cli.ExitUsage, "--lines: got -1, want 0 or more")
}

func TestAPersonWhoRunsTheServiceIsToldSo(t *testing.T) {
	inProject(t)
	botwork(t, "service", "run").wantFailure(t, cli.ExitUsage, "no service manager has started this program; `botwork run` starts a worker by hand")
}

func TestAlarmText(t *testing.T) {
	for line, want := range map[string]string{
		`{"level":"error","error":"dial tcp: refused","again_in":"1s","item_id":12345678901234567,"time":"2026-11-22T02:11:10Z","message":"cannot use the database; retrying"}`: "cannot use the database; retrying\nagain_in: 1s\nerror: dial tcp: refused\nitem_id: 12345678901234567",
		"by hand\n": "by hand",
	} {
		if got := alarmText([]byte(line)); got != want {
			t.Errorf("alarmText(%s) = %q, want %q", line, got, want)
		}
	}
}

// A service with mistakes in its files says where, and ends as its manager expects.
func TestAServiceTellsItsMistakes(t *testing.T) {
	inProject(t)
	t.Setenv("JOURNAL_STREAM", "") // this is no journal
	for _, name := range []string{"CleanUp", "ExecuteLowPriorityWorkQueue", "ExecuteWorkQueue", "LoadWorkQueue", "ScheduleTasks", "wrong"} {
		writeFile(t, "pipelines/"+name+".yaml", "steps:\n  - handler: Nothing\n")
	}
	for _, c := range []struct{ text, want string }{
		{"worker: {capacity: many}\nlog: {file: {path: x.log}}\n", "botwork.yaml:1:20: worker.capacity: got text, want a whole number"},
		{"{}\n", "wrong.yaml:2:14: "},
	} {
		writeFile(t, "botwork.yaml", c.text)
		var said bytes.Buffer
		alarms := &leveled{}
		a := newApp(nil, &said, nil, nil)
		a.ConfigFile, a.alarms = abs(t, "botwork.yaml"), alarms
		if code := a.serve(t.Context(), "botwork"); code != cli.ExitUsage {
			t.Errorf("exit code %d, want %d", code, cli.ExitUsage)
		}
		log := said.String()
		if runtime.GOOS == "windows" {
			data, err := os.ReadFile(filepath.Join("logs", "botwork.log"))
			if err != nil {
				t.Fatal(err)
			}
			log = string(data)
		}
		if runtime.GOOS != "windows" && !strings.Contains(strings.Join(alarms.lines, ""), c.want) {
			t.Errorf("the alarms lack %q: %q", c.want, alarms.lines)
		}
		if !strings.Contains(log, c.want) || !strings.Contains(log, "service stopped: invalid files") {
			t.Errorf("the log lacks %q:\n%s", c.want, log)
		}
	}
}

// leveled keeps lines that have a level.
type leveled struct {
	zerolog.LevelWriter
	lines []string
}

func (l *leveled) WriteLevel(_ zerolog.Level, line []byte) (int, error) {
	l.lines = append(l.lines, string(line))
	return len(line), nil
}
