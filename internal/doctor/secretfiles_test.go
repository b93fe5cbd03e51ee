//go:build unix

package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSecretFiles(t *testing.T) {
	dir := t.TempDir()
	var files []SecretFile
	for name, mode := range map[string]os.FileMode{"closed": 0o600, "group": 0o640, "open": 0o644} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("hunter2"), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil { // whatever the umask is
			t.Fatal(err)
		}
		files = append(files, SecretFile{"secrets." + name, path})
	}
	files = append(files, SecretFile{"secrets.gone", filepath.Join(dir, "gone")})
	for _, r := range New(Options{SecretFiles: files}).secretFiles(t.Context()) {
		want := map[string]string{
			"closed": "ok: only the service may read it (secrets.closed)", "group": "ok: only the service may read it (secrets.group)",
			"open": "warning: it can be read by everyone on this machine (its mode is 0644) (secrets.open)",
			"gone": "warning: cannot determine who may read it (secrets.gone)",
		}[filepath.Base(r.About)]
		if got := string(r.State) + ": " + r.Found; !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", r.About, got, want)
		}
		if filepath.Base(r.About) == "open" && !strings.Contains(r.Advice, "chmod 600 "+r.About) {
			t.Errorf("advice = %s", r.Advice)
		}
	}
	if r := New(Options{}).secretFiles(t.Context()); len(r) != 1 || r[0].State != OK {
		t.Errorf("without files: %v", r)
	}
}
