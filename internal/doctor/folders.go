package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// folders reports whether the folder of pipelines is readable, and whether those of the handlers
// and of the log are writable.
func (d *Doctor) folders(context.Context) []Result {
	results := []Result{d.folder(d.o.Pipelines, "pipelines.dir", "readable", d.readable(d.o.Pipelines))}
	for _, folder := range d.o.Folders {
		results = append(results, d.folder(folder, "handlers.folders", "writable", d.writable(folder)))
	}
	if d.o.Log != "" {
		// A worker creates the folder of its log.
		r := d.folder(d.o.Log, "log.file", "writable", d.writable(existing(d.o.Log)))
		if r.State == Fault {
			r.State = Warning // the worker runs without a log
		}
		results = append(results, r)
	}
	return results
}

// folder returns the result for one folder from the error, if any.
func (d *Doctor) folder(path, setting, can string, err error) Result {
	r := Result{State: OK, About: path}
	r.Found = fmt.Sprintf("%s%s (%s)", can, d.forWhom(), setting)
	if err == nil {
		return r
	}
	r.State, r.Found = Fault, fmt.Sprintf("not %s%s (%s): %v", can, d.forWhom(), setting, err)
	switch {
	case errors.Is(err, errUnknown):
		r = unknownResult(err)
		r.About = path
	case errors.Is(err, fs.ErrNotExist):
		r.Advice = "create the folder, or correct the path: a relative path is relative to the folder of the settings file"
	case isReadOnly(err):
		r.Advice = "the file system is mounted read-only: mount it for writing, or move the folder"
	default:
		r.Advice = fmt.Sprintf("allow %s to use it", d.whom())
	}
	return r
}

// unknownResult is the result if permissions alone are not enough to decide.
func unknownResult(err error) Result {
	return Result{State: Warning, Found: err.Error(), Advice: "run this command as that account, to try it"}
}

func (d *Doctor) whom() string {
	if d.account.name != "" {
		return d.account.name
	}
	return "the account that runs this"
}

func (d *Doctor) forWhom() string {
	if d.account.name != "" {
		return " for " + d.account.name
	}
	return ""
}

// readable returns nil if the folder can be listed.
func (d *Doctor) readable(folder string) error {
	if d.account.name != "" {
		return d.account.mayUse(folder, toRead)
	}
	_, err := os.ReadDir(folder)
	return err
}

// writable returns nil if files can be created in the folder.
func (d *Doctor) writable(folder string) error {
	if d.account.name != "" {
		return d.account.mayUse(folder, toWrite)
	}
	return tryFile(folder)
}

// tryFile creates a file in a folder and removes it. Only that is reliable, because modes, access
// control lists, quotas and mounts all matter.
func tryFile(folder string) error {
	info, err := os.Stat(folder)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is a file, want a folder", folder)
	}
	f, err := os.CreateTemp(folder, ".botwork-doctor-*")
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("cannot create a file in %s: %w", folder, path.Err) // without the random file name
	}
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// existing returns the path, or the nearest folder above it that exists.
func existing(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || filepath.Dir(path) == path {
			return path
		}
		path = filepath.Dir(path)
	}
}
