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
	innermostCall    = regexp.MustCompile(`\{\{([^{}]*)\}\}`)
	fragmentName     = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	parameterComment = regexp.MustCompile(`(?m)^-- Parameters: (.*)$`)
)

// Read returns the text of one file, such as "sqlite/queries/due.sql", with all
// fragments in place. It fails if the file uses a fragment that does not exist, one
// that includes itself, or passes other arguments than the fragment declares.
func Read(files fs.FS, name string) (string, error) {
	engine, _, _ := strings.Cut(name, "/")
	return newExpander(files, engine).read(name)
}

// Load returns the statements of one folder of an engine, such as "queries" of
// "sqlite", by the names of their files without the extension, like Read.
func Load(files fs.FS, engine, folder string) (map[string]string, error) {
	return newExpander(files, engine).load(folder)
}

// expander replaces the calls of fragments in the statements of one engine. A call is
// a line of its own or an expression inside a line:
//
//	-- include: due_conditions row=i
//	    AND i.AvailableAt <= {{now}}
//
// The arguments are separated by semicolons. Every line of the fragment is indented
// as the line of its call is.
type expander struct {
	files     fs.FS
	engine    string
	fragments map[string]fragment // those that were used
}

func newExpander(files fs.FS, engine string) *expander {
	return &expander{files: files, engine: engine, fragments: map[string]fragment{}}
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

// expand replaces the calls in a text. The callers are the fragments that the text is
// a part of.
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
			at := innermostCall.FindStringSubmatchIndex(code)
			if at == nil {
				break
			}
			replacement, err := e.call(code[at[2]:at[3]], arguments, callers)
			if err != nil {
				return "", err
			}
			replacement = strings.ReplaceAll(replacement, "\n", "\n"+indent)
			code = code[:at[0]] + replacement + code[at[1]:]
		}
		if strings.Contains(code, "{{") || strings.Contains(code, "}}") {
			return "", fmt.Errorf("unpaired braces in %q", strings.TrimSpace(line))
		}
		out.WriteString(indent + code)
	}
	return out.String(), nil
}

// call returns what replaces {{expression}}: an argument of the fragment that the call
// is in, or another fragment.
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
	if got, want := slices.Sorted(maps.Keys(passed)), slices.Sorted(slices.Values(f.parameters)); !slices.Equal(got, want) {
		return "", fmt.Errorf("fragment %q has the parameters %q, but the call passes %q", name, want, got)
	}
	return e.expand(f.body, passed, append(slices.Clip(callers), name))
}

// parseArguments reads "row=i; condition=i.State = 1".
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
