package bench_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	benchcmd "botwork/cmd/bench"

	"github.com/spf13/cobra"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/internal/bench"
)

func TestBenchPrintsWhatItMeasured(t *testing.T) {
	clitest.InProject(t)
	out := clitest.Must(t, "bench", "enqueue", "--items", "50", "--single", "5", "--repeat", "2", "-o", "json")
	r := clitest.Decode[map[string]any](t, out)
	for field := range strings.FieldsSeq("scenario engine n itemsPerSecond p50Ms p95Ms p99Ms cpuSecondsPer1000 peakRssMb lost ranTwice repeat enqueuedPerSecond figures") {
		if _, ok := r[field]; !ok {
			t.Errorf("no field %q in:\n%s", field, out)
		}
	}
	if r["scenario"] != "enqueue" || r["engine"] != "sqlite" || r["n"] != 50.0 || r["repeat"] != 2.0 || r["lost"] != 0.0 || r["ranTwice"] != nil {
		t.Errorf("-o json prints\n%s", out)
	}
	table := clitest.Must(t, "bench", "enqueue", "--items", "50", "--single", "5", "--repeat", "1", "--sync", "normal")
	for _, text := range []string{"enqueue on sqlite, 50 items, median of 1 round\n", "enqueued one by one", "items/s", "lost 0\n"} {
		if !strings.Contains(table, text) {
			t.Errorf("the table lacks %q:\n%s", text, table)
		}
	}
	if steps := clitest.Must(t, "bench", "steps", "--runs", "10", "--repeat", "1"); !strings.Contains(steps, "steps without a database, 10 runs of each pipeline, median of 1 round\n  a plain step ") {
		t.Errorf("the table of steps:\n%s", steps)
	}
	left, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range left {
		if strings.Contains(entry.Name(), "bench") {
			t.Errorf("%s was not removed", entry.Name())
		}
	}
}

func TestBenchUsage(t *testing.T) {
	clitest.InProject(t)
	for want, line := range map[string]string{
		"--repeat 0: want 1 or more":                "bench enqueue --repeat 0",
		"--items -1: want 1 or more":                "bench drain --items -1",
		"--items 0: want 1 or more":                 "bench guard --items 0",
		"--against: open before.json: ":             "bench guard --against before.json",
		`--sync "off": want full or normal`:         "bench drain --sync off",
		"--capacity -2: want 1 or more":             "bench limit --capacity -2",
		"--batch 0: want 1 or more":                 "bench limit --batch 0",
		`got the argument "20000", want none`:       "bench drain 20000",
		"--old without --cleanup":                   "bench backlog --old 5",
		"--yes without --in":                        "bench drain --yes",
		"--in x.db: a backlog is measured in two":   "bench backlog --in x.db",
		"--rate 0: want 1 or more":                  "bench latency --rate 0",
		"--for 1ms: want 1s or more":                "bench soak --for 1ms",
		"--failures 0.9: want 0 to 0.5":             "bench soak --failures 0.9",
		"--workers 0: want 1 or more":               "bench assign --workers 0",
		"--runs 0: want 1 or more":                  "bench steps --runs 0",
		"--scale 0: want more than 0, and 1 at":     "bench mixed --scale 0",
		"--allowance -1s: want 0s or more":          "bench mixed --allowance -1s",
		`unknown command "drane" for botwork bench`: "bench drane",
	} {
		clitest.Do(t, strings.Fields(line)...).WantFailure(t, cli.ExitUsage, want)
	}
}

// A run with lost items prints its report, and fails.
func TestBenchFailsWhenItemsAreLost(t *testing.T) {
	clitest.InProject(t)
	for _, failure := range []error{bench.ErrWrongCount, bench.ErrWrongStart, bench.ErrDrift} {
		lost := 3
		var stdout, stderr bytes.Buffer
		a := &cli.App{Streams: cli.Streams{Stdout: &stdout, Stderr: &stderr}, Started: true}
		err := benchcmd.Measure(t.Context(), a, func(context.Context) (bench.Report, error) {
			return bench.Report{Scenario: "drain", Lost: &lost}, fmt.Errorf("%w: of 10 items 3", failure)
		})
		if code := a.Finish(&cobra.Command{}, err); code != cli.ExitFailed {
			t.Errorf("%v: exit code %d, want %d", failure, code, cli.ExitFailed)
		}
		if r := clitest.Decode[map[string]any](t, stdout.String()); r["lost"] != 3.0 {
			t.Errorf("%v: printed\n%s", failure, stdout.String())
		}
		if !strings.Contains(stderr.String(), failure.Error()+": of 10 items 3") {
			t.Errorf("standard error: %s", stderr.String())
		}
	}
}

// A named place is emptied, but not if it is in use.
func TestBenchInANamedPlace(t *testing.T) {
	clitest.InProject(t)
	drain := func(args ...string) clitest.Result {
		return clitest.Do(t, append([]string{"bench", "drain", "--items", "20", "--repeat", "1"}, args...)...)
	}
	if r := drain("--in", "measured.db"); r.Code != cli.ExitDone {
		t.Fatalf("exit code %d:\n%s", r.Code, r.Stderr)
	}
	if _, err := os.Stat("measured.db"); err == nil {
		t.Error("measured.db was not removed")
	}
	clitest.Must(t, "enqueue", "--pipeline", "hello", "--payload", `{"name": "Ada"}`)
	const settings = "botwork.db"
	drain("--in", settings).WantFailure(t, cli.ExitFailed, "is the configured database itself: name another file")
	drain("--in", settings, "--yes").WantFailure(t, cli.ExitFailed, "is the configured database itself: name another file")
	clitest.WriteFile(t, "botwork.yaml", "database: {driver: sqlite, dsn: other.db}\n")
	drain("--in", settings).WantFailure(t, cli.ExitFailed, "holds items, which would be removed; --yes removes them")
	if r := drain("--in", settings, "--yes"); r.Code != cli.ExitDone {
		t.Errorf("--yes: exit code %d:\n%s", r.Code, r.Stderr)
	}
}

// Profiles are complete even if the measurement failed.
func TestBenchProfiles(t *testing.T) {
	clitest.InProject(t)
	clitest.Must(t, "bench", "drain", "--items", "50", "--repeat", "1", "--cpuprofile", "good.cpu", "--memprofile", "good.mem")
	clitest.WriteFile(t, "botwork.yaml", "database: {driver: postgres, dsn: 'postgres://nobody@127.0.0.1:1/none'}\n")
	r := clitest.Do(t, "bench", "drain", "--items", "50", "--cpuprofile", "bad.cpu", "--memprofile", "bad.mem")
	r.WantFailure(t, cli.ExitFailed, "create a scratch database")
	for _, name := range []string{"good.cpu", "good.mem", "bad.cpu", "bad.mem"} {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := gzip.NewReader(file)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if n, err := io.Copy(io.Discard, unpacked); err != nil || n == 0 {
			t.Errorf("%s holds %d bytes, %v", name, n, err)
		}
		_ = file.Close()
	}
	clitest.Do(t, "bench", "drain", "--cpuprofile", "nowhere/x").WantFailure(t, cli.ExitFailed, "--cpuprofile: open nowhere/x")
	clitest.Do(t, "bench", "drain", "--memprofile", "nowhere/x").WantFailure(t, cli.ExitFailed, "--memprofile: open nowhere/x")
}
