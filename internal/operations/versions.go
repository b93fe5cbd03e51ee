package operations

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"botwork/pipelines"
	"botwork/workqueue"
)

// Version is a text that a pipeline had. JSON field names are part of the command line's contract.
type Version struct {
	Hash     string    `json:"hash"`
	Pipeline string    `json:"pipeline"`
	LoadedAt time.Time `json:"loadedAt"`
	UsedAt   time.Time `json:"usedAt"`

	// Present is true if the file has this text now.
	Present bool `json:"present"`
}

// Diff is what has changed in a pipeline since a version. JSON field names are part of the command
// line's contract.
type Diff struct {
	Pipeline string   `json:"pipeline"`
	Since    *Version `json:"since"` // nil: no other version is kept
	File     *string  `json:"file"`  // nil: the file no longer exists
	Hash     *string  `json:"hash"`  // of the file
	Diff     string   `json:"diff"`  // unified; "" when nothing has changed
}

// PipelineFile is the current file of a pipeline, which may have errors. RunHash identifies what its
// runs execute.
type PipelineFile struct{ Path, Text, Hash, RunHash string }

// FileOf finds the file of a pipeline; nil if there is none. A file with errors is found by its
// file name.
func FileOf(catalogue *pipelines.Catalogue, files []pipelines.File, name string) *PipelineFile {
	if p, ok := catalogue.Get(name); ok {
		return &PipelineFile{p.File, p.Text, p.Hash, p.RunHash}
	}
	for _, file := range files {
		base := filepath.Base(file.Path)
		if file.Err == nil && strings.TrimSuffix(base, filepath.Ext(base)) == name {
			sum := sha256.Sum256(file.Data)
			hash := hex.EncodeToString(sum[:])
			return &PipelineFile{file.Path, string(file.Data), hash, hash}
		}
	}
	return nil
}

// TextStore is what versions are read from.
type TextStore interface {
	Texts(ctx context.Context, f workqueue.TextFilter) ([]workqueue.PipelineText, error)
}

// Versions lists the texts that workers have loaded, the most recently used first. file is the
// current file, nil for none. The error is a *RefusedError if there is neither a file nor a version.
func Versions(ctx context.Context, store TextStore, name string, file *PipelineFile, limit int) ([]Version, error) {
	texts, err := store.Texts(ctx, workqueue.TextFilter{Pipeline: name, Limit: limit})
	if err != nil {
		return nil, err
	}
	if len(texts) == 0 && file == nil {
		return nil, neverLoaded(name)
	}
	views := make([]Version, len(texts))
	for i := range texts {
		views[i] = viewVersion(&texts[i], file)
	}
	return views, nil
}

func viewVersion(t *workqueue.PipelineText, file *PipelineFile) Version {
	return Version{t.Hash, t.Pipeline, t.LoadedAt, t.UsedAt, file != nil && file.RunHash == t.Hash}
}

func neverLoaded(name string) error {
	return &RefusedError{Code: CodeNotFound, Message: fmt.Sprintf("there is no pipeline %q, and no worker has ever loaded one", name),
		Hint: "botwork pipelines list shows the pipelines of the folder"}
}

// VersionByHash returns the version of a pipeline whose hash has this prefix. The error is a
// *RefusedError if there is none or more than one.
func VersionByHash(ctx context.Context, store TextStore, pipeline, hash string) (workqueue.PipelineText, error) {
	texts, err := store.Texts(ctx, workqueue.TextFilter{Pipeline: pipeline, Hash: hash, Limit: 2})
	switch {
	case err != nil:
		return workqueue.PipelineText{}, err
	case len(texts) == 0:
		return workqueue.PipelineText{}, &RefusedError{Code: CodeNotFound, Message: fmt.Sprintf("no version of %q with the hash prefix %s is kept", pipeline, hash),
			Hint: "botwork pipelines versions " + pipeline + " lists the versions"}
	case len(texts) > 1:
		return workqueue.PipelineText{}, &RefusedError{Code: CodeAmbiguous, Message: fmt.Sprintf("several versions of %q have the hash prefix %s, want a longer one", pipeline, hash)}
	}
	return texts[0], nil
}

// DiffFile compares the file of a pipeline, nil for none, with a version; hash "" means the previous
// one. instant writes times in the heading.
func DiffFile(ctx context.Context, store TextStore, name string, file *PipelineFile, hash string, instant func(*time.Time) string) (Diff, error) {
	view := Diff{Pipeline: name}
	var since workqueue.PipelineText
	if hash != "" {
		var err error
		if since, err = VersionByHash(ctx, store, name, hash); err != nil {
			return view, err
		}
	} else {
		texts, err := store.Texts(ctx, workqueue.TextFilter{Pipeline: name, Limit: 2})
		if err != nil {
			return view, err
		}
		if len(texts) == 0 && file == nil {
			return view, neverLoaded(name)
		}
		for _, t := range texts {
			if since.Hash == "" && (file == nil || t.Hash != file.Hash) {
				since = t
			}
		}
	}
	to, after := "/dev/null", ""
	if file != nil {
		view.File, view.Hash = &file.Path, &file.Hash
		to, after = filepath.ToSlash(file.Path), file.Text
	}
	if since.Hash == "" {
		return view, nil
	}
	view.Since = new(viewVersion(&since, file))
	view.Diff = udiff.Unified(versionHeading(&since, instant), to, since.Text, after)
	return view, nil
}

// versionHeading describes a version in the heading of a difference.
func versionHeading(t *workqueue.PipelineText, instant func(*time.Time) string) string {
	return fmt.Sprintf("%s %.12s, first loaded %s, last used %s", t.Pipeline, t.Hash, instant(&t.LoadedAt), instant(&t.UsedAt))
}

// DiffVersions compares two versions of a pipeline. The result has the hash of the later one and no
// file.
func DiffVersions(ctx context.Context, store TextStore, name, from, to string, instant func(*time.Time) string) (Diff, error) {
	view := Diff{Pipeline: name}
	since, err := VersionByHash(ctx, store, name, from)
	if err != nil {
		return view, err
	}
	until, err := VersionByHash(ctx, store, name, to)
	if err != nil {
		return view, err
	}
	view.Since, view.Hash = new(viewVersion(&since, nil)), &until.Hash
	view.Diff = udiff.Unified(versionHeading(&since, instant), versionHeading(&until, instant), since.Text, until.Text)
	return view, nil
}

// ItemVersionStore is what VersionOfItem reads.
type ItemVersionStore interface {
	Item(ctx context.Context, id int64) (workqueue.Item, error)
	Attempts(ctx context.Context, id int64) ([]workqueue.Attempt, error)
}

// DiffTexts compares a text with the one in a file. It returns "" if they are equal.
func DiffTexts(file, was, now string) string {
	return udiff.Unified(file, file+" (not saved)", was, now)
}

// VersionOfItem returns the pipeline of an item, and the hash of the version that its last run, or
// its attempt with a number above 0, ran. The error is a *RefusedError if the item runs another
// pipeline than want, unless that is "", or if the version is not recorded.
func VersionOfItem(ctx context.Context, store ItemVersionStore, id int64, attempt int, want string) (name, hash string, err error) {
	it, err := store.Item(ctx, id)
	if err != nil {
		return "", "", err
	}
	refused := func(format string, args ...any) error {
		return &RefusedError{Code: CodeNoVersion, Message: fmt.Sprintf(format, args...)}
	}
	name = strings.TrimSpace(it.IntegrationConfig)
	if workqueue.InlinePipeline(name) {
		return "", "", refused("item %d contains its own pipeline: there is no file to compare it with", id)
	}
	if want != "" && want != name {
		return "", "", refused("item %d runs the pipeline %q, not %q", id, name, want)
	}
	ran := it.PipelineHash
	if attempt != 0 {
		attempts, err := store.Attempts(ctx, id)
		if err != nil {
			return "", "", err
		}
		found := false
		for _, at := range attempts { // a release does not count, so several attempts may have the same number
			if at.Attempt == attempt {
				ran, found = at.PipelineHash, true
			}
		}
		if !found {
			return "", "", refused("item %d has no recorded attempt %d; a successful attempt leaves no record", id, attempt)
		}
	}
	if ran == nil {
		return "", "", refused("the version that item %d ran is not recorded: it has not run yet, or its worker died before recording it", id)
	}
	return name, *ran, nil
}
