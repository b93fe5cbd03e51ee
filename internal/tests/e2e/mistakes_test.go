//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"botwork/internal/database"
	"botwork/internal/testdb"
	"botwork/workqueue"
)

func TestFaultsAreReportedBeforeAnyRun(t *testing.T) {
	tests := map[string]struct {
		files map[string]string // "" removes
		args  []string
		code  int
		words []string
	}{
		"a pipelines folder that does not exist": {
			args: []string{"run", "--pipelines", "nowhere"},
			code: 2, words: []string{"nowhere", "does not exist", "botwork init", "BOTWORK_PIPELINES_DIR"},
		},
		"all errors of all pipelines": {
			files: map[string]string{
				"pipelines/a.yaml": "steps:\n  - handler: Lgo\n    with: {message: hi}\n  - handler: Delay\n    with: {fro: 1s}\n",
				"pipelines/b.yaml": "trigger: {cron: \"61 * * * *\"}\nsteps:\n  - handler: Log\n    with: {message: hi}\n",
			},
			args: []string{"run", "--strict"},
			code: 2, words: []string{
				"a.yaml:2:14:", `"Lgo"`, `did you mean "Log"?`, "a.yaml:5:", `"fro"`, `"for"`, "b.yaml:1:17:", "errors\n",
			},
		},
		"all errors of the settings": {
			files: map[string]string{
				"botwork.yaml": "worker:\n  capacity: many\n  hartbeat: 3s\nlog:\n  level: loud\n",
			},
			args: []string{"run"},
			code: 2, words: []string{"botwork.yaml:2:13:", "want a whole number", "botwork.yaml:3:3:", `"heartbeat"`, "botwork.yaml:5:10:", `"loud"`, "3 errors"},
		},
		"a flag without a meaning": {
			args: []string{"run", "--capacity", "0"},
			code: 2, words: []string{"--capacity", "want 1 to 10000"},
		},
		"an unknown system pipeline": {
			args: []string{"run", "--once", "ExecuteWorkQeue"},
			code: 2, words: []string{`"ExecuteWorkQeue"`, `did you mean "ExecuteWorkQueue"?`},
		},
		"an unknown pipeline": {
			args: []string{"enqueue", "--pipeline", "hodl"},
			code: 2, words: []string{`"hodl"`, `did you mean "hold"?`},
		},
		"a broken inline pipeline": {
			args: []string{"enqueue", "--pipeline", `{"steps": [{"handler": "Lgo"}]}`},
			code: 2, words: []string{`"Lgo"`, `did you mean "Log"?`},
		},
		"a payload that is not JSON": {
			args: []string{"enqueue", "--pipeline", "hold", "--payload", "{until"},
			code: 2, words: []string{"--payload", "JSON"},
		},
		"an unknown queue": {
			args: []string{"enqueue", "--pipeline", "hold", "--payload", "{}", "--queue", "defualt"},
			code: 2, words: []string{`"defualt"`, "default"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newProject(t, testdb.Engine{Driver: database.SQLite})
			for file, text := range tt.files {
				x.write(file, text)
			}
			r := x.run(tt.args...)
			r.want(tt.code, tt.words...)
			if strings.Contains(r.stderr, "worker started") {
				t.Error("a worker was started")
			}
			items, err := x.store.Items(t.Context(), workqueue.ItemFilter{})
			if err != nil || len(items) != 0 {
				t.Errorf("items = %+v, %v; want none", items, err)
			}
		})
	}
}

// Enqueued items are kept when a worker cannot start.
func TestFaultsLoseNoItem(t *testing.T) {
	t.Parallel()
	x := newProject(t, testdb.Engine{Driver: database.SQLite})
	id, letGo := x.enqueueHold()
	letGo("")
	x.write("pipelines/bad.yaml", "steps: []\n")
	x.run("run", "--once", "--strict").want(2, "bad.yaml:1:")
	if it := x.item(id); it.State != workqueue.Pending {
		t.Errorf("the item is %s, want Pending", it.State)
	}
	if err := os.Remove(filepath.Join(x.dir, "pipelines", "bad.yaml")); err != nil {
		t.Fatal(err)
	}
	x.must("run", "--once")
	if it := x.item(id); it.State != workqueue.Processed {
		t.Errorf("the item is %s, want Processed", it.State)
	}
}
