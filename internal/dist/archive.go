package main

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// file is one file of an archive.
type file struct {
	name    string // with slashes, relative to the archive's own folder; a slash at the end marks a folder
	data    []byte
	program bool // executable
}

func (f file) mode() int64 {
	if f.program || f.folder() {
		return 0o755
	}
	return 0o644
}

func (f file) folder() bool { return strings.HasSuffix(f.name, "/") }

// sorted sorts files by name, so that the archive does not depend on the order in which
// they were found. Two files with the same name are an error.
func sorted(files []file) ([]file, error) {
	files = slices.Clone(files)
	slices.SortFunc(files, func(x, y file) int { return cmp.Compare(x.name, y.name) })
	for i := 1; i < len(files); i++ {
		if files[i].name == files[i-1].name {
			return nil, fmt.Errorf("two files are called %s", files[i].name)
		}
	}
	return files, nil
}

// writeZip writes files below the folder, all with the same date.
func writeZip(w io.Writer, folder string, files []file, date time.Time) error {
	files, err := sorted(files)
	if err != nil {
		return err
	}
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, f := range files {
		header := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: date.UTC()}
		mode := os.FileMode(f.mode())
		if f.folder() {
			header.Method, mode = zip.Store, mode|os.ModeDir
		}
		header.SetMode(mode)
		to, err := z.CreateHeader(header)
		if err == nil {
			_, err = to.Write(f.data)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return z.Close()
}

// writeTarGz writes files below the folder, all with the same date and owned by root.
func writeTarGz(w io.Writer, folder string, files []file, date time.Time) error {
	files, err := sorted(files)
	if err != nil {
		return err
	}
	compressed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	compressed.OS = 255 // "unknown", so that the bytes do not depend on the building system
	t := tar.NewWriter(compressed)
	for _, f := range files {
		kind := byte(tar.TypeReg)
		if f.folder() {
			kind = tar.TypeDir
		}
		err := t.WriteHeader(&tar.Header{
			Typeflag: kind, Name: folder + "/" + f.name, Size: int64(len(f.data)), Mode: f.mode(),
			ModTime: date.UTC(), Uname: "root", Gname: "root", Format: tar.FormatUSTAR,
		})
		if err == nil {
			_, err = t.Write(f.data)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return errors.Join(t.Close(), compressed.Close())
}

// writeSums writes the hashes of archives in the format that `sha256sum --check` reads.
func writeSums(path string, archives []string) error {
	var lines []string
	for _, archive := range archives {
		data, err := os.ReadFile(archive)
		if err != nil {
			return err
		}
		lines = append(lines, fmt.Sprintf("%x  %s\n", sha256.Sum256(data), filepath.Base(archive)))
	}
	slices.SortFunc(lines, func(x, y string) int { return strings.Compare(x[64:], y[64:]) })
	return os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644)
}
