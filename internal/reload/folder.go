package reload

import (
	"maps"
	"slices"
	"strings"
	"time"

	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
)

// grace is how long the pipeline of a deleted file stays loaded. A tool that replaces a
// folder deletes files before it writes the new ones, and an item whose pipeline does not
// exist fails for good.
const grace = time.Minute

// CheckFunc checks the files of a pipelines folder, each alone and all together.
type CheckFunc func([]pipelines.File) (*pipelines.Catalogue, strictyaml.Findings)

// folder decides which version of each file is in use. It belongs to one goroutine.
type folder struct {
	checkFiles CheckFunc
	current    *pipelines.Catalogue

	// gone says since when a file of current is missing; goneBroken does the same for
	// broken files.
	gone, goneBroken map[string]time.Time
}

// verdict is the result of checking the files.
type verdict struct {
	catalogue *pipelines.Catalogue
	findings  strictyaml.Findings // of the files as they are: errors and warnings

	// kept lists the files with errors whose previous version stays in use; missing lists
	// the deleted files whose pipelines are still loaded.
	kept, missing []string
	allGone       bool // no file is left: the missing ones stay loaded until files return

	added, changed, removed []string // names of pipelines
	rebroken                bool     // the set of broken files has changed
}

// same reports whether there is nothing to adopt.
func (v *verdict) same() bool { return v.samePipelines() && !v.rebroken }

// samePipelines reports whether the same pipelines run with the same text.
func (v *verdict) samePipelines() bool { return len(v.added)+len(v.changed)+len(v.removed) == 0 }

// Start checks the files that a worker starts with. The catalogue has the pipelines of the
// files without errors and lists the others as broken.
func Start(judge CheckFunc, files []pipelines.File) (*pipelines.Catalogue, strictyaml.Findings) {
	f := folder{checkFiles: judge, current: pipelines.NewCatalogue(nil)}
	v := f.check(files, time.Now())
	return v.catalogue, v.findings
}

// check checks the files as they are now. A file with errors keeps its previous version if
// there is one; otherwise its pipeline is broken. A deleted file stays loaded for the grace
// period. When all files disappear at once, as when a share is not mounted, they stay
// loaded until files return.
func (f *folder) check(files []pipelines.File, now time.Time) verdict {
	held := map[string]*pipelines.Pipeline{} // by path: the versions in use
	for _, p := range f.current.All() {
		held[p.File] = p
	}
	// Files in use come first: if two files have the same name, the first one wins, and a
	// copy next to its original must not replace it.
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b pipelines.File) int {
		return strings.Compare(rank(held, a.Path), rank(held, b.Path))
	})
	v := verdict{allGone: len(files) == 0}
	v.catalogue, v.findings = f.checkFiles(files)
	for _, path := range f.missing(files, held, now) {
		if _, renamed := v.catalogue.Get(held[path].Name); !renamed {
			v.missing = append(v.missing, path)
			files = append(files, textOf(held[path]))
		}
	}
	if len(v.missing) > 0 {
		v.catalogue, v.findings = f.checkFiles(files)
	}
	if wrong := mistaken(v.findings); len(wrong) > 0 {
		var whole []pipelines.File
		for _, file := range files {
			before, ok := held[file.Path]
			if wrong[file.Path] && ok {
				if file.Err != nil || before.Text != string(file.Data) {
					v.kept = append(v.kept, file.Path)
				}
				file = textOf(before)
			}
			whole = append(whole, file)
		}
		v.catalogue, _ = f.checkFiles(whole)
		v.catalogue = v.catalogue.Without(rejected(v.catalogue, v.findings, held)...)
	}
	v.keepBroken(f.missingBroken(files, now))
	v.compare(f.current)
	return v
}

// rejected returns the files that compile but have errors, such as a step that names an
// unknown pipeline. Files that are in use stay in use.
func rejected(catalogue *pipelines.Catalogue, findings strictyaml.Findings, held map[string]*pipelines.Pipeline) []pipelines.Broken {
	of := map[string]strictyaml.Findings{}
	for _, f := range findings.WithSeverity(strictyaml.Error) {
		of[f.File] = append(of[f.File], f)
	}
	var list []pipelines.Broken
	for _, p := range catalogue.All() {
		if mistakes := of[p.File]; len(mistakes) > 0 && held[p.File] == nil {
			list = append(list, pipelines.Broken{Name: p.Name, File: p.File, Trigger: p.Trigger != nil, Findings: mistakes})
		}
	}
	return list
}

// missingBroken returns the broken files that were deleted. Items of their pipelines keep
// waiting for the grace period, because the fixed file may follow.
func (f *folder) missingBroken(files []pipelines.File, now time.Time) []pipelines.Broken {
	var list []pipelines.Broken
	for _, b := range f.current.Broken() {
		if slices.ContainsFunc(files, func(file pipelines.File) bool { return file.Path == b.File }) {
			continue
		}
		since, ok := f.goneBroken[b.File]
		if !ok {
			if f.goneBroken == nil {
				f.goneBroken = map[string]time.Time{}
			}
			since = now
			f.goneBroken[b.File] = now
		}
		if len(files) == 0 || now.Sub(since) < grace {
			list = append(list, b)
		}
	}
	for path := range f.goneBroken {
		if slices.ContainsFunc(files, func(file pipelines.File) bool { return file.Path == path }) {
			delete(f.goneBroken, path)
		}
	}
	return list
}

func (v *verdict) keepBroken(gone []pipelines.Broken) {
	v.catalogue = v.catalogue.Without(gone...)
	for _, b := range gone {
		v.missing = append(v.missing, b.File)
	}
}

func textOf(p *pipelines.Pipeline) pipelines.File {
	return pipelines.File{Path: p.File, Data: []byte(p.Text)}
}

// rank sorts the files in use before the others, each group by path.
func rank(held map[string]*pipelines.Pipeline, path string) string {
	if _, ok := held[path]; ok {
		return "0" + path
	}
	return "1" + path
}

// missing returns the deleted files whose pipelines stay loaded.
func (f *folder) missing(files []pipelines.File, held map[string]*pipelines.Pipeline, now time.Time) []string {
	there := map[string]bool{}
	for _, file := range files {
		there[file.Path] = true
	}
	since := map[string]time.Time{}
	var list []string
	for path := range maps.Keys(held) {
		if there[path] {
			continue
		}
		since[path] = now
		if earlier, ok := f.gone[path]; ok {
			since[path] = earlier
		}
		if len(files) == 0 || now.Sub(since[path]) < grace {
			list = append(list, path)
		}
	}
	f.gone = since
	slices.Sort(list)
	return list
}

// mistaken returns the files with errors.
func mistaken(findings strictyaml.Findings) map[string]bool {
	wrong := map[string]bool{}
	for _, f := range findings.WithSeverity(strictyaml.Error) {
		wrong[f.File] = true
	}
	return wrong
}

// compare records what changed since the previous catalogue.
func (v *verdict) compare(before *pipelines.Catalogue) {
	for _, p := range v.catalogue.All() {
		switch was, ok := before.Get(p.Name); {
		case !ok:
			v.added = append(v.added, p.Name)
		case was.RunHash != p.RunHash || was.File != p.File:
			v.changed = append(v.changed, p.Name)
		}
	}
	for _, p := range before.All() {
		if _, ok := v.catalogue.Get(p.Name); !ok {
			v.removed = append(v.removed, p.Name)
		}
	}
	v.rebroken = !slices.EqualFunc(v.catalogue.Broken(), before.Broken(), func(a, b pipelines.Broken) bool {
		return a.Name == b.Name && a.File == b.File && a.Trigger == b.Trigger && a.Findings.Error() == b.Findings.Error()
	})
}
