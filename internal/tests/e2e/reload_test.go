//go:build unix

package e2e

import (
	"os"
	"strings"
	"testing"

	"botwork/internal/testdb"
	"botwork/workqueue"
)

// says is a pipeline whose output shows which text ran.
func says(word string) string {
	return "steps: [{handler: Transform, with: {value: " + word + "}}]\n"
}

// A user edits a pipeline while a worker runs: correct, wrong, and correct again.
func TestPipelineIsEditedWhileWorkerRuns(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		t.Parallel()
		x := newProject(t, e)
		x.write("pipelines/word.yaml", says("one"))
		worker := x.worker("w")
		worker.await("worker started", 1)
		held, letGo := x.enqueueHold()
		x.awaitState(held, workqueue.Blocked)
		x.write("pipelines/hold.yaml", strings.Replace(hold, "steps:", "description: other\nsteps:", 1))
		x.write("pipelines/word.yaml", says("two"))
		worker.await("pipelines reloaded", 1)
		letGo("")
		x.awaitState(held, workqueue.Processed)
		if diff := x.must("pipelines", "diff", "--item", "1"); !strings.Contains(diff, "\n+description: other\n") {
			t.Errorf("the text of item 1 is not the text at its start:\n%s", diff)
		}
		if it := x.awaitState(x.enqueue("word", "null"), workqueue.Processed); it.Output != `"two"` {
			t.Errorf("after the change the output is %s, want \"two\"", it.Output)
		}

		again := x.enqueue("word", "null")
		x.awaitState(again, workqueue.Processed)
		x.write("pipelines/word.yaml", "steps: [{handler: Transfrom}]\n")
		worker.await("still using the previous version", 1)
		x.run("pipelines", "check").want(2)
		x.run("pipelines", "list").want(2, "Transfrom")
		x.run("enqueue", "--pipeline", "word").want(2, "Transfrom") // enqueue reads the file
		x.must("items", "repeat", "3")
		if it := x.awaitState(again, workqueue.Processed); it.Output != `"two"` || it.Fence != 2 {
			t.Errorf("while the file is broken the output is %s at fence %d, want \"two\" at its second", it.Output, it.Fence)
		}

		x.write("pipelines/word.yaml", says("three"))
		worker.await("pipelines reloaded", 2)
		if it := x.awaitState(x.enqueue("word", "null"), workqueue.Processed); it.Output != `"three"` {
			t.Errorf("with the fixed file the output is %s, want \"three\"", it.Output)
		}
		if list := x.must("pipelines", "versions", "word"); strings.Count(list, "\n") != 4 {
			t.Errorf("versions of word, want three:\n%s", list)
		}
		worker.wantDrained(os.Interrupt)
	})
}
