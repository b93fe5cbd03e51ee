package sql

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// includePrefix starts a line that is replaced by a fragment.
const includePrefix = "-- include:"

var (
	fragmentName     = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	parameterComment = regexp.MustCompile(`(?m)^-- Parameters: (.*)$`)
)

// Read returns the text of one file, such as "sqlite/queries/due.sql", with all fragments
// inserted. It fails if the file uses a fragment that does not exist or that includes itself,
// or if the arguments differ from those that the fragment declares.
func Read(files fs.FS, name string) (string, error) {
	engine, _, _ := strings.Cut(name, "/")
	return newExpander(files, engine).read(name)
}

// Load returns the statements of one folder of an engine, such as "queries" of "sqlite", by
// file name without the extension. It inserts fragments like Read.
func Load(files fs.FS, engine, folder string) (map[string]string, error) {
	return newExpander(files, engine).load(folder)
}

// expander replaces the calls of fragments in the statements of one engine. A call is a
// separate line or an expression inside a line:
//
//	-- include: due_conditions row=i
//	    AND i.AvailableAt <= {{now}}
//
// The arguments are separated by semicolons. Every line of the fragment is indented like the
// line of its call.
type expander struct {
	files     fs.FS
	engine    string
	fragments map[string]fragment // those used so far
	constant  map[string]string   // the expanded texts of those without parameters
}

func newExpander(files fs.FS, engine string) *expander {
	return &expander{files: files, engine: engine, fragments: map[string]fragment{}, constant: map[string]string{}}
}

// fragment is a file of the folder fragments. Its first lines are a comment that
// documents it and may declare parameters: "-- Parameters: row, condition". In the
// body, {{row}} is replaced by the argument.
type fragment struct {
	body       string
	parameters []string
}

func (e *expander) load(folder string) (map[string]string, error) {
	names, err := fs.Glob(e.files, path.Join(e.engine, folder, "*.sql"))
	if err != nil {
		return nil, err
	}
	statements := make(map[string]string, len(names))
	for _, name := range names {
		if statements[strings.TrimSuffix(path.Base(name), ".sql")], err = e.read(name); err != nil {
			return nil, err
		}
	}
	return statements, nil
}

func (e *expander) read(name string) (string, error) {
	text, err := e.readFile(name)
	if err != nil || path.Base(name) != insertFile {
		return text, err
	}
	in, err := parseInsert(name, text)
	if err != nil {
		return "", err
	}
	return in.Statement(AnyInsert)
}

func (e *expander) readFile(name string) (string, error) {
	text, err := fs.ReadFile(e.files, name)
	if err != nil {
		return "", err
	}
	expanded, err := e.expand(string(text), nil, nil)
	if err != nil {
		return "", fmt.Errorf("sql/%s: %w", name, err)
	}
	return expanded, nil
}

// expand replaces the calls in a text. The callers are the fragments that contain the text.
func (e *expander) expand(text string, arguments map[string]string, callers []string) (string, error) {
	var out strings.Builder
	for line := range strings.Lines(text) {
		code := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(code)]
		included, isInclude := strings.CutPrefix(code, includePrefix)
		switch {
		case isInclude:
			ending := code[len(strings.TrimRight(code, "\n")):]
			code = "{{" + strings.TrimSpace(included) + "}}" + ending
		case strings.HasPrefix(code, "--"):
			out.WriteString(line)
			continue
		}
		for {
			before, expression, after, ok := innermostCall(code)
			if !ok {
				break
			}
			replacement, err := e.call(expression, arguments, callers)
			if err != nil {
				return "", err
			}
			code = before + strings.ReplaceAll(replacement, "\n", "\n"+indent) + after
		}
		if strings.Contains(code, "{{") || strings.Contains(code, "}}") {
			return "", fmt.Errorf("unpaired braces in %q", strings.TrimSpace(line))
		}
		out.WriteString(indent + code)
	}
	return out.String(), nil
}

// innermostCall splits a line around its first call that has no call in its arguments.
// Every process expands all statements when it starts, and a regular expression took most
// of that time.
func innermostCall(code string) (before, expression, after string, ok bool) {
	end := strings.Index(code, "}}")
	if end < 0 {
		return "", "", "", false
	}
	start := strings.LastIndex(code[:end], "{{")
	if start < 0 {
		return "", "", "", false
	}
	return code[:start], code[start+2 : end], code[end+2:], true
}

// call returns the replacement for {{expression}}: an argument of the fragment that contains
// the call, or another fragment.
func (e *expander) call(expression string, arguments map[string]string, callers []string) (string, error) {
	if value, ok := arguments[expression]; ok {
		return value, nil
	}
	name, rest, _ := strings.Cut(expression, " ")
	if slices.Contains(callers, name) {
		return "", fmt.Errorf("fragment %q includes itself: %s", name, strings.Join(append(callers, name), " -> "))
	}
	passed, err := parseArguments(rest)
	if err != nil {
		return "", fmt.Errorf("fragment %q: %w", name, err)
	}
	if list, ok := itemCalls[name]; ok {
		return e.itemList(list, passed)
	}
	f, err := e.fragment(name)
	if err != nil {
		return "", err
	}
	if !f.accepts(passed) {
		return "", fmt.Errorf("fragment %q has the parameters %q, but the call passes %q",
			name, slices.Sorted(slices.Values(f.parameters)), slices.Sorted(maps.Keys(passed)))
	}
	if len(passed) > 0 {
		return e.expand(f.body, passed, append(slices.Clip(callers), name))
	}
	if text, ok := e.constant[name]; ok {
		return text, nil
	}
	text, err := e.expand(f.body, nil, append(slices.Clip(callers), name))
	if err == nil {
		e.constant[name] = text
	}
	return text, err
}

// accepts reports whether a call passes each parameter, and nothing else.
func (f fragment) accepts(passed map[string]string) bool {
	for _, parameter := range f.parameters {
		if _, ok := passed[parameter]; !ok {
			return false
		}
	}
	return len(passed) == len(f.parameters)
}

// parseArguments parses "row=i; condition=i.State = 1".
func parseArguments(text string) (map[string]string, error) {
	arguments := map[string]string{}
	if text == "" {
		return arguments, nil
	}
	for argument := range strings.SplitSeq(text, ";") {
		name, value, ok := strings.Cut(strings.TrimSpace(argument), "=")
		if !ok || !fragmentName.MatchString(name) {
			return nil, fmt.Errorf("argument %q is not written as name=value", argument)
		}
		if _, twice := arguments[name]; twice {
			return nil, fmt.Errorf("argument %q is passed twice", name)
		}
		arguments[name] = value
	}
	return arguments, nil
}

func (e *expander) fragment(name string) (fragment, error) {
	if f, ok := e.fragments[name]; ok {
		return f, nil
	}
	if !fragmentName.MatchString(name) {
		return fragment{}, fmt.Errorf("invalid fragment name %q", name)
	}
	text, err := fs.ReadFile(e.files, path.Join(e.engine, "fragments", name+".sql"))
	if err != nil {
		return fragment{}, fmt.Errorf("unknown fragment %q: %w", name, err)
	}
	f, err := parseFragment(string(text))
	if err != nil {
		return fragment{}, fmt.Errorf("fragment %q: %w", name, err)
	}
	e.fragments[name] = f
	return f, nil
}

func parseFragment(text string) (fragment, error) {
	body := text
	for strings.HasPrefix(body, "--") && !strings.HasPrefix(body, includePrefix) {
		_, body, _ = strings.Cut(body, "\n")
	}
	f := fragment{body: strings.TrimRight(body, "\n")}
	if declared := parameterComment.FindStringSubmatch(strings.TrimSuffix(text, body)); declared != nil {
		f.parameters = strings.Split(declared[1], ", ")
	}
	for _, parameter := range f.parameters {
		if !strings.Contains(f.body, "{{"+parameter+"}}") {
			return fragment{}, fmt.Errorf("parameter %q is declared but not used", parameter)
		}
	}
	if strings.TrimSpace(f.body) == "" {
		return fragment{}, fmt.Errorf("no text after the comment")
	}
	return f, nil
}
