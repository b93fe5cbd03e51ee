//go:build unix

package chaos

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"botwork/internal/database"
	"botwork/internal/testdb"
)

// iterations is how many elements the loop of the pipeline `resume` has.
const iterations = 18

// writeResume writes the pipeline `resume` and the pipeline that it calls. Its steps are in stages.
func (c *cluster) writeResume() {
	c.Helper()
	step := func(name, more string) string {
		return fmt.Sprintf(`{name: %s, handler: Work, with: {ledger: %q, steps: true, for: "${{ payload.for }}"%s}}`, name, c.ledger, more)
	}
	c.write("pipelines/resume.yaml", fmt.Sprintf(`resume: true
finish: %s
resilience: {limit: %d, delay: 1s, factor: 1}
steps:
  - %s
  - name: lines
    foreach: ${{ 1..%d }}
    parallel: 3
    handler: Work
    with: {ledger: %q, steps: true, for: "${{ payload.for }}"}
  - {name: part, uses: part, with: {for: "${{ payload.for }}"}}
  - %s
finally:
  - %s
  - %s
`, c.finish, attempts, step("first", ""), iterations, c.ledger, step("last", `, failures: "${{ payload.failures }}"`), step("close", ""), step("tidy", "")))
	c.write("pipelines/part.yaml", fmt.Sprintf("steps:\n  - %s\n  - %s\n", step("one", ""), step("two", "")))
}

// record is a row of BotWorkItemSteps.
type record struct {
	item, fence int64 // fence is that of the run that has written it
	step        string
	loop        *recordedLoop // nil if the step has ended
}

// recordedLoop has the iterations of a loop that have ended: the first Done, and More.
type recordedLoop struct {
	Done int
	More []int
}

// watchRecords reads the records of steps until the returned function is called, which returns all that it has seen.
// They are removed when their items end.
func (c *cluster) watchRecords(e testdb.Engine) (seen func() []record) {
	c.Helper()
	db, err := database.Open(e.Driver, c.dsn)
	if err != nil {
		c.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	found := make(chan []record, 1)
	go func() {
		defer db.Close()
		versions := map[string]record{}
		for ctx.Err() == nil {
			rows, err := db.QueryContext(ctx, `SELECT "ItemId", "Fence", "Step", "Data" FROM "BotWorkItemSteps"`)
			if err == nil {
				for rows.Next() {
					var r record
					var data string
					if err := rows.Scan(&r.item, &r.fence, &r.step, &data); err == nil {
						r.loop = loopOf(data)
						versions[fmt.Sprint(r.item, r.fence, r.step, data)] = r
					}
				}
				err = rows.Err()
				_ = rows.Close()
			}
			if err != nil && ctx.Err() == nil {
				c.Logf("the records of steps cannot be read: %v", err)
			}
			select {
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
		}
		var all []record
		for _, r := range versions {
			all = append(all, r)
		}
		found <- all
	}()
	c.Cleanup(stop)
	return func() []record { stop(); return <-found }
}

func loopOf(data string) *recordedLoop {
	var kept struct{ Loop *recordedLoop }
	_ = json.Unmarshal([]byte(data), &kept)
	return kept.Loop
}

// unkept returns the items of which a worker has logged that it could not record a step, or not read what was recorded.
func (c *cluster) unkept() (unsaved, unread map[int64]bool) {
	c.Helper()
	logs, err := filepath.Glob(filepath.Join(c.dir, "logs", "worker-*.log"))
	if err != nil {
		c.Fatal(err)
	}
	unsaved, unread = map[int64]bool{}, map[int64]bool{}
	for _, path := range logs {
		text, err := os.ReadFile(path)
		if err != nil {
			c.Fatal(err)
		}
		readUnkept(text, unsaved, unread)
	}
	return unsaved, unread
}

func readUnkept(text []byte, unsaved, unread map[int64]bool) {
	for line := range bytes.Lines(text) {
		var entry struct {
			Message string `json:"message"`
			Item    int64  `json:"item_id"`
		}
		if json.Unmarshal(line, &entry) != nil {
			continue
		}
		switch entry.Message {
		case "cannot record a step; the next attempt runs it again":
			unsaved[entry.Item] = true
		case "cannot read what earlier attempts have recorded; starting at the first step":
			unread[entry.Item] = true
		}
	}
}

// readUnkept must understand the log lines of a run.
func TestUnkeptStepsAreReadFromLog(t *testing.T) {
	unsaved, unread := map[int64]bool{}, map[int64]bool{}
	readUnkept([]byte(`{"level":"info","item_id":1,"message":"worker started"}
{"level":"warn","pipeline":"resume","item_id":2,"error":"lease lost","message":"cannot record a step; the next attempt runs it again"}
{"level":"warn","pipeline":"resume","item_id":3,"error":"refused","message":"cannot read what earlier attempts have recorded; starting at the first step"}
{"level":"warn","pipeline":"resume","item_id":4,"mess`), unsaved, unread)
	if len(unsaved) != 1 || !unsaved[2] || len(unread) != 1 || !unread[3] {
		t.Errorf("unsaved %v, unread %v, want 2 and 3", unsaved, unread)
	}
}
