package pipelines

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"botwork/handlers"
	"botwork/internal/author/strictyaml"
	"botwork/internal/bounded"

	"github.com/expr-lang/expr/types"
)

// Options are what a Compiler knows beside the handlers.
type Options struct {
	// SecretNames are the secrets that pipelines may name. nil means that they
	// are not known and every name passes.
	SecretNames []string

	// SecretEnv are the environment variables that settings read as secrets, each
	// with the path of its setting: expressions cannot read them as `env`. On
	// Windows the names are in capitals.
	SecretEnv map[string]string

	// Location is the zone of triggers that name none; nil is UTC.
	Location *time.Location
}

// Compiler turns the text of a pipeline into a Pipeline. It is the one checker:
// files, inline pipelines, start-up and the command line all use it. It may be
// used from several goroutines at once.
type Compiler struct {
	registry *handlers.Registry
	opts     Options
}

// NewCompiler returns a compiler for the handlers of the registry.
func NewCompiler(registry *handlers.Registry, opts Options) *Compiler {
	if opts.Location == nil {
		opts.Location = time.UTC
	}
	return &Compiler{registry: registry, opts: opts}
}

// Parse reads one pipeline, as YAML or JSON, and returns every mistake in it in
// the file's order. The pipeline is nil when there is one; warnings are no
// mistakes and stand in the pipeline. file is the name for findings, and its
// base name the pipeline's name when the text has none.
func (c *Compiler) Parse(file string, data []byte) (*Pipeline, strictyaml.Findings) {
	base := filepath.Base(file)
	p, _, findings := c.parse(file, strings.TrimSuffix(base, filepath.Ext(base)), data)
	if len(findings) > 0 {
		return nil, findings
	}
	return p, nil
}

// parse returns a pipeline even when there are findings: its name, as far as it
// could be read, tells which pipeline it is that is broken. The node is the text as
// YAML, nil if it is not YAML.
func (c *Compiler) parse(file, name string, data []byte) (*Pipeline, *strictyaml.Node, strictyaml.Findings) {
	sum := sha256.Sum256(data)
	p := &Pipeline{Name: name, File: file, Text: string(data), Hash: hex.EncodeToString(sum[:])}
	top, findings := strictyaml.Parse(file, data)
	if top == nil {
		return p, nil, findings
	}
	text := bytes.TrimPrefix(data, []byte("\ufeff")) // places are counted behind it
	run := &compilation{Compiler: c, lines: strings.Split(string(text), "\n"), findings: findings}
	run.pipeline(p, top)
	run.findings.Sort()
	if len(run.findings) == 0 {
		p.Warnings = append(warnings(p, top), run.warned...)
		p.Warnings.Sort()
	}
	return p, top, run.findings
}

// compilation is the work on one text.
type compilation struct {
	*Compiler
	lines    []string
	findings strictyaml.Findings
	warned   strictyaml.Findings // on the way; told of a pipeline without mistakes

	// What expressions may name, and the same for the expression compiler.
	names  names
	env    types.Map
	shapes shapes

	programs map[string]*bounded.Program // by their sources

	readsItem, readsSteps bool // see Pipeline
}

func (c *compilation) reportAt(at place, code, message, hint string) {
	c.findings = append(c.findings, strictyaml.Finding{File: at.file, Line: at.line, Column: at.column, EndLine: at.endLine, EndColumn: at.endColumn,
		Code: code, Message: message, Hint: hint})
}

// mend gives the last finding an edit.
func (c *compilation) mend(edit *strictyaml.Edit) { c.findings[len(c.findings)-1].Edit = edit }

// report makes a finding at the node's place and names the node in it.
func (c *compilation) report(n *strictyaml.Node, code, message, hint string) {
	if n.Path != "" {
		message = n.Path + ": " + message
	}
	c.findings = append(c.findings, n.Finding(code, message, hint))
}

// given tells whether a key stands in the file with something behind it.
func given(n *strictyaml.Node) bool { return n != nil && n.Kind != strictyaml.Null }

// value decodes a node that may be absent and asks check, which may be nil,
// what is wrong with it. The zero value stands for absent and for reported.
func value[T any](c *compilation, n *strictyaml.Node, check func(T) string) T {
	var got, none T
	if !given(n) {
		return none
	}
	if findings := n.Decode(&got); len(findings) > 0 {
		c.findings = append(c.findings, findings...)
		return none
	}
	if check != nil {
		if wrong := check(got); wrong != "" {
			c.report(n, CodeInvalidValue, wrong, "")
			return none
		}
	}
	return got
}

// choice decodes a node that holds one of a few words, or is absent.
func choice[T ~string](c *compilation, n *strictyaml.Node, words ...T) T {
	got := value[string](c, n, nil)
	known := make([]string, len(words))
	for i, word := range words {
		if known[i] = string(word); got == known[i] {
			return word
		}
	}
	if got != "" || given(n) && n.Value == "" {
		c.report(n, CodeInvalidValue, fmt.Sprintf("got %q, want %s", got, alternatives(known)), strictyaml.Suggest(got, known))
		c.mend(n.ReplaceWord(known, false))
	}
	return words[0]
}

// alternatives lists words as a sentence does: "a, b or c".
func alternatives(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// positive and notNegative check lengths of time.
func positive(d handlers.Duration) string {
	if d <= 0 {
		return fmt.Sprintf("got %v, want more than 0", d)
	}
	return ""
}

func notNegative(d handlers.Duration) string {
	if d < 0 {
		return fmt.Sprintf("got %v, want 0 or more", d)
	}
	return ""
}
