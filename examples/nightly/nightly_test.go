package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"botwork/cmd"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestNight(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dir := t.TempDir()
		if err := copyProject(dir); err != nil {
			t.Fatal(err)
		}
		environ := []string{"BOTWORK_DATABASE_DRIVER=" + string(e.Driver), "BOTWORK_DATABASE_DSN=" + e.DSN(t)}
		n, err := begin(t.Context(), filepath.Join(dir, "botwork.yaml"), environ, t.Output())
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := n.end(context.Background()); err != nil {
				t.Error(err)
			}
		}()
		want := readJobs(t)

		checkPlan(t, filepath.Join(dir, "botwork.yaml"), environ)

		// ExecuteWorkQueue, which runs every minute, must not run low items.
		if err := n.runOnAll(t.Context(), "ExecuteWorkQueue"); err != nil {
			t.Fatal(err)
		}
		urgent := map[string]int{}
		for name, priority := range want {
			if priority >= 500 {
				urgent[name] = priority
			}
		}
		done := n.finished(t)
		if diff := cmp.Diff(urgent, priorities(done)); diff != "" {
			t.Errorf("jobs done by ExecuteWorkQueue (-want +got):\n%s", diff)
		}
		checkOrder(t, done)
		checkShares(t, done)

		if err := n.runOnAll(t.Context(), "ExecuteLowPriorityWorkQueue"); err != nil {
			t.Fatal(err)
		}
		done = n.finished(t)
		if diff := cmp.Diff(want, priorities(done)); diff != "" {
			t.Errorf("jobs done in the end (-want +got):\n%s", diff)
		}
		checkShares(t, only(done, func(d job) bool { return d.priority < 500 }))
	})
}

func TestReport(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	for name := range readJobs(t) {
		if got := strings.Count(out.String()+" ", name); got != 1 {
			t.Errorf("%s is %d times in the report, want once", name, got)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

// job is a processed item.
type job struct {
	priority  int
	worker    string
	estimate  time.Duration
	startedAt time.Time
}

// readJobs returns the priorities of the project's jobs by name.
func readJobs(t *testing.T) map[string]int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("project", "jobs.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	jobs := map[string]int{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var line struct {
			Priority int
			Payload  struct{ Job string }
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		jobs[line.Payload.Job] = line.Priority
	}
	if len(jobs) != 60 {
		t.Fatalf("the project has %d jobs, want 60", len(jobs))
	}
	return jobs
}

// finished returns the finished jobs by name. Unfinished items must be untouched, and
// finished items must have been claimed exactly once.
func (n *night) finished(t *testing.T) map[string]job {
	t.Helper()
	items, err := n.workers[0].Store.Items(t.Context(), workqueue.ItemFilter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	done := map[string]job{}
	for _, it := range items {
		if it.State != workqueue.Processed {
			if it.State != workqueue.Pending || it.Fence != 0 || it.WorkerID != nil || it.Priority >= 500 {
				t.Errorf("item %d of priority %d: state %s, fence %d; want it processed, or low and untouched", it.ID, it.Priority, it.State, it.Fence)
			}
			continue
		}
		var output struct{ Job, RanOn string }
		if err := json.Unmarshal([]byte(it.Output), &output); err != nil {
			t.Fatal(err)
		}
		if _, twice := done[output.Job]; twice || it.RetryCount != 0 || it.ReleaseCount != 0 {
			t.Errorf("%s: retry count %d, release count %d, twice %t; want one run and no failure", output.Job, it.RetryCount, it.ReleaseCount, twice)
		}
		done[output.Job] = job{it.Priority, output.RanOn, time.Duration(*it.EstimatedDurationMs) * time.Millisecond, *it.StartedAt}
	}
	return done
}

func priorities(done map[string]job) map[string]int {
	list := map[string]int{}
	for name, d := range done {
		list[name] = d.priority
	}
	return list
}

func only(done map[string]job, keep func(job) bool) map[string]job {
	kept := map[string]job{}
	for name, d := range done {
		if keep(d) {
			kept[name] = d
		}
	}
	return kept
}

// checkOrder checks that each worker starts with a high job. Later jobs may have been
// moved to it from the other worker.
func checkOrder(t *testing.T, done map[string]job) {
	t.Helper()
	for _, worker := range workerNames {
		var urgent, others []time.Time
		for _, d := range done {
			switch {
			case d.worker != worker:
			case d.priority > 1000:
				urgent = append(urgent, d.startedAt)
			default:
				others = append(others, d.startedAt)
			}
		}
		if len(urgent) > 0 && len(others) > 0 && slices.MinFunc(urgent, time.Time.Compare).After(slices.MinFunc(others, time.Time.Compare)) {
			t.Errorf("%s started with a job that is not urgent", worker)
		}
	}
}

// checkPlan checks that the pass of each pipeline plans equal shares for both workers:
// each job is assigned to the worker with the least estimated work, so the sums differ by
// one job at most. The actual shares can differ from that, because a worker that has
// finished gets jobs that the other one has not started.
func checkPlan(t *testing.T, configFile string, environ []string) {
	t.Helper()
	var out, said bytes.Buffer
	args := []string{"--config", configFile, "assign", "--dry-run", "--output", "json"}
	if code := cmd.Run(t.Context(), args, strings.NewReader(""), &out, &said, environ); code != 0 {
		t.Fatalf("assign --dry-run: exit code %d: %s", code, &said)
	}
	var passes []struct {
		Pipeline string
		Items    []struct {
			Worker   string
			Estimate string
		}
	}
	if err := json.Unmarshal(out.Bytes(), &passes); err != nil {
		t.Fatal(err)
	}
	for _, p := range passes {
		sums, longest := map[string]time.Duration{}, time.Duration(0)
		for _, it := range p.Items {
			estimate, err := time.ParseDuration(it.Estimate)
			if err != nil {
				t.Fatal(err)
			}
			sums[it.Worker] += estimate
			longest = max(longest, estimate)
		}
		if len(sums) != len(workerNames) || (sums[workerNames[0]]-sums[workerNames[1]]).Abs() > longest {
			t.Errorf("%s: planned work by worker = %s, want two sums that differ by %s at most", p.Pipeline, fmt.Sprint(sums), longest)
		}
	}
	if len(passes) != 2 {
		t.Errorf("%d pipelines plan, want 2", len(passes))
	}
}

// checkShares checks that both workers ran jobs.
func checkShares(t *testing.T, done map[string]job) {
	t.Helper()
	jobs := map[string]int{}
	for _, d := range done {
		jobs[d.worker]++
	}
	if len(jobs) != len(workerNames) {
		t.Errorf("jobs by worker = %v, want that both had some", jobs)
	}
}
