package pipelines

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"botwork/internal/author/strictyaml"
)

// Broken is a file with errors. Its pipeline does not run; items that name it wait until
// the file is fixed.
type Broken struct {
	// Name is the pipeline's name if it can be read, else the base name of the file.
	Name, File string

	// Guessed reports whether the name is a guess, because the text could not be read.
	Guessed bool

	// Trigger reports that the pipeline has a trigger, or may have one.
	Trigger bool

	// Findings are the errors, at least one.
	Findings strictyaml.Findings

	// Calls reports that only the calls of its steps have errors.
	Calls bool
}

// brokenFile describes a file with errors. p is the part that compiled; top is the text as
// YAML, nil if it is not YAML.
func brokenFile(p *Pipeline, top *strictyaml.Node, findings strictyaml.Findings) Broken {
	b := Broken{Name: p.Name, File: p.File, Findings: findings}
	if top != nil {
		b.Trigger = top.Get("trigger").HasValue()
		return b
	}
	if !utf8.ValidString(p.Text) {
		b.Guessed, b.Trigger = true, true
		return b
	}
	// The lines with the name and the trigger are usually far from the error.
	if found := nameLine.FindStringSubmatch(p.Text); found != nil && isPipelineName(found[1]) {
		b.Name = found[1]
	}
	b.Trigger = triggerLine.MatchString(p.Text)
	return b
}

var (
	nameLine    = regexp.MustCompile(`(?m)^(?:\x{feff})?name[ \t]*:[ \t]*["']?([^"'#\r\n]*[^"'# \t\r\n])`)
	triggerLine = regexp.MustCompile(`(?m)^(?:\x{feff})?trigger[ \t]*:`)
)

// Broken returns the files with errors, ordered by path.
func (k *Catalogue) Broken() []Broken {
	list := slices.Clone(k.broken)
	slices.SortStableFunc(list, func(a, b Broken) int { return strings.Compare(a.File, b.File) })
	return list
}

// BrokenNames returns the pipelines that do not run because of errors: those of the broken
// files, except names that another file has.
func (k *Catalogue) BrokenNames() []string {
	var names []string
	for _, b := range k.Broken() {
		if k.BrokenPipeline(b.Name) != nil && !slices.Contains(names, b.Name) {
			names = append(names, b.Name)
		}
	}
	return names
}

// BrokenPipeline returns the errors that keep the pipeline of this name from running; nil
// if there are none or no file has the name. If the name of some file cannot be read, any
// unknown name may belong to that file.
func (k *Catalogue) BrokenPipeline(name string) *BrokenPipelineError {
	name = strings.TrimSpace(name)
	if len(k.broken) == 0 || isInline(name) || k.byName[strings.ToLower(name)] != nil {
		return nil
	}
	e := &BrokenPipelineError{Name: name}
	for _, b := range k.broken {
		if strings.EqualFold(b.Name, name) {
			e.Findings = append(e.Findings, b.Findings...)
		}
	}
	if e.Findings == nil && isPipelineName(name) {
		for _, b := range k.broken {
			if b.Guessed {
				e.Findings, e.Unread = append(e.Findings, b.Findings...), true
			}
		}
	}
	if e.Findings == nil {
		return nil
	}
	return e
}

// Without returns a catalogue in which these files are broken. It leaves out their
// pipelines.
func (k *Catalogue) Without(files ...Broken) *Catalogue {
	if len(files) == 0 {
		return k
	}
	next := &Catalogue{compiler: k.compiler, inline: k.inline, byName: map[string]*Pipeline{}, callers: map[string]*Pipeline{}}
	is := func(file string) bool {
		return slices.ContainsFunc(files, func(b Broken) bool { return b.File == file })
	}
	for key, p := range k.byName {
		if !is(p.File) {
			next.byName[key] = p
		}
	}
	for key, p := range k.callers {
		if !is(p.File) {
			next.callers[key] = p
		}
	}
	next.broken = slices.DeleteFunc(slices.Clone(k.broken), func(b Broken) bool { return is(b.File) })
	next.broken = append(next.broken, files...)
	_ = next.link() // the callers are broken then
	return next
}
