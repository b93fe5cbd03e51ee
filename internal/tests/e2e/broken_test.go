//go:build unix

package e2e

import (
	"os"
	"strings"
	"testing"

	"botwork/internal/testdb"
	"botwork/workqueue"
)

// A worker starts although one file is broken: it runs the items of the others, reports
// the broken file everywhere, and runs its items when the file is fixed.
func TestWorkerStartsWithBrokenPipeline(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newProject(t, e)
		x.write("pipelines/word.yaml", says("one"))
		x.write("pipelines/imp.yaml", "name: Import\nsteps: [{handler: Transfrom}]\n")
		x.run("run", "--strict").want(2, "imp.yaml:2:19:", "Transfrom")

		x.run("enqueue", "--pipeline", "Import").want(2, "imp.yaml:2:19:", "--no-check")
		waiting := x.enqueueUnchecked("Import")
		late := x.enqueueUnchecked("Import", "--deadline-in", "1s")
		worker := x.worker("w")
		worker.await("worker started", 1)
		worker.await("starting without it", 1)
		x.awaitState(x.enqueue("word", "null"), workqueue.Processed)
		x.awaitState(late, workqueue.Cancelled)
		if it := x.item(waiting); it.State != workqueue.Pending || it.RetryCount != 0 || it.Fence != 0 {
			t.Errorf("the item of the broken pipeline is %s, %d failures, fence %d; want it waiting and never claimed", it.State, it.RetryCount, it.Fence)
		}
		if why := x.must("items", "why", "1"); !strings.Contains(why, "pipeline-broken") || !strings.Contains(why, "imp.yaml:2:19:") {
			t.Errorf("items why does not show the broken file:\n%s", why)
		}
		if show := x.must("workers", "show", "w"); !strings.Contains(show, "BrokenPipelines") || !strings.Contains(show, "Import") {
			t.Errorf("workers show does not show the broken pipeline:\n%s", show)
		}
		for command, words := range map[string]string{
			"pipelines check": "imp.yaml:2:19:", "pipelines list": "broken: 1 error",
			"doctor --service none": "starts without Import, whose items wait",
		} {
			if r := x.run(strings.Fields(command)...); r.code == 0 || !strings.Contains(r.stdout, words) {
				t.Errorf("%s: exit code %d, want one above 0 and %q:\n%s", command, r.code, words, r.stdout)
			}
		}

		x.write("pipelines/imp.yaml", "name: Import\n"+says("fixed"))
		if it := x.awaitState(waiting, workqueue.Processed); it.Output != `"fixed"` || it.RetryCount != 0 {
			t.Errorf("with the fixed file the output is %s with %d failures, want \"fixed\" with none", it.Output, it.RetryCount)
		}
		worker.await("all pipeline files are valid again", 1)
		if show := x.must("workers", "show", "w"); strings.Contains(show, "BrokenPipelines") {
			t.Errorf("workers show still lists a broken pipeline:\n%s", show)
		}
		worker.wantDrained(os.Interrupt)
	})
}
