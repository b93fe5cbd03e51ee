package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"botwork/cmd"
)

//go:embed files
var ownFiles embed.FS

// notShipped are files of a new project that an archive replaces or does not need.
var notShipped = []string{"README.md", ".gitignore"}

// contents returns the files of one platform's archive.
func (r *release) contents(ctx context.Context, p platform, scratch string) ([]file, error) {
	program, err := r.build(ctx, p, scratch)
	if err != nil {
		return nil, err
	}
	files := []file{{name: p.program(), data: program, program: true}}
	text, err := notices(ctx, p)
	if err != nil {
		return nil, err
	}
	files = append(files, file{name: "NOTICES.txt", data: text})
	for _, more := range []func() ([]file, error){
		func() ([]file, error) { return project(ctx, scratch) },
		func() ([]file, error) { return written(ctx, filepath.Join(scratch, "schemas"), "schema", "--dir") },
		documents,
		func() ([]file, error) { return r.archiveFiles(p) },
		func() ([]file, error) { return unit(ctx, p) },
	} {
		found, err := more()
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	for i, f := range files {
		if p.os == "windows" && slices.Contains([]string{".txt", ".ps1"}, path.Ext(f.name)) {
			files[i].data = withCRLF(f.data)
		}
	}
	return files, nil
}

// project returns the files that `botwork init` writes.
func project(ctx context.Context, scratch string) ([]file, error) {
	files, err := written(ctx, filepath.Join(scratch, "project"), "init")
	if err != nil {
		return nil, err
	}
	for i := range files {
		files[i].name = strings.TrimPrefix(files[i].name, "project/")
	}
	files = slices.DeleteFunc(files, func(f file) bool { return slices.Contains(notShipped, f.name) })
	// The pipeline writes into this folder. It is empty, so the list of files does not
	// contain it.
	return append(files, file{name: "data/"}), nil
}

// written runs a command of the program that writes into the folder given as its last
// argument. It returns the files, with paths below the folder's name.
func written(ctx context.Context, folder string, command ...string) ([]file, error) {
	if _, err := botwork(ctx, append(command, folder)...); err != nil {
		return nil, err
	}
	var files []file
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(filepath.Dir(folder), path)
		files = append(files, file{name: filepath.ToSlash(name), data: data})
		return err
	})
	return files, err
}

// unit returns the systemd unit that `botwork service install` writes for the paths in
// the README.
func unit(ctx context.Context, p platform) ([]file, error) {
	if p.os != "linux" {
		return nil, nil
	}
	text, err := botwork(ctx, "service", "install", "--print", "--executable", "/opt/botwork/botwork", "--config", "/var/lib/botwork/botwork.yaml")
	return []file{{name: "botwork.service", data: text}}, err
}

// botwork runs a command line of the program in this process and returns its output.
func botwork(ctx context.Context, args ...string) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	if code := cmd.Run(ctx, args, strings.NewReader(""), &stdout, &stderr, nil); code != 0 {
		return nil, fmt.Errorf("botwork %s: exit code %d\n%s", strings.Join(args, " "), code, stderr.Bytes())
	}
	return stdout.Bytes(), nil
}

// documents returns the documents of the module and the files that they link to.
func documents() ([]file, error) {
	var files []file
	for _, pattern := range []string{
		"docs/*.md", "docs/*/*.md", "docs/pictures/*.png", "sql/README.md", "sql/*/migrations/*.sql", "sql/*/operators/*.sql", "CHANGELOG.md",
	} {
		paths, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil {
			return nil, err
		}
		if len(paths) == 0 {
			return nil, fmt.Errorf("no file matches %s: run this command in the module's folder", pattern)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			files = append(files, file{name: filepath.ToSlash(path), data: data})
		}
	}
	return files, nil
}

// archiveFiles returns the files that exist only in an archive, with the version filled
// in.
func (r *release) archiveFiles(p platform) ([]file, error) {
	entries, err := fs.ReadDir(ownFiles, "files/"+p.os)
	if err != nil {
		return nil, fmt.Errorf("no files for %s: %w", p.os, err)
	}
	var files []file
	for _, e := range entries {
		data, err := ownFiles.ReadFile("files/" + p.os + "/" + e.Name())
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: e.Name(), data: bytes.ReplaceAll(data, []byte("{{version}}"), []byte(r.version))})
	}
	return files, nil
}

// withCRLF converts line endings to CRLF, which older programs on Windows need.
func withCRLF(text []byte) []byte {
	return bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
}
