package keys_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	keyscmd "botwork/cmd/keys"

	"botwork/cmd/internal/cli"
	"botwork/cmd/internal/clitest"
	"botwork/internal/keyring"
)

// keysetIn reads a keyset like a worker.
func keysetIn(t *testing.T, path string) *keyring.Keyring {
	t.Helper()
	k, err := keyring.Parse(clitest.ReadFile(t, path))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// ids lists a keyset's keys, the primary one with a star.
func ids(k *keyring.Keyring) []string {
	var list []string
	for _, key := range k.Keys() {
		id := strconv.FormatUint(uint64(key.ID), 10)
		if key.Primary {
			id += "*"
		}
		list = append(list, id)
	}
	return list
}

// wantNoKey fails if the output contains a key of the keyset.
func wantNoKey(t *testing.T, k *keyring.Keyring, said string) {
	t.Helper()
	for _, material := range k.Material() {
		if len(material) < 40 {
			t.Fatalf("key material = %q, want the whole of it", material)
		}
		for i := 0; i+8 <= len(material); i++ {
			if strings.Contains(said, material[i:i+8]) {
				t.Fatalf("this shows a key:\n%s", said)
			}
		}
	}
}

// wantFiles checks the files in a folder: no temporary files may remain.
func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	if !slices.Equal(names, want) {
		t.Errorf("files = %q, want %q", names, want)
	}
}

func TestKeysNew(t *testing.T) {
	t.Chdir(t.TempDir())
	out := clitest.Must(t, "keys", "new", "--out", "keyset.json")
	k := keysetIn(t, "keyset.json")
	wantNoKey(t, k, out)
	abs, err := filepath.Abs("keyset.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"wrote keyset.json with key " + strings.TrimSuffix(ids(k)[0], "*"), "encryption: {keyset: {file: " + abs + "}}", "Keep a copy"} {
		if !strings.Contains(out, text) {
			t.Errorf("it lacks %q:\n%s", text, out)
		}
	}
	if info, err := os.Stat("keyset.json"); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("keyset.json: %v, %v; want mode 0600", info.Mode(), err)
	}

	before := clitest.ReadFile(t, "keyset.json")
	clitest.Do(t, "keys", "new", "--out", "keyset.json").WantFailure(t, cli.ExitFailed, "keyset.json already exists; nothing was written")
	if clitest.ReadFile(t, "keyset.json") != before {
		t.Error("keys new has overwritten a keyset")
	}
	clitest.Do(t, "keys", "new", "--out", "nowhere/keyset.json").WantFailure(t, cli.ExitFailed, "nowhere")
	clitest.Do(t, "keys", "new", "--out", "").WantFailure(t, cli.ExitUsage, "--out: got an empty path")
	clitest.Do(t, "keys", "new", "keyset.json").WantFailure(t, cli.ExitUsage, `got the argument "keyset.json"`)
	wantFiles(t, ".", "keyset.json")
}

func TestKeysNewToStandardOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	r := clitest.Do(t, "keys", "new")
	k, err := keyring.Parse(r.Stdout)
	if err != nil || r.Code != cli.ExitDone || strings.Count(r.Stdout, "\n") != 1 {
		t.Fatalf("exit code %d, %v; want a keyset on one line and nothing else:\n%s", r.Code, err, r.Stdout)
	}
	wantNoKey(t, k, r.Stderr)
	if !strings.Contains(r.Stderr, "BOTWORK_ENCRYPTION_KEYSET") {
		t.Errorf("it does not print where to store the key:\n%s", r.Stderr)
	}
	wantFiles(t, ".")
}

func TestKeysRotateAtOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Must(t, "keys", "new", "--out", "keyset.json")
	if err := os.Chmod("keyset.json", 0o640); err != nil {
		t.Fatal(err)
	}
	before := keysetIn(t, "keyset.json")
	sealed, err := before.Seal("text", "place")
	if err != nil {
		t.Fatal(err)
	}
	out := clitest.Must(t, "keys", "rotate", "keyset.json")
	after := keysetIn(t, "keyset.json")
	wantNoKey(t, after, out)
	if list := ids(after); len(list) != 2 || list[0]+"*" != ids(before)[0] || !strings.HasSuffix(list[1], "*") {
		t.Errorf("keys = %q, want the old one %q, then a primary one", list, ids(before))
	}
	if opened, err := after.Open(sealed, "place"); err != nil || opened != "text" {
		t.Errorf("the rotated keyset opens %q, %v", opened, err)
	}
	if !strings.Contains(out, "Stop all workers") {
		t.Errorf("it does not warn of workers with the old keyset:\n%s", out)
	}
	if info, err := os.Stat("keyset.json"); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o640 {
		t.Errorf("keyset.json: %v, %v; want mode 0640 as before", info.Mode(), err)
	}
	wantFiles(t, ".", "keyset.json")
}

func TestKeysRotateInTwoSteps(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Must(t, "keys", "new", "--out", "keyset.json")
	clitest.WriteFile(t, "botwork.yaml", "encryption: {keyset: {file: keyset.json}}\n")
	old := ids(keysetIn(t, "keyset.json"))[0]
	clitest.Do(t, "keys", "rotate", "--promote").WantFailure(t, cli.ExitFailed, "no key has been added since the last rotation; add one with --add")

	out := clitest.Must(t, "keys", "rotate", "--add") // of the settings' file
	added := ids(keysetIn(t, "keyset.json"))
	if len(added) != 2 || added[0] != old || strings.HasSuffix(added[1], "*") {
		t.Errorf("keys = %q, want %q still the primary one", added, old)
	}
	if !strings.Contains(out, "keys rotate --promote\n") || !strings.Contains(out, "does not encrypt yet") {
		t.Errorf("it does not print the second step:\n%s", out)
	}
	if list := clitest.Must(t, "keys", "list"); !strings.Contains(list, "Key "+added[1]+" does not encrypt yet") {
		t.Errorf("keys list does not show the key that is not primary yet:\n%s", list)
	}
	for _, args := range [][]string{{"--add"}, {}} {
		clitest.Do(t, append([]string{"keys", "rotate"}, args...)...).WantFailure(t, cli.ExitFailed, "key "+added[1]+": a key was added before and is not in use yet")
	}

	clitest.Must(t, "keys", "rotate", "--promote", "keyset.json")
	if promoted := ids(keysetIn(t, "keyset.json")); !slices.Equal(promoted, []string{strings.TrimSuffix(old, "*"), added[1] + "*"}) {
		t.Errorf("keys = %q, want %q the primary one", promoted, added[1])
	}
	if out := clitest.Must(t, "keys", "rotate", "--add", "keyset.json"); !strings.Contains(out, "keys rotate --promote keyset.json\n") {
		t.Errorf("the second step lacks the file:\n%s", out)
	}
	clitest.Do(t, "keys", "rotate", "--add", "--promote").WantFailure(t, cli.ExitUsage, "two steps, want one of them")
	wantFiles(t, ".", "botwork.yaml", "keyset.json")
}

func TestKeysRotateFromStandardInput(t *testing.T) {
	t.Chdir(t.TempDir())
	old := clitest.Must(t, "keys", "new")
	r := clitest.DoWith(t, old, nil, "keys", "rotate", "--add", "-")
	k, err := keyring.Parse(r.Stdout)
	if err != nil || r.Code != cli.ExitDone || len(k.Keys()) != 2 {
		t.Fatalf("exit code %d, %v; it printed\n%s%s", r.Code, err, r.Stdout, r.Stderr)
	}
	wantNoKey(t, k, r.Stderr)
	if !strings.Contains(r.Stderr, "the second step is:") {
		t.Errorf("it does not print the next step:\n%s", r.Stderr)
	}
	r = clitest.DoWith(t, r.Stdout[:60], nil, "keys", "rotate", "-")
	r.WantFailure(t, cli.ExitUsage, "standard input: the keyset is not JSON, or is truncated")
	if r.Stdout != "" {
		t.Errorf("it printed %q", r.Stdout)
	}
}

// The command does not change files that it cannot or must not change.
func TestKeysRotateErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Must(t, "keys", "new", "--out", "keyset.json")
	text := clitest.ReadFile(t, "keyset.json")
	inPlace := []string{"BOTWORK_ENCRYPTION_KEYSET=" + text}

	clitest.Do(t, "keys", "rotate").WantFailure(t, cli.ExitUsage, "the settings name no keyset (encryption.keyset), and no FILE was given", "keys new --out FILE")
	clitest.DoWith(t, "", inPlace, "keys", "rotate", "--add").WantFailure(t, cli.ExitUsage,
		"the keyset is in the environment variable BOTWORK_ENCRYPTION_KEYSET", "keys rotate --add -` and replace it with the output")
	clitest.WriteFile(t, "botwork.yaml", "encryption: {keyset: {env: KEYS}}\n")
	clitest.DoWith(t, "", []string{"KEYS=" + text}, "keys", "rotate").WantFailure(t, cli.ExitUsage, "the environment variable KEYS")
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	clitest.WriteFile(t, "botwork.yaml", "encryption: {keyset: "+string(quoted)+"}\n")
	clitest.Do(t, "keys", "rotate").WantFailure(t, cli.ExitUsage, "the settings' file itself")
	clitest.Do(t, "keys", "rotate", "gone.json").WantFailure(t, cli.ExitFailed, "gone.json")

	clitest.WriteFile(t, "broken.json", text[:len(text)/2])
	r := clitest.Do(t, "keys", "rotate", "broken.json")
	r.WantFailure(t, cli.ExitUsage, "broken.json: the keyset is not JSON, or is truncated")
	wantNoKey(t, keysetIn(t, "keyset.json"), r.Stderr)
	if clitest.ReadFile(t, "broken.json") != text[:len(text)/2] {
		t.Error("a file that is no keyset was changed")
	}
	clitest.WriteFile(t, "big.json", text+strings.Repeat(" ", 64<<10))
	clitest.Do(t, "keys", "rotate", "big.json").WantFailure(t, cli.ExitUsage, "big.json: is bigger than 64 KiB")

	clitest.WriteFile(t, "keyset.json.new", "another rotation's")
	clitest.Do(t, "keys", "rotate", "keyset.json").WantFailure(t, cli.ExitFailed, "keyset.json.new exists: another rotation is running, or one was interrupted")
	if clitest.ReadFile(t, "keyset.json") != text || clitest.ReadFile(t, "keyset.json.new") != "another rotation's" {
		t.Error("a rejected rotation has changed a file")
	}
	wantFiles(t, ".", "big.json", "botwork.yaml", "broken.json", "keyset.json", "keyset.json.new")
}

func TestKeysRotateRejectsLargeKeyset(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Must(t, "keys", "new", "--out", "keyset.json")
	k := keysetIn(t, "keyset.json")
	text, err := keyscmd.KeysetText(k)
	for err == nil {
		clitest.WriteFile(t, "keyset.json", string(text))
		if k, err = k.Rotate(); err == nil {
			text, err = keyscmd.KeysetText(k)
		}
	}
	last := clitest.ReadFile(t, "keyset.json")
	clitest.Do(t, "keys", "rotate", "keyset.json").WantFailure(t, cli.ExitFailed, "bigger than 64 KiB, which is the maximum at the start")
	if clitest.ReadFile(t, "keyset.json") != last || len(keysetIn(t, "keyset.json").Keys()) < 100 {
		t.Error("a rejected rotation has changed the file, or was rejected too early")
	}
	wantFiles(t, ".", "keyset.json")
}

func TestKeysList(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Must(t, "keys", "new", "--out", "keyset.json")
	clitest.Must(t, "keys", "rotate", "keyset.json")
	k := keysetIn(t, "keyset.json")
	want := k.Keys()
	environ := []string{"BOTWORK_ENCRYPTION_KEYSET=" + clitest.ReadFile(t, "keyset.json")}
	for name, r := range map[string]clitest.Result{
		"a file":         clitest.Do(t, "keys", "list", "keyset.json", "-o", "json"),
		"the settings":   clitest.DoWith(t, "", environ, "keys", "list", "-o", "json"),
		"standard input": clitest.DoWith(t, clitest.ReadFile(t, "keyset.json"), nil, "keys", "list", "-", "-o", "json"),
	} {
		if got := clitest.Decode[[]keyring.Key](t, r.Stdout); !slices.Equal(got, want) {
			t.Errorf("%s: keys = %+v, want %+v", name, got, want)
		}
		wantNoKey(t, k, r.Stdout+r.Stderr)
	}
	table := clitest.Must(t, "keys", "list", "keyset.json")
	wantNoKey(t, k, table)
	for _, pattern := range []string{
		`(?m)^ID +TYPE +STATUS +PRIMARY +TEXTS BEGIN$`,
		`(?m)^` + strconv.FormatUint(uint64(want[0].ID), 10) + ` +AesGcmKey +enabled +` + regexp.QuoteMeta(want[0].TextsBegin) + `$`,
		`(?m)^` + strconv.FormatUint(uint64(want[1].ID), 10) + ` +AesGcmKey +enabled +yes +` + regexp.QuoteMeta(want[1].TextsBegin) + `$`,
	} {
		if !regexp.MustCompile(pattern).MatchString(table) {
			t.Errorf("the table lacks %s:\n%s", pattern, table)
		}
	}
	clitest.Do(t, "keys", "list").WantFailure(t, cli.ExitUsage, "the settings name no keyset")
	clitest.Do(t, "keys", "list", "gone.json").WantFailure(t, cli.ExitFailed, "gone.json")
	clitest.WriteFile(t, "hmac.json", strings.ReplaceAll(clitest.ReadFile(t, "keyset.json"), "AesGcmKey", "HmacKey"))
	r := clitest.Do(t, "keys", "list", "hmac.json")
	r.WantFailure(t, cli.ExitUsage, "hmac.json: key "+strconv.FormatUint(uint64(want[0].ID), 10)+" is not an AEAD key")
	wantNoKey(t, k, r.Stderr)
}

func TestPathsInSettings(t *testing.T) {
	for path, want := range map[string]string{
		"/etc/botwork/keyset.json": "/etc/botwork/keyset.json", `C:\keys\keyset.json`: `C:\keys\keyset.json`,
		"/srv/my keys/a,b.json": "'/srv/my keys/a,b.json'", "/srv/ada's/keys": "'/srv/ada''s/keys'",
	} {
		if got := keyscmd.InYAML(path); got != want {
			t.Errorf("inYAML(%s) = %s, want %s", path, got, want)
		}
	}
}
