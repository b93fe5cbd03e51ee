package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"botwork/internal/testdb"
	"botwork/internal/testgroup"
)

// events is the output of go test -json for a package with a test that passes, one that
// is skipped and one with a failing subtest, and for a package that does not build.
const events = `{"Action":"start","Package":"m/a"}
{"Action":"run","Package":"m/a","Test":"TestGood"}
{"Action":"output","Package":"m/a","Test":"TestGood","Output":"=== RUN   TestGood\n"}
{"Action":"output","Package":"m/a","Test":"TestGood","Output":"    a_test.go:7: finish of 500 items: 1500 locks\n"}
{"Action":"pass","Package":"m/a","Test":"TestGood","Elapsed":0}
{"Action":"run","Package":"m/a","Test":"TestEach"}
{"Action":"run","Package":"m/a","Test":"TestEach/sqlserver"}
{"Action":"run","Package":"m/a","Test":"TestEach/sqlserver/one"}
{"Action":"pass","Package":"m/a","Test":"TestEach/sqlserver/one"}
{"Action":"run","Package":"m/a","Test":"TestEach/sqlserver/two"}
{"Action":"output","Package":"m/a","Test":"TestEach/sqlserver/two","Output":"    a_test.go:9: sqlserver://sa:se%40cret@db wrong\n"}
{"Action":"fail","Package":"m/a","Test":"TestEach/sqlserver/two"}
{"Action":"fail","Package":"m/a","Test":"TestEach/sqlserver"}
{"Action":"run","Package":"m/a","Test":"TestEach/sqlite"}
{"Action":"output","Package":"m/a","Test":"TestEach/sqlite","Output":"=== RUN   TestEach/sqlite\n"}
{"Action":"output","Package":"m/a","Test":"TestEach/sqlite","Output":"    a_test.go:3: not here: because\n"}
{"Action":"output","Package":"m/a","Test":"TestEach/sqlite","Output":"--- SKIP: TestEach/sqlite (0.00s)\n"}
{"Action":"skip","Package":"m/a","Test":"TestEach/sqlite"}
{"Action":"fail","Package":"m/a","Test":"TestEach"}
{"Action":"fail","Package":"m/a"}
{"ImportPath":"m/b","Action":"build-output","Output":"b.go:1: undefined: x\n"}
{"ImportPath":"m/b","Action":"build-fail"}
`

func TestTestsAreCounted(t *testing.T) {
	run, err := readTests(strings.NewReader(events))
	if err != nil {
		t.Fatal(err)
	}
	if run.passed != 2 {
		t.Errorf("%d tests passed, want 2: TestGood and TestEach/sqlserver/one", run.passed)
	}
	if want := []string{"m/a TestEach/sqlserver/two", "m/b"}; !slices.Equal(run.failed, want) {
		t.Errorf("%q failed, want %q", run.failed, want)
	}
	if want := []string{"m/a TestEach/sqlite"}; !slices.Equal(run.skipped, want) {
		t.Errorf("%q were skipped, want %q", run.skipped, want)
	}
	if got := run.reason("m/a TestEach/sqlite"); got != "not here: because" {
		t.Errorf("the reason is %q, want %q", got, "not here: because")
	}
	if _, err := readTests(strings.NewReader("panic: no JSON")); err == nil {
		t.Error("no error for a text that is not JSON")
	}
}

func TestTheReport(t *testing.T) {
	run, err := readTests(strings.NewReader(events))
	if err != nil {
		t.Fatal(err)
	}
	x := trial{
		dsn: "sqlserver://sa:se%40cret@db?database=q", report: filepath.Join(t.TempDir(), "report.md"), started: time.Date(2026, 11, 23, 1, 2, 3, 0, time.UTC),
		facts: []fact{{"version", "Microsoft SQL Server 2022\n\tEnterprise | x64"}},
		done: []outcome{
			{step: step{title: "Locks", about: "What is locked.", command: []string{"go", "test"}, environ: []string{"A=ON"}, logs: true}, tests: run, err: errors.New("exit status 1")},
			{step: step{title: "Benchmark", command: []string{"go", "run"}}, output: "5,000 items/s, password se@cret"},
			{step: step{title: "Plans"}, tests: &testRun{skipped: []string{"x"}}},
		},
	}
	if err := x.write(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(x.report)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"2026-11-23 01:02:03 UTC", `Microsoft SQL Server 2022 Enterprise \| x64`, "| Locks | failed in 0s: 2 tests passed, 2 failed, 1 skipped |", "`A=ON go test`",
		"Failed: `m/a TestEach/sqlserver/two`", "undefined: x", "1500 locks", "Skipped, 1: not here: because", "| Benchmark | passed in 0s |", "5,000 items/s", "| Plans | skipped in 0s",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
	for _, secret := range []string{"se%40cret", "se@cret"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the report contains the password %s:\n%s", secret, text)
		}
	}
	if x.failed() != 2 {
		t.Errorf("%d steps failed, want 2: none of the tests of the third ran", x.failed())
	}
}

func TestWrongCommandLines(t *testing.T) {
	t.Setenv(dsnVariable, "")
	if err := run(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "-dsn") {
		t.Errorf("without a DSN: %v, want an error that names -dsn", err)
	}
	err := run(t.Context(), []string{"-dsn", "sqlserver://sa:se%40cret@127.0.0.1:1?dial+timeout=1"})
	if err == nil || strings.Contains(err.Error(), "cret") {
		t.Errorf("without a server: %v, want an error without the password", err)
	}
}

// TestTheTestsOfAStepAreThere checks that the pattern of each step matches a test.
func TestTheTestsOfAStepAreThere(t *testing.T) {
	testgroup.Need(t, testgroup.Processes)
	if snapshotVariable != testdb.RowVersionsVariable {
		t.Errorf("the variable is %s, want %s", snapshotVariable, testdb.RowVersionsVariable)
	}
	for _, s := range steps(time.Minute) {
		if !slices.Contains(s.command, store) {
			continue
		}
		pattern, _, _ := strings.Cut(s.command[slices.Index(s.command, "-run")+1], "/")
		list := exec.CommandContext(t.Context(), "go", "test", "-list", pattern, store)
		list.Dir = "../.."
		out, err := list.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), "Test") {
			t.Errorf("%s: -run %s finds no test: %v\n%s", s.title, pattern, err, out)
		}
	}
}

func TestAStepIsCarriedOut(t *testing.T) {
	t.Chdir("../..")
	x := trial{dsn: "sqlserver://sa:secret@db"}
	good := x.try(t.Context(), step{title: "good", command: []string{"go", "test", "-json", "-count=1", "-run", "^TestCompile$", "./internal/namedsql"}})
	if !good.ok() || good.tests.passed == 0 {
		t.Errorf("a step whose tests pass: %s, %v\n%s", good.verdict(), good.err, good.output)
	}
	none := x.try(t.Context(), step{title: "none", command: []string{"go", "test", "-json", "-count=1", "-run", "^TestNothingIsCalledSo$", "./internal/namedsql"}})
	if none.ok() {
		t.Errorf("a step that finds no test: %s", none.verdict())
	}
	command := x.try(t.Context(), step{title: "command", command: []string{"go", "env", "NOSUCHVARIABLE", "GOOS"}})
	if !command.ok() || command.output == "" {
		t.Errorf("a command: %s, %v, it wrote %q", command.verdict(), command.err, command.output)
	}
}
