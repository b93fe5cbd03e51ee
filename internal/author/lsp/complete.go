package lsp

import (
	"fmt"
	"slices"
	"strings"

	"botwork/internal/author/keydocs"
	"botwork/internal/author/lsp/sketch"
	"botwork/pipelines"
)

// complete answers textDocument/completion.
func complete(v *view, offset int) (any, error) {
	c := v.completer(offset)
	c.complete()
	if c.items == nil {
		c.items = []CompletionItem{}
	}
	return completionList{Items: c.items}, nil
}

// completer collects the proposals for the cursor. It parses the text with a placeholder
// word at the cursor.
type completer struct {
	*view
	marked string // the text with the placeholder
	offset int
	tree   *sketch.Node // of marked
	items  []CompletionItem
}

func (v *view) completer(offset int) *completer {
	c := &completer{view: v, offset: offset, marked: v.doc.text[:offset] + string(cursor) + v.doc.text[offset:]}
	c.tree = sketch.Parse(c.marked)
	return c
}

// complete collects the proposals for the key or value at the cursor.
func (c *completer) complete() {
	spot := c.tree.At(c.offset + 1)
	switch {
	case spot.Key != nil && spot.Key.Colon < 0 && strings.Contains(spot.Key.Key, ":"):
		c.afterColon(spot.Key)
	case spot.Key != nil:
		c.keys(spot.Key.Mapping, spot.Key.From, spot.Key.Colon < 0)
	case spot.Value != nil && spot.Value.Kind == sketch.Scalar:
		c.value(spot.Value)
	}
}

// afterColon completes a value that directly follows a colon, without a space.
func (c *completer) afterColon(e *sketch.Entry) {
	key, _, _ := strings.Cut(e.Key, ":")
	if k, ok := c.keysAt(e.Mapping).Find(strings.TrimSpace(key)); ok {
		c.names(e.Mapping, k, e.From+len(key)+1, e.To, " ")
	}
}

// value completes a value, an expression in it, or the first key of a mapping.
func (c *completer) value(n *sketch.Node) {
	if c.isPipeline() && c.expression(n) {
		return
	}
	firstLine := strings.IndexAny(c.marked[n.From:n.To], "\r\n")
	if n.Style == sketch.Block || firstLine >= 0 && n.From+firstLine < c.offset {
		return // text
	}
	if n.Style == sketch.Plain && (n.Entry == nil || c.lineOf(n.Entry.Colon) != c.lineOf(n.From)) {
		c.keys(n, n.From, true)
	}
	if n.Entry != nil {
		if k, ok := c.keyOf(n.Entry); ok {
			c.names(n.Entry.Mapping, k, n.From, n.To, "")
		}
	} else if list := n.Parent; list != nil && list.Entry != nil {
		if k, ok := c.keyOf(list.Entry); ok {
			c.names(list.Entry.Mapping, k, n.From, n.To, "")
		}
	}
}

func (c *completer) lineOf(offset int) int { return strings.Count(c.marked[:offset], "\n") }

// keys proposes the keys that a mapping does not have yet, required ones first. open is
// true if there is no colon after the word at from.
func (c *completer) keys(mapping *sketch.Node, from int, open bool) {
	var existing []string
	for _, e := range mapping.Entries {
		if !strings.ContainsRune(e.Key, cursor) {
			existing = append(existing, e.Key)
		}
	}
	if actions := pipelines.StepActions(); stepOf(mapping) == mapping && slices.ContainsFunc(existing, func(key string) bool { return slices.Contains(actions, key) }) {
		existing = append(existing, actions...)
	}
	for i, k := range c.keysAt(mapping).Without(existing...) {
		order := 1
		if k.Required {
			order = 0
		}
		item := CompletionItem{
			Label: k.Name, Kind: kindProperty, Detail: k.Type, Documentation: markdown(explain(k)),
			SortText: fmt.Sprintf("%d%03d", order, i),
		}
		text := k.Name
		if open {
			text += c.textAfterKey(k, mapping, from, &item)
		}
		c.add(item, from, text)
	}
}

// textAfterKey returns the text to insert after a key: a colon and a space or, for a
// mapping or list, a new line.
func (c *completer) textAfterKey(k keydocs.Key, mapping *sketch.Node, from int, item *CompletionItem) string {
	nested := k.Type == "object" || k.Type == "JSON Schema" || strings.HasPrefix(k.Type, "map of ") || strings.HasPrefix(k.Type, "list of object")
	if !nested || mapping.Flow || !c.server.keepsIndentation() {
		return ": "
	}
	item.InsertTextMode = 1
	lineStart := strings.LastIndexAny(c.marked[:from], "\r\n") + 1
	text := ":\n" + strings.Repeat(" ", len([]rune(c.marked[lineStart:from]))+2)
	if strings.HasPrefix(k.Type, "list of ") {
		text += "- "
	}
	return text
}

// keepsIndentation reports whether the client inserts texts of several lines unchanged.
func (s *server) keepsIndentation() bool {
	return slices.Contains(s.client.TextDocument.Completion.CompletionItem.InsertTextModeSupport.ValueSet, 1)
}

// add proposes text as a replacement for the word at the cursor, which begins at from
// and can continue after the cursor.
func (c *completer) add(item CompletionItem, from int, text string) {
	to := c.offset
	for to < len(c.doc.text) && isWordByte(c.doc.text[to]) {
		to++
	}
	c.addTo(item, from, to, text)
}

func (c *completer) addTo(item CompletionItem, from, to int, text string) {
	item.TextEdit = &TextEdit{Range: c.doc.span(from, to), NewText: text}
	c.items = append(c.items, item)
}

func isWordByte(b byte) bool {
	return b == '_' || b == '-' || b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80
}

// expression completes a name in an expression. It returns false if the cursor is not in
// an expression.
func (c *completer) expression(n *sketch.Node) bool {
	escaped := n.Style == sketch.DoubleQuoted
	for _, s := range sections(c.marked, n) {
		if c.offset < s.from || c.offset >= s.to {
			continue
		}
		for _, ch := range chains(c.marked, s, escaped) {
			for i, l := range ch {
				if strings.ContainsRune(l.text, cursor) && !l.element {
					c.fields(n, ch, i)
					return true
				}
			}
		}
		return true // a number or a text
	}
	return false
}

// fields proposes the names for a link of a chain.
func (c *completer) fields(n *sketch.Node, ch chain, at int) {
	sc := c.scopeAt(c.marked, c.tree, n)
	if at == 0 {
		for _, s := range append(sc.variables(), functions()...) {
			c.symbol(s, ch[0], s.name)
		}
		return
	}
	owner, ok := sc.resolve(ch, at-1)
	if !ok || owner.members == nil {
		return
	}
	for _, s := range owner.members() {
		c.member(s, ch[at], n)
	}
}

// member proposes a field, after a dot or, if its name requires it, in brackets.
func (c *completer) member(s symbol, l link, n *sketch.Node) {
	if l.bracket {
		q := c.marked[l.from : l.from+1]
		if c.marked[l.from] == '\\' {
			q = c.marked[l.from : l.from+2]
		}
		text := q + strings.ReplaceAll(s.name, "\\", "\\\\") + q
		if l.closer == l.to {
			text += "]"
		}
		c.symbolTo(s, l.from, l.to, text)
		return
	}
	if !pipelines.NamesStep(s.name) {
		c.symbolTo(s, l.opener, l.to, "["+expressionQuote(n, s.name)+"]")
		return
	}
	c.symbol(s, l, s.name)
}

// expressionQuote returns a text for an expression in quotes that do not need escapes in
// the enclosing scalar.
func expressionQuote(n *sketch.Node, text string) string {
	if n.Style == sketch.DoubleQuoted {
		return "'" + text + "'"
	}
	return `"` + text + `"`
}

func (c *completer) symbol(s symbol, l link, text string) { c.symbolTo(s, l.from, l.to, text) }

// symbolTo proposes a symbol as a replacement for a part of the marked text.
func (c *completer) symbolTo(s symbol, from, to int, text string) {
	if to > c.offset {
		to = max(c.offset, to-len(string(cursor)))
	}
	order := "1"
	if s.kind == kindFunction {
		order = "2"
	}
	item := CompletionItem{Label: s.name, Kind: s.kind, Detail: s.typ, Documentation: markdown(s.doc), SortText: order + s.name}
	if from < to && c.doc.text[from] == '.' {
		item.FilterText = "." + s.name // editors filter by the text that is replaced
	} else if text != s.name {
		item.FilterText = text
	}
	c.addTo(item, from, to, text)
}
