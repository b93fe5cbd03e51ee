package openapitest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"botwork/internal/testgroup"
)

func TestLint(t *testing.T) {
	testgroup.Need(t, testgroup.Npm)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("node is not installed: " + err.Error())
	}
	if _, err := os.Stat(filepath.Join("node_modules", "@redocly", "openapi-core")); err != nil {
		t.Fatal("the linter is not installed: run npm ci in internal/tests/openapitest")
	}
	lint := func(document string) (string, error) {
		out, err := exec.CommandContext(t.Context(), node, "lint.mjs", document).CombinedOutput()
		return string(out), err
	}
	document := filepath.Join("..", "..", "api", "openapi.json")
	if out, err := lint(document); err != nil {
		t.Errorf("%v\n%s", err, out)
	}

	// It finds what would be wrong.
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	for rule, change := range map[string][2]string{
		"operation-operationId-unique": {`"operationId": "items-cancel"`, `"operationId": "items-get"`},
		"operation-summary":            {`"summary": "Cancel an item"`, `"x-summary": "Cancel an item"`},
		"tag-description":              {`"description": "API tokens"`, `"x-description": "API tokens"`},
	} {
		if n := strings.Count(string(text), change[0]); n != 1 {
			t.Fatalf("the document has %s %d times, want once", change[0], n)
		}
		broken := filepath.Join(t.TempDir(), "openapi.json")
		if err := os.WriteFile(broken, []byte(strings.Replace(string(text), change[0], change[1], 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := lint(broken); err == nil || !strings.Contains(out, rule) {
			t.Errorf("%s: got %v and the output\n%s", rule, err, out)
		}
	}
}
