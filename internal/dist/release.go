package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// release has the values that are the same in all archives of one commit.
type release struct {
	version string    // such as v1.2.3
	commit  string    // the full hash
	date    time.Time // the date of the commit, which all files in the archives get
}

// complete asks git for the values that the flags do not set.
func (r *release) complete(ctx context.Context) error {
	const hint = "without git, give -version, -commit and -date"
	if r.version == "" {
		out, err := output(ctx, nil, "git", "describe", "--tags", "--always", "--dirty")
		if err != nil {
			return fmt.Errorf("%w; %s", err, hint)
		}
		r.version = out
	}
	if r.commit == "" {
		out, err := output(ctx, nil, "git", "rev-parse", "HEAD")
		if err != nil {
			return fmt.Errorf("%w; %s", err, hint)
		}
		r.commit = out
	}
	if r.date.IsZero() {
		out, err := output(ctx, nil, "git", "log", "-1", "--format=%cI", r.commit)
		if err != nil {
			return fmt.Errorf("%w; %s", err, hint)
		}
		if r.date, err = time.Parse(time.RFC3339, out); err != nil {
			return fmt.Errorf("the date of commit %s: %w", r.commit, err)
		}
	}
	r.date = r.date.UTC().Truncate(time.Second) // archives store seconds
	if strings.ContainsAny(r.version, `/\ `) {
		return fmt.Errorf("the version %q is part of file names: want no slashes and spaces", r.version)
	}
	return nil
}

// platform is an operating system and an architecture, as Go names them.
type platform struct{ os, arch string }

func parsePlatform(name string) (platform, error) {
	p := platform{}
	var ok bool
	if p.os, p.arch, ok = strings.Cut(strings.TrimSpace(name), "/"); !ok || p.os == "" || p.arch == "" {
		return p, fmt.Errorf("got the platform %q, want one such as linux/amd64", name)
	}
	return p, nil
}

// program returns the file name of the program.
func (p platform) program() string {
	if p.os == "windows" {
		return "botwork.exe"
	}
	return "botwork"
}

// environment fixes the variables that could make the build differ between machines.
func (p platform) environment() []string {
	return append(os.Environ(),
		"GOOS="+p.os, "GOARCH="+p.arch, "CGO_ENABLED=0", "GOFLAGS=-trimpath -buildvcs=false -mod=readonly", "GOWORK=off",
		"GOAMD64=v1", "GOARM64=v8.0", "GOEXPERIMENT=", "GOFIPS140=off", "GODEBUG=")
}

// make writes the archive of one platform and returns its path.
func (r *release) make(ctx context.Context, p platform, out string) (path string, err error) {
	name := fmt.Sprintf("botwork-%s-%s-%s", r.version, p.os, p.arch)
	scratch, err := os.MkdirTemp("", "botwork-dist")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	files, err := r.contents(ctx, p, scratch)
	if err != nil {
		return "", err
	}
	var archive bytes.Buffer
	extension, write := ".tar.gz", writeTarGz
	if p.os == "windows" {
		extension, write = ".zip", writeZip
	}
	if err := write(&archive, name, files, r.date); err != nil {
		return "", err
	}
	path = filepath.Join(out, name+extension)
	if err := os.WriteFile(path, archive.Bytes(), 0o644); err != nil {
		return "", err
	}
	fmt.Printf("%s: %d files, %.1f MB\n", path, len(files), float64(archive.Len())/1e6)
	return path, nil
}

// build compiles the program and returns the binary.
func (r *release) build(ctx context.Context, p platform, scratch string) ([]byte, error) {
	to := filepath.Join(scratch, p.program())
	flags := fmt.Sprintf("-s -w -buildid= -X botwork/cmd/version.version=%s -X botwork/cmd/version.commit=%s -X botwork/cmd/version.date=%s",
		r.version, r.commit, r.date.Format(time.RFC3339))
	if _, err := output(ctx, p.environment(), "go", "build", "-ldflags", flags, "-o", to, "./cmd/botwork"); err != nil {
		return nil, err
	}
	return os.ReadFile(to)
}

// output runs a program and returns its trimmed output. The error includes the error
// output of the program.
func output(ctx context.Context, environ []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = environ
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("%s %s: %w\n%s", name, args[0], err, bytes.TrimSpace(exit.Stderr))
	}
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, args[0], err)
	}
	return strings.TrimSpace(string(out)), nil
}
