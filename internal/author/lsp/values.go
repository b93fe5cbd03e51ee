package lsp

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"botwork/internal/author/keydocs"
	"botwork/internal/author/lsp/sketch"
)

// names proposes values of a key as replacements for the marked text between from and to.
// It inserts before in front of each value.
func (c *completer) names(mapping *sketch.Node, k keydocs.Key, from, to int, before string) {
	quoted := ""
	if q := c.marked[from:min(from+1, len(c.marked))]; q == `"` || q == "'" {
		quoted = q
	}
	if to > c.offset {
		to = max(c.offset, to-len(string(cursor)))
	}
	for i, p := range c.choices(mapping, k) {
		text := p.Label
		switch {
		case quoted != "":
			text = quoted + text + quoted
			p.FilterText = text
		case plainNeedsQuotes(text):
			text = `"` + text + `"`
		}
		if p.SortText == "" {
			p.SortText = fmt.Sprintf("%03d", i)
		}
		c.addTo(p, from, to, before+text)
	}
}

func plainNeedsQuotes(text string) bool {
	return text == "" || strings.Contains(text, ": ") || strings.Contains(text, " #") || strings.ContainsAny(text[:1], "*&!|>%@`\"'{[#-?,") && len(text) > 1 && text[0] != '-'
}

// choices returns the values that a key can have, if they can be listed.
func (c *completer) choices(mapping *sketch.Node, k keydocs.Key) []CompletionItem {
	switch c.referenceOf(mapping, k.Name) {
	case toHandler:
		return c.handlerChoices()
	case toPipeline:
		items := c.pipelineChoices()
		if k.Name == "uses" { // a pipeline cannot call itself
			items = slices.DeleteFunc(items, func(item CompletionItem) bool {
				p, ok := c.pipelineNamed(item.Label)
				return ok && p.doc.path == c.doc.path
			})
		}
		return items
	case toQueue:
		return settingsChoices(c.settingsNames("queues"), "a queue of the settings", "default")
	case toConnection:
		return settingsChoices(c.settingsNames("connections"), "a connection of the settings")
	}
	var items []CompletionItem
	for i, word := range k.Enum {
		item := CompletionItem{Label: word, Kind: kindEnumMember}
		if i < len(k.EnumDocs) {
			item.Documentation = markdown(k.EnumDocs[i])
		}
		if word == k.Default {
			item.Detail = "default"
		}
		items = append(items, item)
	}
	if k.Type == "true or false" {
		items = append(items, CompletionItem{Label: "true", Kind: kindValue}, CompletionItem{Label: "false", Kind: kindValue})
	}
	for _, word := range k.Suggest {
		items = append(items, CompletionItem{Label: word, Kind: kindValue})
	}
	return items
}

func (c *completer) handlerChoices() []CompletionItem {
	var items []CompletionItem
	for _, kind := range c.project.Registry.Kinds() {
		items = append(items, CompletionItem{Label: kind.Name, Kind: kindClass, Detail: kind.Summary, Documentation: markdown(kind.Markdown())})
	}
	return items
}

// pipelineChoices returns the pipelines that items can run.
func (v *view) pipelineChoices() []CompletionItem {
	var items []CompletionItem
	for _, p := range v.pipelines() {
		if !p.system {
			items = append(items, CompletionItem{Label: p.name, Kind: kindFile, Detail: filepath.Base(p.doc.path), Documentation: markdown(p.description)})
		}
	}
	return items
}

func settingsChoices(names []string, detail string, more ...string) []CompletionItem {
	var items []CompletionItem
	for _, name := range names {
		items = append(items, CompletionItem{Label: name, Kind: kindConstant, Detail: detail})
	}
	for _, name := range more {
		if !slices.Contains(names, name) {
			items = append(items, CompletionItem{Label: name, Kind: kindConstant, Detail: "always exists"})
		}
	}
	return items
}
