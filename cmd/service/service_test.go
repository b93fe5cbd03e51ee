package service_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	servicecmd "botwork/cmd/service"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/cmd/internal/projectdir"
	"botwork/internal/service"
)

// account returns an existing user.
func account() []string {
	if runtime.GOOS == "windows" {
		return nil
	}
	return []string{"--account", "root"}
}

func TestServiceInstall(t *testing.T) {
	clitest.InProject(t)
	m := clitest.NewFakeManager()
	m.Warnings = []error{errors.New("the description could not be set: no pen")}
	r := m.Do(t, append([]string{
		"service", "install", "--name", "nightly", "--restart-after", "1s,2m", "--depends-on", "MSSQLSERVER,Tcpip", "--executable", abs(t, "bot"),
	}, account()...)...)
	r.WantFailure(t, cli.ExitDone, "warning: the description could not be set: no pen")
	if want := "the service nightly is installed; `botwork service start --name nightly` starts it\n"; r.Stdout != want {
		t.Errorf("it printed %q, want %q", r.Stdout, want)
	}
	want := service.Spec{
		Name: "nightly", DisplayName: "Botwork (nightly)", Description: "Runs queued work for bots.", Program: abs(t, "bot"), Config: abs(t, "botwork.yaml"),
		RestartAfter: []time.Duration{time.Second, 2 * time.Minute}, DependsOn: []string{"MSSQLSERVER", "Tcpip"}, StopWithin: 150 * time.Second,
		Writable: []string{abs(t, "."), abs(t, "data")},
	}
	got := m.Specs["nightly"]
	if got.Account == "root" {
		got.Account = ""
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// The service keeps the environment that was chosen when it was installed.
func TestServiceInstallKeepsTheEnvironment(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "botwork.prod.yaml", "worker: {shutdownGrace: 5m}\n")
	m := clitest.NewFakeManager()
	m.Do(t, append([]string{"service", "install", "--environment", "prod", "--executable", abs(t, "bot")}, account()...)...).WantFailure(t, cli.ExitDone)
	got := m.Specs["botwork"]
	if want := []string{"service", "run", "--name", "botwork", "--config", abs(t, "botwork.yaml"), "--environment", "prod"}; !slices.Equal(got.Arguments(), want) {
		t.Errorf("the service runs %q, want %q", got.Arguments(), want)
	}
	if got.StopWithin != 7*time.Minute {
		t.Errorf("it may take %v to stop, want 7m by the settings of the environment", got.StopWithin)
	}
	m.Do(t, append([]string{"service", "install", "--name", "other", "--environment", "prd", "--executable", abs(t, "bot")}, account()...)...).WantFailure(t, cli.ExitUsage, `there is no environment "prd"`)
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
	clitest.InProject(t)
	clitest.WriteFile(t, "wrong.yaml", "worker: {capacity: many}\n")
	m := clitest.NewFakeManager()
	for want, args := range map[string][]string{
		"wrong.yaml:1:20: worker.capacity":          {"--config", "wrong.yaml"},
		"there is no such settings file":            {"--config", "none.yaml"},
		`got the service name "a b"`:                {"--name", "a b"},
		"--restart-after: got \"soon\"":             {"--restart-after", "soon"},
		`--executable: got "bot", want an absolute`: {"--executable", "bot"},
		"got the argument \"botwork\", want none":   {"botwork"},
	} {
		m.Do(t, append([]string{"service", "install"}, args...)...).WantFailure(t, cli.ExitUsage, want)
	}
	if runtime.GOOS == "linux" {
		m.Do(t, "service", "install", "--delayed-start").WantFailure(t, cli.ExitUsage, "--delayed-start is not supported on linux")
		m.Do(t, "service", "install", "--account", "no-such-user").WantFailure(t, cli.ExitUsage, `there is no user "no-such-user" on this machine; create it: useradd --system`)
	}
	if len(m.Specs) > 0 {
		t.Errorf("%v was installed", m.Specs)
	}
	t.Chdir(t.TempDir())
	m.Do(t, append([]string{"service", "install"}, account()...)...).WantFailure(t, cli.ExitUsage, "found no settings file; name one with --config")
}

func TestServicePrintsUnitForAnotherMachine(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("units are Linux' own")
	}
	r := clitest.NewFakeManager().Do(t, "service", "install", "--print", "--executable", "/opt/botwork/botwork", "--config", "/no/such/folder/botwork.yaml", "--writable", "/srv/x")
	for _, want := range []string{
		"ExecStart=/opt/botwork/botwork service run --name botwork --config /no/such/folder/botwork.yaml\n", "User=botwork\n",
		"ReadWritePaths=-/no/such/folder\nReadWritePaths=-/srv/x\n", "TimeoutStopSec=150\n",
	} {
		if r.Code != cli.ExitDone || !strings.Contains(r.Stdout, want) {
			t.Errorf("exit code %d, %q is missing in\n%s%s", r.Code, want, r.Stdout, r.Stderr)
		}
	}
}

func TestServiceStatus(t *testing.T) {
	running := service.Status{Name: "botwork", DisplayName: "Botwork", State: service.Running, PID: 4711, Start: "automatic", Account: "botwork",
		Program: "/opt/botwork/botwork", Config: "/etc/botwork/botwork.yaml", Text: "working as vm"}
	failed := service.Status{Name: "nightly", DisplayName: "Botwork (nightly)", State: service.Failed, Start: "manual", Account: "botwork",
		Program: "/opt/botwork/botwork", Config: "/etc/nightly.yaml", ExitCode: 2}
	m := clitest.NewFakeManager(running, failed)
	for _, c := range []struct {
		golden string
		args   []string
		code   int
	}{
		{"service_status.txt", nil, cli.ExitDone},
		{"service_status.json", []string{"--output", "json"}, cli.ExitDone},
		{"service_status_failed.txt", []string{"--name", "nightly"}, servicecmd.ExitNotRunning},
		{"service_status_all.txt", []string{"--all"}, servicecmd.ExitNotRunning},
		{"service_status_all.yaml", []string{"--all", "--output", "yaml"}, servicecmd.ExitNotRunning},
	} {
		r := m.Do(t, append([]string{"service", "status"}, c.args...)...)
		r.WantFailure(t, c.code)
		clitest.Golden(t, c.golden, r.Stdout)
	}
	m.Do(t, "service", "status", "--name", "none").WantFailure(t, servicecmd.ExitNotInstalled, "there is no such service")
	r := clitest.NewFakeManager().Do(t, "service", "status", "--all", "--output", "json")
	if r.WantFailure(t, servicecmd.ExitNotInstalled); r.Stdout != "[]\n" {
		t.Errorf("none is shown as %q, want an empty list", r.Stdout)
	}
}

func TestServiceStartStopUninstall(t *testing.T) {
	m := clitest.NewFakeManager(service.Status{Name: "botwork", State: service.Stopped})
	for _, c := range []struct{ verb, says, calls string }{
		{"start", "the service botwork is running\n", "start botwork"},
		{"restart", "the service botwork is running\n", "stop botwork, start botwork"},
		{"stop", "the service botwork is stopped\n", "stop botwork"},
		{"uninstall", "the service botwork was removed\n", "stop botwork, uninstall botwork"},
	} {
		m.Calls = nil
		r := m.Do(t, "service", c.verb)
		if got := strings.Join(m.Calls, ", "); r.Code != cli.ExitDone || r.Stdout != c.says || got != c.calls {
			t.Errorf("%s: exit code %d, printed %q, called %q; want 0, %q, %q", c.verb, r.Code, r.Stdout, got, c.says, c.calls)
		}
	}
	for _, verb := range []string{"start", "restart", "stop", "uninstall", "logs"} {
		m.Do(t, "service", verb).WantFailure(t, cli.ExitFailed, "there is no such service")
	}
}

func TestServiceLogs(t *testing.T) {
	clitest.InProject(t)
	clitest.WriteFile(t, "botwork.yaml", "log: {file: {path: here/worker.log}}\n")
	m := clitest.NewFakeManager(service.Status{Name: "botwork", Config: abs(t, "botwork.yaml")})
	m.Do(t, "service", "logs").WantFailure(t, cli.ExitFailed, "the service has not written a log yet", "worker.log")
	if err := os.Mkdir("here", 0o755); err != nil {
		t.Fatal(err)
	}
	clitest.WriteFile(t, "here/worker.log", "one\ntwo\nthree\n")
	if r := m.Do(t, "service", "logs", "--lines", "2"); r.Code != cli.ExitDone || r.Stdout != "two\nthree\n" {
		t.Errorf("exit code %d, %q, want the last two lines", r.Code, r.Stdout)
	}
	m.Do(t, "service", "logs", "--lines=-1").WantFailure(t, cli.ExitUsage, "--lines: got -1, want 0 or more")
}

func TestServiceRunNeedsAServiceManager(t *testing.T) {
	clitest.InProject(t)
	clitest.Do(t, "service", "run").WantFailure(t, cli.ExitUsage, "no service manager has started this program; `botwork run` starts a worker in the foreground")
}

func TestAlarmText(t *testing.T) {
	for line, want := range map[string]string{
		`{"level":"error","error":"dial tcp: refused","again_in":"1s","item_id":12345678901234567,"time":"2026-11-22T02:11:10Z","message":"cannot use the database; retrying"}`: "cannot use the database; retrying\nagain_in: 1s\nerror: dial tcp: refused\nitem_id: 12345678901234567",
		"by hand\n": "by hand",
	} {
		if got := servicecmd.AlarmText([]byte(line)); got != want {
			t.Errorf("servicecmd.AlarmText(%s) = %q, want %q", line, got, want)
		}
	}
}

// A service with errors in its files reports their positions, and exits as its manager expects.
func TestServiceReportsErrorsInItsFiles(t *testing.T) {
	clitest.InProject(t)
	t.Setenv("JOURNAL_STREAM", "") // standard error is not the journal
	for _, name := range []string{"CleanUp", "ExecuteLowPriorityWorkQueue", "ExecuteWorkQueue", "LoadWorkQueue", "RecordForecast", "ScheduleTasks", "wrong"} {
		clitest.WriteFile(t, "pipelines/"+name+".yaml", "steps:\n  - handler: Nothing\n")
	}
	for _, c := range []struct{ text, want string }{
		{"worker: {capacity: many}\nlog: {file: {path: x.log}}\n", "botwork.yaml:1:20: worker.capacity: got text, want a whole number"},
		{"{}\n", "wrong.yaml:2:14: "},
	} {
		clitest.WriteFile(t, "botwork.yaml", c.text)
		var said bytes.Buffer
		alarms := &leveled{}
		a := projectdir.New(nil, &said, nil, nil)
		a.ConfigFile = abs(t, "botwork.yaml")
		if code := servicecmd.Serve(t.Context(), a, alarms, "botwork"); code != cli.ExitUsage {
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
