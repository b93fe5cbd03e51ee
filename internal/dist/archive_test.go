package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var (
	someDate  = time.Date(2026, 1, 31, 13, 45, 7, 0, time.UTC)
	someFiles = []file{
		{name: "docs/b.md", data: []byte("text\n")}, {name: "botwork", data: []byte("program"), program: true}, {name: "data/"},
	}
	// The expected entries of both kinds of archive, in this order.
	wantEntries = []string{
		"b-1/botwork -rwxr-xr-x 2026-01-31T13:45:07Z program",
		"b-1/data/ drwxr-xr-x 2026-01-31T13:45:07Z ",
		"b-1/docs/b.md -rw-r--r-- 2026-01-31T13:45:07Z text\n",
	}
)

func entry(name string, mode os.FileMode, at time.Time, data io.Reader) (string, error) {
	text, err := io.ReadAll(data)
	return fmt.Sprintf("%s %s %s %s", name, mode, at.UTC().Format(time.RFC3339Nano), text), err
}

func TestZip(t *testing.T) {
	var b bytes.Buffer
	if err := writeZip(&b, "b-1", someFiles, someDate); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := entry(f.Name, f.Mode(), f.Modified, r)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, text)
	}
	if diff := cmp.Diff(wantEntries, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

func TestTarGz(t *testing.T) {
	var b bytes.Buffer
	if err := writeTarGz(&b, "b-1", someFiles, someDate); err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	if z.Name != "" || !z.ModTime.IsZero() {
		t.Errorf("the gzip header has the name %q and the time %s, want neither", z.Name, z.ModTime)
	}
	var got []string
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "root" || h.Gname != "root" {
			t.Errorf("%s belongs to %d %s, %d %s", h.Name, h.Uid, h.Uname, h.Gid, h.Gname)
		}
		text, err := entry(h.Name, h.FileInfo().Mode(), h.ModTime, r)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, text)
	}
	if diff := cmp.Diff(wantEntries, got); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
}

// TestArchivesDoNotDependOnTheMachine checks that neither the order in which files were
// found nor the machine's time zone changes the archive.
func TestArchivesDoNotDependOnTheMachine(t *testing.T) {
	for name, write := range map[string]func(io.Writer, string, []file, time.Time) error{"zip": writeZip, "tar.gz": writeTarGz} {
		var one, two bytes.Buffer
		other := slices.Clone(someFiles)
		slices.Reverse(other)
		if err := write(&one, "b-1", someFiles, someDate); err != nil {
			t.Fatal(err)
		}
		if err := write(&two, "b-1", other, someDate.In(time.FixedZone("far", 3600))); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Errorf("%s: different bytes for the same files", name)
		}
		if err := write(io.Discard, "b-1", append(other, other[0]), someDate); err == nil || !strings.Contains(err.Error(), "two files are called") {
			t.Errorf("%s with two files of the same name: %v", name, err)
		}
	}
}

func TestSums(t *testing.T) {
	dir := t.TempDir()
	var want string
	for _, name := range []string{"a.zip", "b.tar.gz"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		want += fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(name)), name)
	}
	sums := filepath.Join(dir, "SHA256SUMS")
	if err := writeSums(sums, []string{filepath.Join(dir, "b.tar.gz"), filepath.Join(dir, "a.zip")}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(sums); err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestCRLF(t *testing.T) {
	if got := withCRLF([]byte("a\nb\r\nc")); string(got) != "a\r\nb\r\nc" {
		t.Errorf("got %q", got)
	}
}
