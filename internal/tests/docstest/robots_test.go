package docstest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"botwork/internal/testdb"
)

// TestRobotsSession runs the commands of docs/robots.md, in order and in a new project.
// KEY is replaced by the lock key of the last checkout. The answers must contain what the
// document shows.
func TestRobotsSession(t *testing.T) {
	doc := read(t, "docs/robots.md")
	dir := t.TempDir()
	t.Chdir(dir)
	if _, code := botwork(t, "init", "."); code != 0 {
		t.Fatalf("init: exit code %d", code)
	}
	key, ran, shown := "", 0, 0
	var answer []byte
	for _, b := range doc.blocks {
		switch {
		case b.is("yaml"):
			if err := os.WriteFile(filepath.Join(dir, "botwork.yaml"), []byte(b.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, code := botwork(t, "db", "migrate"); code != 0 {
				t.Fatalf("db migrate: exit code %d", code)
			}
		case b.is("sh"):
			for line := range strings.Lines(b.text) {
				words := callOf(strings.TrimSpace(line))
				for i, w := range words {
					words[i] = strings.ReplaceAll(strings.Trim(w, `'"`), "KEY", key)
				}
				out, code := botwork(t, words...)
				if code != 0 {
					t.Fatalf("docs/robots.md: %s: exit code %d", strings.TrimSpace(line), code)
				}
				ran++
				answer = out
				var checkout struct{ LockKey string }
				if json.Unmarshal(out, &checkout) == nil && checkout.LockKey != "" {
					key = checkout.LockKey
				}
			}
		case b.is("json"):
			var want, got any
			if err := json.Unmarshal([]byte(strings.ReplaceAll(b.text, "KEY", key)), &want); err != nil {
				t.Fatalf("docs/robots.md:%d: %v", b.line, err)
			}
			if err := json.Unmarshal(answer, &got); err != nil {
				t.Fatalf("docs/robots.md:%d: the answer is not JSON: %v\n%s", b.line, err, answer)
			}
			if lacks := lacking(want, got, ""); lacks != "" {
				t.Errorf("docs/robots.md:%d: %s\n%s", b.line, lacks, answer)
			}
			shown++
		}
	}
	if ran < 8 || shown < 3 || key == "" {
		t.Errorf("%d commands and %d answers were tried, with the lock key %q", ran, shown, key)
	}
}

// lacking returns what is missing in a value; "" if nothing is.
// Objects may have more fields than wanted.
func lacking(want, got any, at string) string {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok {
			return fmt.Sprintf("%s: got %v, want an object", at, got)
		}
		for name, value := range want {
			if lacks := lacking(value, object[name], at+"."+name); lacks != "" {
				return lacks
			}
		}
		return ""
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return fmt.Sprintf("%s: got %v, want %d elements", at, got, len(want))
		}
		for i := range want {
			if lacks := lacking(want[i], list[i], fmt.Sprintf("%s[%d]", at, i)); lacks != "" {
				return lacks
			}
		}
		return ""
	}
	if !reflect.DeepEqual(want, got) {
		return fmt.Sprintf("%s: got %v, want %v", at, got, want)
	}
	return ""
}

// TestRobotsOfAnItem runs the query of docs/robots.md on each engine.
func TestRobotsOfAnItem(t *testing.T) {
	var query string
	for _, b := range read(t, "docs/robots.md").blocks {
		if b.is("sql") {
			query = b.text
		}
	}
	testdb.Each(t, func(t *testing.T, e testdb.Engine) {
		dsn := e.DSN(t)
		e.Open(t, dsn)
		db := e.SQL(t, dsn)
		for _, statement := range []string{
			`INSERT INTO "BotWorkQueueItems" ("IntegrationConfig", "State", "Robot", "StartedAt") VALUES ('', 1, 'bob', '2026-01-31 13:45:00.000')`,
			`INSERT INTO "BotWorkItemAttempts" ("ItemId", "AttemptNumber", "Fence", "Outcome", "WorkerName", "Host", "StartedAt")
				VALUES (1, 1, 1, 'released', 'ann', '', '2026-01-30 13:45:00.000')`,
		} {
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		rows, err := db.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var robots []string
		for rows.Next() {
			var who, outcome string
			var began, ended any
			if err := rows.Scan(&who, &began, &ended, &outcome); err != nil {
				t.Fatal(err)
			}
			robots = append(robots, who+" "+outcome)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(robots, ", "); got != "ann released, bob last" {
			t.Errorf("the query returns %q, want ann's release and bob's checkout", got)
		}
	})
}
