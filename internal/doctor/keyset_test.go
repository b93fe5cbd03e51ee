package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"botwork/internal/keyring"
)

func TestKeyset(t *testing.T) {
	keys, err := keyring.New()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "keyset.json")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	check := func(k Keyset) Result { return New(Options{Keyset: k}).keyset(t.Context())[0] }
	wantResult(t, "none", check(Keyset{}), OK, "name none")
	wantResult(t, "unusable", check(Keyset{Named: true, Error: errors.New("the keyset is not JSON")}), Fault, "not JSON", "botwork keys list")
	wantResult(t, "in a variable", check(Keyset{Named: true, Keys: keys}), OK, "1 key, 1 enabled", fmt.Sprint(keys.Keys()[0].ID))
	if runtime.GOOS != "windows" { // on Windows the folder's permissions apply to the file
		wantResult(t, "in a file", check(Keyset{Named: true, Keys: keys, File: file}), OK, file)
	}
	wantResult(t, "missing", check(Keyset{Named: true, Keys: keys, File: file + "x"}), Warning, "cannot determine who may read it")
}

func TestSettingsAndPipelines(t *testing.T) {
	wantResult(t, "no file", New(Options{}).settings(t.Context())[0], Warning, "no botwork.yaml in")
	wantResult(t, "environment", New(Options{File: "/p/botwork.yaml", Environment: "prod"}).settings(t.Context())[0], OK, "/p/botwork.yaml, environment prod")
	wantResult(t, "errors", New(Options{SettingsError: errors.New("a:1:1: x\na:2:1: y")}).settings(t.Context())[0], Fault, "a:1:1", "a:2:1")
	wantResult(t, "zone", New(Options{Timezone: "Europe/Nowhere"}).zoneData(t.Context())[0], Fault, "Europe/Nowhere")
	wantResult(t, "secrets", New(Options{SecretsError: errors.New("secrets.a: the environment variable A is not set")}).secrets(t.Context())[0], Fault, "variable A")
	wantResult(t, "two", New(Options{Secrets: []string{"a", "b"}}).secrets(t.Context())[0], OK, "2 secrets")
	check := func(c PipelineCounts, err error) Result {
		return New(Options{Pipelines: "p", CheckPipelines: func() (PipelineCounts, error) { return c, err }}).pipelines(t.Context())[0]
	}
	wantResult(t, "unreadable", check(PipelineCounts{}, os.ErrPermission), Fault, "permission")
	wantResult(t, "mistakes", check(PipelineCounts{Good: 2, Mistakes: 3, First: "p/x.yaml:1:1"}, nil), Fault, "2 pipelines", "3 errors", "p/x.yaml:1:1")
	broken := PipelineCounts{Good: 2, Mistakes: 3, First: "p/x.yaml:1:1", Broken: []string{"x", "y"}}
	wantResult(t, "broken", check(broken, nil), Fault, "3 errors", "starts without x, y, whose items wait")
	broken.Refused = true
	wantResult(t, "refused", check(broken, nil), Fault, "does not start")
	wantResult(t, "empty", check(PipelineCounts{}, nil), Warning, "0 pipelines")
	wantResult(t, "warnings", check(PipelineCounts{Good: 1, Warnings: 1, First: "p/x.yaml:1:1"}, nil), Warning, "1 warning")
}
