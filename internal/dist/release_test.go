package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"botwork/internal/testgroup"
)

var flags = []string{"-version", "v1.2.3", "-commit", "0123456789abcdef0123456789abcdef01234567", "-date", "2026-01-31T14:45:07+01:00"}

// TestReproducible checks that the same sources give the same bytes, also in another
// folder and without git.
func TestReproducible(t *testing.T) {
	testgroup.Need(t, testgroup.Processes)
	if runtime.GOOS != "linux" {
		t.Skip("the systemd unit is created on Linux")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "elsewhere", "a copy")
	copySources(t, root, copied)
	var sums []string
	var archive []byte
	for _, folder := range []string{root, copied} {
		t.Chdir(folder)
		out := t.TempDir()
		args := append(slices.Clone(flags), "-out", out, "-platforms", runtime.GOOS+"/"+runtime.GOARCH)
		if err := run(t.Context(), args); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(out, "botwork-v1.2.3-"+runtime.GOOS+"-"+runtime.GOARCH+".tar.gz")
		if archive, err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
		sums = append(sums, fmt.Sprintf("%x", sha256.Sum256(archive)))
		listed, err := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
		if want := sums[len(sums)-1] + "  " + filepath.Base(path) + "\n"; err != nil || string(listed) != want {
			t.Errorf("SHA256SUMS holds %q, %v, want %q", listed, err, want)
		}
	}
	if sums[0] != sums[1] {
		t.Errorf("the same sources gave %s and %s", sums[0], sums[1])
	}
	tryArchive(t, archive)
}

// copySources copies the files that git lists, in their current state.
func copySources(t *testing.T, from, to string) {
	t.Helper()
	git := exec.CommandContext(t.Context(), "git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	git.Dir = from
	out, err := git.Output()
	if err != nil {
		t.Skipf("git cannot list the sources: %v", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(from, name))
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted, but still in git's index
		}
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(to, name), string(data))
	}
}

// mostProgram limits the size of the program in an archive, in bytes. The HTTP API, with OpenAPI,
// OpenID Connect and Prometheus, takes about six million of them; the pages with their editor, the forecast
// and the traces took the program from 49 to 54.8 million.
const mostProgram = 56_000_000

// tryArchive unpacks an archive and uses it as its README describes.
func tryArchive(t *testing.T, archive []byte) {
	t.Helper()
	dir := unpack(t, archive)
	for _, name := range []string{"README.txt", "NOTICES.txt", "botwork.yaml", "pipelines/hello.yaml", "schemas/pipeline.schema.json", "botwork.service", "docs/doctor.md", "docs/cli/items.md",
		"sql/postgres/operators/05_requeue_item.sql"} {
		if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "botwork")); err != nil {
		t.Error(err)
	} else if info.Size() > mostProgram {
		t.Errorf("the program has %d bytes, want at most %d: find large symbols with go tool nm -size -sort size on a binary that is not stripped", info.Size(), mostProgram)
	}
	botwork := func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "botwork"), args...)
		cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("botwork %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	const version = "botwork v1.2.3 (commit 0123456789ab, 2026-01-31T13:45:07Z)"
	if out := botwork("version"); !strings.HasPrefix(out, version) {
		t.Errorf("botwork version: %q, want %q", out, version)
	}
	botwork("enqueue", "--pipeline", "hello", "--payload-file", "hello.json")
	botwork("run", "--once", "ExecuteWorkQueue")
	if out := botwork("items", "list"); !strings.Contains(out, "Succeeded") {
		t.Errorf("the item was not processed:\n%s", out)
	}
	if out := botwork("doctor"); !strings.Contains(out, "0 faults") {
		t.Errorf("botwork doctor:\n%s", out)
	}
}

// unpack returns the path of the archive's own folder.
func unpack(t *testing.T, archive []byte) string {
	t.Helper()
	to := t.TempDir()
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	top := ""
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return filepath.Join(to, top)
		}
		if err != nil {
			t.Fatal(err)
		}
		top, _, _ = strings.Cut(h.Name, "/")
		path := filepath.Join(to, filepath.FromSlash(h.Name))
		if h.Typeflag == tar.TypeDir {
			if err := os.MkdirAll(path, 0o755); err != nil {
				t.Fatal(err)
			}
			continue
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, string(data))
		if err := os.Chmod(path, h.FileInfo().Mode()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFlags(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"now"}, `got the argument "now"`},
		{[]string{"-date", "yesterday"}, `-date: got "yesterday"`},
		{[]string{"-version", "a/b", "-commit", "1", "-date", "2026-01-31T14:45:07Z"}, `the version "a/b"`},
		{append(slices.Clone(flags), "-platforms", "linux"), `got the platform "linux"`},
		{append(slices.Clone(flags), "-platforms", "plan9/amd64"), "plan9/amd64: "},
	} {
		if err := run(context.Background(), append(tt.args, "-out", t.TempDir())); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.args, err, tt.want)
		}
	}
}

// TestOwnFiles checks the files for other systems as far as possible here: they must be
// plain ASCII, which old shells read without further settings, and the README must not
// name missing files.
func TestOwnFiles(t *testing.T) {
	r := release{version: "v1.2.3"}
	for _, system := range []string{"windows", "linux"} {
		files, err := r.archiveFiles(platform{os: system})
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", system, files, err)
		}
		for _, f := range files {
			if at := regexp.MustCompile(`[^\n\x20-\x7e]`).FindIndex(f.data); at != nil {
				t.Errorf("%s/%s holds %q at %d, want plain ASCII", system, f.name, f.data[at[0]:at[1]], at[0])
			}
			if bytes.Contains(f.data, []byte("{{")) {
				t.Errorf("%s/%s contains a placeholder that was not replaced", system, f.name)
			}
		}
	}
}
