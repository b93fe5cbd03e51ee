package doctor_test

import (
	"encoding/json"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/internal/doctor"
	"botwork/internal/service"
)

// doctorNoise matches output that differs between machines and runs.
var doctorNoise = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`[0-9.]+ ms`), "(some) ms"},
	{regexp.MustCompile(`\d+ [MG]iB free of \d+ [MG]iB`), "(space)"},
	{regexp.MustCompile(`triggers use [^"\n]* now`), "triggers use (zone)"},
	{regexp.MustCompile(`this runs as [^"\n;]*`), "this runs as (user)"},
	{regexp.MustCompile(`SQLite [0-9.]+`), "SQLite (version)"},
	{regexp.MustCompile(`migration \d+, the latest`), "migration (n), the latest"},
}

// doctorOutput replaces the parts of the output that differ between machines.
func doctorOutput(t *testing.T, text string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	text = strings.ReplaceAll(text, dir, "(project)")
	for _, n := range doctorNoise {
		text = n.pattern.ReplaceAllString(text, n.with)
	}
	return text
}

// doctorFound runs the doctor and returns its results by check.
func doctorFound(t *testing.T, code int, environ ...string) map[string]doctor.Result {
	t.Helper()
	r := clitest.DoWith(t, "", environ, "doctor", "--service", "botwork-none", "-o", "json")
	if r.Code != code || r.Stderr != "" {
		t.Errorf("exit code %d, want %d and nothing on standard error:\n%s", r.Code, code, r.Stderr)
	}
	var report doctor.Report
	if err := json.Unmarshal([]byte(r.Stdout), &report); err != nil {
		t.Fatal(err)
	}
	if report.Sound != (code == cli.ExitDone) {
		t.Errorf("sound is %t with exit code %d", report.Sound, code)
	}
	found := map[string]doctor.Result{}
	for _, r := range report.Results {
		found[r.Check] = r
	}
	return found
}

func wantFound(t *testing.T, r doctor.Result, state doctor.State, text string) {
	t.Helper()
	if r.State != state || !strings.Contains(r.Found+"\n"+r.Advice, text) {
		t.Errorf("%s: %s: %s; %s\nwant %s with %q", r.Check, r.State, r.Found, r.Advice, state, text)
	}
}

func TestDoctorContract(t *testing.T) {
	clitest.InProject(t)
	clitest.Must(t, "db", "migrate")
	clitest.WriteFile(t, "botwork.yaml", "worker: {name: here}\nhandlers: {folders: [data]}\n")
	for output, name := range map[string]string{"json": "doctor_sound.json", "table": "doctor_sound.txt"} {
		clitest.Golden(t, name, doctorOutput(t, clitest.Must(t, "doctor", "--service", "botwork-none", "-o", output)))
	}
	clitest.WriteFile(t, "botwork.yaml", "worker: {name: here}\nhandlers: {folders: [data]}\ndatabase: {dsn: none/botwork.db}\nsecrets: {a: {env: NOT_SET}}\n")
	r := clitest.Do(t, "doctor", "--service", "botwork-none")
	if r.Code != cli.ExitFailed || r.Stderr != "" {
		t.Errorf("exit code %d, want 1:\n%s", r.Code, r.Stderr)
	}
	clitest.Golden(t, "doctor_faults.txt", doctorOutput(t, r.Stdout))
}

func TestDoctorFindsFaultsInSettings(t *testing.T) {
	clitest.InProject(t)
	clitest.Must(t, "db", "migrate")
	wantFound(t, doctorFound(t, cli.ExitDone)["pipelines"], doctor.OK, "no errors")

	clitest.WriteFile(t, "pipelines/broken.yaml", "steps: [{handler: Lgo}]\n")
	wantFound(t, doctorFound(t, cli.ExitFailed)["pipelines"], doctor.Fault, "broken.yaml:1:")
	if err := os.Remove("pipelines/broken.yaml"); err != nil {
		t.Fatal(err)
	}

	clitest.WriteFile(t, "botwork.yaml", "encryption: {keyset: {file: keyset.json}}\n")
	clitest.Must(t, "keys", "new", "--out", "keyset.json")
	wantFound(t, doctorFound(t, cli.ExitDone)["keyset"], doctor.OK, "1 key, 1 enabled")
	clitest.WriteFile(t, "keyset.json", `{"primaryKeyId": 1}`)
	wantFound(t, doctorFound(t, cli.ExitFailed)["keyset"], doctor.Fault, "no key")

	clitest.WriteFile(t, "botwork.yaml", "log: {file: {path: hello.json/botwork.log}}\n")
	wantFound(t, doctorFound(t, cli.ExitDone)["folders"], doctor.Warning, "hello.json is a file")

	clitest.WriteFile(t, "botwork.yaml", "database: {driver: oracle}\nworker: {capacity: 0}\n")
	found := doctorFound(t, cli.ExitFailed)
	wantFound(t, found["settings"], doctor.Fault, "oracle")
	wantFound(t, found["settings"], doctor.Fault, "worker.capacity")
	wantFound(t, found["database"], doctor.Skipped, "because settings is at fault")
	wantFound(t, found["account"], doctor.OK, "this runs as")
}

// The service manager returns the account that is checked and the settings file that it reads.
func TestDoctorChecksTheService(t *testing.T) {
	clitest.InProject(t)
	clitest.Must(t, "db", "migrate")
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	m := clitest.NewFakeManager(service.Status{Name: "nightly", Account: me.Username, State: service.Failed, ExitCode: 2, Config: "/elsewhere/botwork.yaml"})
	wants := func(text string, args ...string) {
		t.Helper()
		if out := m.Do(t, append([]string{"doctor"}, args...)...).Stdout; !strings.Contains(out, text) {
			t.Errorf("botwork doctor %q lacks %q:\n%s", args, text, out)
		}
	}
	wants(`no service "botwork" is installed`)
	wants("reads another settings file, /elsewhere/botwork.yaml", "--service", "nightly")
	wants("-nightly: the name is free", "--service", "nightly")
	m.Now["nightly"].Config = "botwork.yaml"
	wants("has failed with exit code 2", "--service", "nightly")
}

func TestDoctorUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Do(t, "doctor", "now").WantFailure(t, cli.ExitUsage, `got the argument "now"`)
	clitest.Do(t, "doctor", "--timeout", "0s").WantFailure(t, cli.ExitUsage, "--timeout: got 0s")
	clitest.Do(t, "doctor", "--service", "").WantFailure(t, cli.ExitUsage, "--service")
	if files, err := filepath.Glob("*"); err != nil || len(files) > 0 {
		t.Errorf("the doctor left files behind: %v, %v", files, err)
	}
}
