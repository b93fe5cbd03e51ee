package sqlstore_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"botwork/internal/database"
	"botwork/internal/testdb"
)

// Until PostgreSQL analyzes a new table, up to a minute after the first items, it guesses that
// few rows meet several conditions, and may read the whole batch again for each row of the
// table. A take of 500 items then took up to 1.4 s in a table of 20,000 rows. Nor may the
// planner's cost estimate of the checks in take make it read the whole table: that halved the
// rate at which a worker drains.
func TestBatchesAreReadOnceInNewTable(t *testing.T) {
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		if e.Driver != database.Postgres {
			t.Skip("only PostgreSQL plans by its statistics")
		}
		for _, size := range []int{1_000, 5_000, 20_000, 50_000, 100_000} {
			t.Run(fmt.Sprint(size, " rows"), func(t *testing.T) {
				dsn := e.DSN(t)
				e.Open(t, dsn)
				db := e.SQL(t, dsn)
				for _, text := range []string{
					`ALTER TABLE "BotWorkQueueItems" SET (autovacuum_enabled = false)`,
					fmt.Sprintf(`INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "Payload", "Priority", "EstimatedDurationMs")
						SELECT 'Work', '{"n": 1}', 1000, 1 FROM generate_series(1, %d)`, size),
				} {
					if _, err := db.ExecContext(t.Context(), text); err != nil {
						t.Fatal(err)
					}
				}
				for name, values := range batches(500) {
					plan := fullPlan(t, e, db, name, values)
					if found := repeatedScan(plan); found != "" {
						t.Errorf("%s reads its batch again for each row of the table: %s", name, found)
					}
					if name == "take" && size >= 50_000 && plan.scans("BotWorkQueueItems") {
						t.Errorf("%s reads the whole table", name)
					}
				}
			})
		}
	})
}

// batches are the statements that change a list of n items, with their values.
func batches(n int) map[string]map[string]any {
	var objects, ids, ones, texts []string
	for id := 1; id <= n; id++ {
		objects = append(objects, fmt.Sprintf(`{"ItemId": %d, "ItemFence": 1, "HolderId": 1, "FromId": 2, "NewState": 2, "Failures": 0, "DelayMs": 0, "Hash": "h%[1]d", "Task": "T", "Body": "x", "Meta": "x"}`, id))
		ids, ones, texts = append(ids, fmt.Sprint(id)), append(ones, "1"), append(texts, "x")
	}
	rows := "[" + strings.Join(objects, ",") + "]"
	array := func(of []string) string { return "{" + strings.Join(of, ",") + "}" }
	return map[string]map[string]any{
		"assign":           {"rows": rows, "now": nil},
		"reassign":         {"rows": rows, "now": nil},
		"take":             {"worker": 1, "instance": "x", "rows": rows, "lease_ms": 1000, "passes": 1, "now": nil},
		"release_withheld": {"rows": rows, "now": nil},
		"rescue":           {"rows": rows, "assigned_ms": 1000, "now": nil},
		"expire":           {"rows": rows, "finish_text": "x", "deadline_text": "x", "life_text": "x", "now": nil},
		"begin":            {"worker": 1, "instance": "x", "rows": rows, "now": nil},
		"beat_items":       {"worker": 1, "lease_ms": 1000, "rows": rows, "begun": rows, "now": nil},
		"progress":         {"worker": 1, "instance": "x", "rows": rows},
		"finish":           {"worker": 1, "instance": "x", "rows": rows, "now": nil},
		"finish_plain": {
			"worker": 1, "instance": "x", "ids": array(ids), "fences": array(ones), "failures": array(ones),
			"hashes": array(texts), "outputs": array(texts), "kept_ms": array(ones), "took_ms": array(ones), "step_times": array(texts), "tails": nil, "now": nil,
		},
		"finish_remove":   {"rows": rows},
		"steps_remove":    {"rows": rows},
		"still_held":      {"worker": 1, "instance": "x", "rows": rows},
		"stat_items":      {"rows": rows},
		"clean_remove":    {"rows": rows},
		"seal":            {"rows": rows},
		"free_timed_keys": {"rows": rows, "now": nil},
		"task_notify":     {"rows": rows, "now": nil},
		"task_revise":     {"rows": rows},
		"task_items":      {"rows": rows},
	}
}

// planNode is a node of a plan that PostgreSQL returns as JSON.
type planNode struct {
	Type     string     `json:"Node Type"`
	Relation string     `json:"Relation Name"`
	Function string     `json:"Function Name"`
	CTE      string     `json:"CTE Name"`
	Plans    []planNode `json:"Plans"`
}

func fullPlan(t *testing.T, e testdb.Engine, db *sql.DB, name string, values map[string]any) planNode {
	t.Helper()
	text, args := compiled(t, e, name, values)
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var plan []byte
	if err := conn.QueryRowContext(t.Context(), "EXPLAIN (FORMAT JSON) "+prepare(t, conn, name, text, args)).Scan(&plan); err != nil {
		t.Fatalf("explain %s: %v", name, err)
	}
	var list []struct{ Plan planNode }
	if err := json.Unmarshal(plan, &list); err != nil || len(list) != 1 {
		t.Fatalf("explain %s: %d plans, %v", name, len(list), err)
	}
	return list[0].Plan
}

// repeatedScan describes a loop over items that reads a batch for each of them, or returns ""
// if there is none.
func repeatedScan(n planNode) string {
	if n.Type == "Nested Loop" && len(n.Plans) == 2 && n.Plans[0].reads("BotWorkQueueItems") && n.Plans[1].isBatch() {
		return fmt.Sprintf("%s of %s, for each row of it %s %s%s", n.Plans[0].Type, n.Plans[0].Relation, n.Plans[1].Type, n.Plans[1].Function, n.Plans[1].CTE)
	}
	for _, child := range n.Plans {
		if found := repeatedScan(child); found != "" {
			return found
		}
	}
	return ""
}

// scans reports whether the node reads the whole table.
func (n planNode) scans(table string) bool {
	return n.Type == "Seq Scan" && n.Relation == table ||
		slices.ContainsFunc(n.Plans, func(child planNode) bool { return child.scans(table) })
}

// reads reports whether the node or one of its children reads the table.
func (n planNode) reads(table string) bool {
	if n.Relation == table {
		return true
	}
	for _, child := range n.Plans {
		if child.reads(table) {
			return true
		}
	}
	return false
}

// isBatch reports whether the node reads a list that is a parameter of the statement.
func (n planNode) isBatch() bool {
	switch n.Type {
	case "Function Scan", "CTE Scan":
		return true
	case "Materialize", "Subquery Scan", "Memoize":
		return len(n.Plans) == 1 && n.Plans[0].isBatch()
	}
	return false
}
