package docstest

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// command is what the program's help shows for one command.
type command struct {
	path     []string // below the program
	help     string
	children []string
	flags    map[string]bool // with their dashes; true: takes a value
}

var (
	childLine = regexp.MustCompile(`^  ([a-z]+) +\S`)
	flagLine  = regexp.MustCompile(`^ +(?:(-\w), )?(--[a-z-]+)(?: ([A-Za-z=]+))? {2,}\S`)
)

// commands returns the commands from the program's help, the given one first, in the order
// of the help.
func commands(t *testing.T, at ...string) []command {
	t.Helper()
	out, code := botwork(t, append(slices.Clone(at), "--help")...)
	if code != 0 {
		t.Fatalf("botwork %s --help: exit code %d", strings.Join(at, " "), code)
	}
	c := command{path: at, help: string(out), flags: map[string]bool{}}
	section := ""
	for line := range strings.SplitSeq(c.help, "\n") {
		if line != "" && line[0] != ' ' {
			section = line
		}
		if m := childLine.FindStringSubmatch(line); m != nil && section == "Available Commands:" {
			c.children = append(c.children, m[1])
		}
		if m := flagLine.FindStringSubmatch(line); m != nil && strings.HasSuffix(section, "lags:") {
			c.flags[m[2]] = m[3] != ""
			if m[1] != "" {
				c.flags[m[1]] = m[3] != ""
			}
		}
	}
	all := []command{c}
	for _, child := range c.children {
		// These two are built into the command-line library.
		if child != "help" && child != "completion" {
			all = append(all, commands(t, append(slices.Clone(at), child)...)...)
		}
	}
	return all
}

// TestCommandLines checks that every line of a sh block that calls botwork has
// existing commands and flags.
func TestCommandLines(t *testing.T) {
	known := commands(t)
	found := 0
	for _, d := range readAll(t) {
		for _, b := range d.blocks {
			if !b.is("sh") {
				continue
			}
			for i, line := range strings.Split(strings.ReplaceAll(b.text, "\\\n", "  "), "\n") {
				words := callOf(line)
				if words == nil {
					continue
				}
				found++
				if wrong := callFault(known, words); wrong != "" {
					t.Errorf("%s:%d: %s: %s", d.path, b.line+1+i, strings.TrimSpace(line), wrong)
				}
			}
		}
	}
	if found == 0 {
		t.Error("no document calls botwork")
	}
}

// word is a shell word: quotes may occur anywhere in it.
var word = regexp.MustCompile(`(?:'[^']*'|"(?:\\.|[^"\\])*"|[^\s'"|<>;&#]|\b#)+|[|<>;&#]`)

// callOf returns the words after botwork in a shell line, nil if the line
// calls something else.
func callOf(line string) []string {
	words := word.FindAllString(line, -1)
	for len(words) > 0 && regexp.MustCompile(`^[A-Z_]+=`).MatchString(words[0]) {
		words = words[1:]
	}
	if len(words) == 0 || path.Base(words[0]) != "botwork" {
		return nil
	}
	words = words[1:]
	if end := slices.IndexFunc(words, func(w string) bool { return strings.ContainsAny(w[:1], "|<>;&#") }); end >= 0 {
		words = words[:end]
	}
	return append([]string{}, words...)
}

// callFault returns the fault of a call, "" if there is none.
func callFault(known []command, words []string) string {
	now := known[0]
	global := now.flags
	for len(words) > 0 {
		w := words[0]
		words = words[1:]
		if !strings.HasPrefix(w, "-") || w == "-" {
			child := slices.IndexFunc(known, func(c command) bool { return slices.Equal(c.path, append(slices.Clone(now.path), w)) })
			switch {
			case child >= 0:
				now = known[child]
			case len(now.children) > 0:
				return "there is no command " + w
			}
			continue
		}
		name, _, inline := strings.Cut(w, "=")
		value, ok := now.flags[name]
		if !ok {
			value, ok = global[name]
		}
		if !ok {
			return "there is no flag " + name
		}
		if value && !inline {
			if len(words) == 0 {
				return name + " lacks its value"
			}
			words = words[1:]
		}
	}
	return ""
}

func TestCallFault(t *testing.T) {
	known := []command{
		{flags: map[string]bool{"--config": true}, children: []string{"items"}},
		{path: []string{"items"}, children: []string{"list"}},
		{path: []string{"items", "list"}, flags: map[string]bool{"--limit": true, "-o": true, "--all": false}},
	}
	for line, want := range map[string]string{
		"botwork items list --limit 5 -o json # newest":    "",
		"A=b ./botwork --config=x items list --all | less": "",
		"botwork item list":             "there is no command item",
		"botwork items list --limits 5": "there is no flag --limits",
		"botwork items list --limit":    "--limit lacks its value",
	} {
		if got := callFault(known, callOf(line)); got != want {
			t.Errorf("%s: got %q, want %q", line, got, want)
		}
	}
	if words := callOf(`psql -c "botwork items"`); words != nil {
		t.Errorf("callOf(psql …) = %q, want none", words)
	}
}
