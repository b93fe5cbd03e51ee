package reload

import (
	"maps"
	"slices"
	"strings"
	"time"

	"botwork/internal/strictyaml"
	"botwork/pipelines"
)

// grace is how long the pipeline of a file that has gone is kept: who replaces a
// folder removes files before the new ones come, and an item whose pipeline is
// not there fails for good.
const grace = time.Minute

// Judge checks the texts of a pipelines folder, each by itself and all together.
type Judge func([]pipelines.File) (*pipelines.Catalogue, strictyaml.Findings)

// folder decides which text of each file holds. One goroutine owns it.
type folder struct {
	judge   Judge
	current *pipelines.Catalogue

	// gone tells since when a file that current has is missing.
	gone map[string]time.Time
}

// verdict is what came of looking at the files.
type verdict struct {
	catalogue *pipelines.Catalogue
	findings  strictyaml.Findings // of the files as they are, mistakes and warnings

	// kept are the files whose earlier text still holds because of mistakes,
	// missing those that are gone and hold on for a while.
	kept, missing []string

	added, changed, removed []string // names of pipelines
}

// same tells that nothing is to be adopted.
func (v *verdict) same() bool { return len(v.added)+len(v.changed)+len(v.removed) == 0 }

// look judges the files as they are now. A file with mistakes keeps its earlier
// text if it had one, and is left out else. A file that is gone keeps it for the
// grace; when all files are gone at once, which is what a share looks like that is
// not mounted, they keep theirs for good.
func (f *folder) look(files []pipelines.File, now time.Time) verdict {
	held := map[string]*pipelines.Pipeline{} // by path: the texts that hold at present
	for _, p := range f.current.All() {
		held[p.File] = p
	}
	// Files that hold a name already come first: of two with one name the first
	// counts, and a copy beside its original must not push it out.
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b pipelines.File) int {
		return strings.Compare(rank(held, a.Path), rank(held, b.Path))
	})
	var v verdict
	v.catalogue, v.findings = f.judge(files)
	for _, path := range f.missing(files, held, now) {
		if _, renamed := v.catalogue.Get(held[path].Name); !renamed {
			v.missing = append(v.missing, path)
			files = append(files, textOf(held[path]))
		}
	}
	if len(v.missing) > 0 {
		v.catalogue, v.findings = f.judge(files)
	}
	if wrong := mistaken(v.findings); len(wrong) > 0 {
		var whole []pipelines.File
		for _, file := range files {
			before, ok := held[file.Path]
			switch {
			case !wrong[file.Path]:
				whole = append(whole, file)
			case ok:
				whole = append(whole, textOf(before))
				if file.Err != nil || before.Text != string(file.Data) {
					v.kept = append(v.kept, file.Path)
				}
			}
		}
		v.catalogue, _ = f.judge(whole)
	}
	v.compare(f.current)
	return v
}

func textOf(p *pipelines.Pipeline) pipelines.File {
	return pipelines.File{Path: p.File, Data: []byte(p.Text)}
}

// rank sorts the files that hold names before the others, each by path.
func rank(held map[string]*pipelines.Pipeline, path string) string {
	if _, ok := held[path]; ok {
		return "0" + path
	}
	return "1" + path
}

// missing are the files that are gone and whose texts hold all the same.
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

// mistaken are the files with mistakes.
func mistaken(findings strictyaml.Findings) map[string]bool {
	wrong := map[string]bool{}
	for _, f := range findings.Of(strictyaml.Error) {
		wrong[f.File] = true
	}
	return wrong
}

// compare tells the catalogue from the one before.
func (v *verdict) compare(before *pipelines.Catalogue) {
	for _, p := range v.catalogue.All() {
		switch was, ok := before.Get(p.Name); {
		case !ok:
			v.added = append(v.added, p.Name)
		case was.Hash != p.Hash || was.File != p.File:
			v.changed = append(v.changed, p.Name)
		}
	}
	for _, p := range before.All() {
		if _, ok := v.catalogue.Get(p.Name); !ok {
			v.removed = append(v.removed, p.Name)
		}
	}
}
