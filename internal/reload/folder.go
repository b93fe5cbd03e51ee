package reload

import (
	"maps"
	"slices"
	"strings"
	"time"

	"botwork/internal/author/strictyaml"
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

	// gone is since when a file that current has is missing, goneBroken the same of
	// broken files.
	gone, goneBroken map[string]time.Time
}

// verdict is what came of looking at the files.
type verdict struct {
	catalogue *pipelines.Catalogue
	findings  strictyaml.Findings // of the files as they are, mistakes and warnings

	// kept are the files whose earlier text still holds because of mistakes,
	// missing those that are gone and hold on for a while.
	kept, missing []string

	added, changed, removed []string // names of pipelines
	rebroken                bool     // the broken files of the catalogue are others
}

// same reports that nothing is to be adopted.
func (v *verdict) same() bool { return v.samePipelines() && !v.rebroken }

// samePipelines reports that the same pipelines run with the same texts.
func (v *verdict) samePipelines() bool { return len(v.added)+len(v.changed)+len(v.removed) == 0 }

// Start judges the files that a worker starts with. The catalogue has the pipelines
// of the files without mistakes and knows the others as broken.
func Start(judge Judge, files []pipelines.File) (*pipelines.Catalogue, strictyaml.Findings) {
	f := folder{judge: judge, current: pipelines.NewCatalogue(nil)}
	v := f.look(files, time.Now())
	return v.catalogue, v.findings
}

// look judges the files as they are now. A file with mistakes keeps its earlier
// text if it had one, else its pipeline is broken. A file that is gone keeps it for the
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
			if wrong[file.Path] && ok {
				if file.Err != nil || before.Text != string(file.Data) {
					v.kept = append(v.kept, file.Path)
				}
				file = textOf(before)
			}
			whole = append(whole, file)
		}
		v.catalogue, _ = f.judge(whole)
		v.catalogue = v.catalogue.Without(rejected(v.catalogue, v.findings, held)...)
	}
	v.keepBroken(f.missingBroken(files, now))
	v.compare(f.current)
	return v
}

// rejected are the files that compile and have mistakes all the same, such as a step
// that names an unknown pipeline. Those that were used before stay in use.
func rejected(catalogue *pipelines.Catalogue, findings strictyaml.Findings, held map[string]*pipelines.Pipeline) []pipelines.Broken {
	of := map[string]strictyaml.Findings{}
	for _, f := range findings.Of(strictyaml.Error) {
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

// missingBroken are broken files that are gone. Items of their pipelines go on
// waiting for the grace, since the fixed file may be on its way.
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
	v.rebroken = !slices.EqualFunc(v.catalogue.Broken(), before.Broken(), func(a, b pipelines.Broken) bool {
		return a.Name == b.Name && a.File == b.File && a.Trigger == b.Trigger && a.Findings.Error() == b.Findings.Error()
	})
}
