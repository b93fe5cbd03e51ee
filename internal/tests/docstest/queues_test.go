package docstest

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"botwork/internal/author/queuedefs"
	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// TestQueueKeys compares the table of docs/queues.md with the reader: every
// key is documented, its example changes the queue, and its column exists.
func TestQueueKeys(t *testing.T) {
	migration, err := os.ReadFile(filepath.Join(root, "sql", "sqlite", "migrations", "0004_queues.sql"))
	if err != nil {
		t.Fatal(err)
	}
	schema := string(migration) + " Description ResilienceConfig " + // older than the policies
		" Distribution MaxReleases MaxPayload MaxOutput KeepLog OnExpiry Payloads Escalation " // younger
	plain := queueOf(t, "consumer: workers")
	documented := map[string][]string{}
	for _, tab := range read(t, "docs/queues.md").tablesWith(t, "key", "column", "for example", "means") {
		for _, r := range tab.rows {
			key, column, example := code(r.cells[0]), code(r.cells[1]), code(r.cells[2])
			path := strings.Split(key, ".")
			for i, name := range path {
				above := strings.Join(path[:i], ".")
				documented[above] = append(documented[above], name)
			}
			if got := queueOf(t, example); reflect.DeepEqual(got, plain) {
				t.Errorf("%s: the example %s changes nothing", key, example)
			}
			if !strings.Contains(example, path[len(path)-1]) {
				t.Errorf("%s: the example %s does not contain the key", key, example)
			}
			if !strings.Contains(schema, " "+column+" ") {
				t.Errorf("%s: column or table %s does not exist", key, column)
			}
		}
	}
	for above, names := range documented {
		sameSet(t, "keys in "+above, unique(names), knownKeys(t, above))
	}
}

// queueOf parses a queue with one key.
func queueOf(t *testing.T, example string) workqueue.Queue {
	t.Helper()
	queues, findings := decodeQueues(t, fmt.Sprintf("{%s}", example))
	if len(findings) > 0 || len(queues) != 1 {
		t.Errorf("%s: %v", example, findings)
		return workqueue.Queue{}
	}
	return queues[0]
}

func decodeQueues(t *testing.T, policy string) ([]workqueue.Queue, strictyaml.Findings) {
	t.Helper()
	node, findings := strictyaml.Parse("botwork.yaml", []byte("queues: {q: "+policy+"}"))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	return queuedefs.Decode(node.Get("queues"), nil)
}

// knownKeys returns the keys that a mapping may have, from the error about an unknown
// key.
func knownKeys(t *testing.T, above string) []string {
	t.Helper()
	policy := "{qqqqqqqqqqqqqqqqqq: 1}"
	if above != "" {
		for _, key := range slices.Backward(strings.Split(above, ".")) {
			policy = "{" + key + ": " + policy + "}"
		}
	}
	_, findings := decodeQueues(t, policy)
	for _, f := range findings {
		if list, ok := strings.CutPrefix(f.Hint, "valid keys: "); ok {
			return strings.Split(list, ", ")
		}
	}
	t.Errorf("no finding lists the keys of %q: %v", above, findings)
	return nil
}

func unique(names []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(names)))
}
