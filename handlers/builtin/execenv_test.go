package builtin

import (
	"slices"
	"strings"
	"testing"

	"botwork/handlers"
)

func TestExecInheritsNoSecretVariables(t *testing.T) {
	t.Setenv("PGDSN", "postgres://bot:hunter2@db/work")
	t.Setenv("PGDSN_OTHER", "stays")
	h, err := execKind(Resources{SecretEnv: []string{"PGDSN"}}).Build(map[string]any{"program": "x", "env": map[string]any{"GIVEN": "by the step"}})
	if err != nil {
		t.Fatal(err)
	}
	env := h.(*execStep).environment(&handlers.Call{})
	if slices.ContainsFunc(env, func(pair string) bool { return strings.Contains(pair, "hunter2") }) {
		t.Errorf("the program inherits the variable: %q", env)
	}
	for _, pair := range []string{"PGDSN_OTHER=stays", "GIVEN=by the step"} {
		if !slices.Contains(env, pair) {
			t.Errorf("environment = %q, want %s in it", env, pair)
		}
	}
}
