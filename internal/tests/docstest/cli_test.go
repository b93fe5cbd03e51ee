package docstest

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The index of commands in docs/cli.md is generated; the rest is written by hand.
const (
	indexBegin = "<!-- The next list is generated from --help by `go test ./internal/tests/docstest -update`; do not edit. -->\n"
	indexEnd   = "<!-- End of the generated list. -->\n"
	generated  = "<!-- Generated from --help by `go test ./internal/tests/docstest -update`; do not edit. -->\n"
)

var noise = regexp.MustCompile(`(?m)^  -h, --help .*\n|^Use "botwork .*\n`)

// TestCommandIndex compares the list of commands in docs/cli.md with the help.
func TestCommandIndex(t *testing.T) {
	text := read(t, "docs/cli.md").text
	before, rest, begins := strings.Cut(text, indexBegin)
	_, after, ends := strings.Cut(rest, indexEnd)
	if !begins || !ends {
		t.Fatalf("docs/cli.md lacks one of these lines:\n%s%s", indexBegin, indexEnd)
	}
	all := commands(t)
	var b strings.Builder
	b.WriteString(before + indexBegin + "\n| command | what it does |\n|---|---|\n")
	for _, c := range all[1:] {
		words := "botwork " + strings.Join(c.path, " ")
		b.WriteString("| [`" + words + "`](" + strings.TrimPrefix(pageOf(c.path), "docs/") + "#" + strings.ReplaceAll(words, " ", "-") + ") | " + summary(t, all, c) + " |\n")
	}
	b.WriteString("\n## botwork\n\n" + helpBlock(all[0], true) + indexEnd + after)
	golden(t, "docs/cli.md", b.String())
}

// TestCommandPages compares docs/cli, one page for each top-level command, with
// the help texts of the command and of its subcommands.
func TestCommandPages(t *testing.T) {
	pages := map[string]*strings.Builder{}
	all := commands(t)
	for _, c := range all[1:] {
		page := pageOf(c.path)
		if pages[page] == nil {
			pages[page] = &strings.Builder{}
			pages[page].WriteString("# botwork " + c.path[0] + "\n\n" + generated + "\nAll commands: [the command line](../cli.md).\n")
			if len(c.children) > 0 {
				pages[page].WriteString("\n" + contents(t, all, c))
			}
			pages[page].WriteString("\n" + helpBlock(c, false))
			continue
		}
		pages[page].WriteString("\n## botwork " + strings.Join(c.path, " ") + "\n\n" + helpBlock(c, false))
	}
	if *update {
		if err := os.MkdirAll(filepath.Join(root, "docs", "cli"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var want []string
	for page, text := range pages {
		want = append(want, path.Base(page))
		golden(t, page, text.String())
	}
	entries, err := os.ReadDir(filepath.Join(root, "docs", "cli"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	sameSet(t, "pages of docs/cli", got, want)
}

// pageOf returns the page of a command, which is the page of its first word.
func pageOf(words []string) string { return "docs/cli/" + words[0] + ".md" }

// contents lists the subcommands of a command, with links into its page.
func contents(t *testing.T, all []command, of command) string {
	t.Helper()
	var b strings.Builder
	for _, c := range all {
		if len(c.path) > len(of.path) && slices.Equal(c.path[:len(of.path)], of.path) {
			words := "botwork " + strings.Join(c.path, " ")
			b.WriteString("- [`" + words + "`](#" + strings.ReplaceAll(words, " ", "-") + "): " + summary(t, all, c) + "\n")
		}
	}
	return b.String()
}

// summary returns the line that describes c in the help of its parent.
func summary(t *testing.T, all []command, c command) string {
	t.Helper()
	last := len(c.path) - 1
	for _, parent := range all {
		if slices.Equal(parent.path, c.path[:last]) {
			line := regexp.MustCompile(`(?m)^  ` + regexp.QuoteMeta(c.path[last]) + ` +(.+)$`).FindStringSubmatch(parent.help)
			if line != nil {
				return line[1]
			}
		}
	}
	t.Fatalf("no help lists botwork %s", strings.Join(c.path, " "))
	return ""
}

// helpBlock returns the help of a command as a fenced block. The flags that all
// commands share are listed once, with the program itself.
func helpBlock(c command, withGlobalFlags bool) string {
	help := c.help
	if !withGlobalFlags {
		help, _, _ = strings.Cut(help, "\nGlobal Flags:")
	}
	help = strings.TrimSpace(noise.ReplaceAllString(help, ""))
	help = strings.TrimSpace(strings.TrimSuffix(help, "Flags:"))
	return "```text\n" + help + "\n```\n"
}
