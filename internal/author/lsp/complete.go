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

// completer looks for what could stand at the cursor. It reads the text as if a
// word stood there already.
type completer struct {
	*view
	marked string // the text with the cursor's sign
	offset int
	tree   *sketch.Node // of marked
	items  []CompletionItem
}

func (v *view) completer(offset int) *completer {
	c := &completer{view: v, offset: offset, marked: v.doc.text[:offset] + string(cursor) + v.doc.text[offset:]}
	c.tree = sketch.Parse(c.marked)
	return c
}

// complete finds out what the cursor stands in.
func (c *completer) complete() {
	spot := c.tree.At(c.offset + 1)
	switch {
	case spot.Key != nil && spot.Key.Colon < 0 && strings.Contains(spot.Key.Key, ":"):
		c.behindColon(spot.Key)
	case spot.Key != nil:
		c.keys(spot.Key.Mapping, spot.Key.From, spot.Key.Colon < 0)
	case spot.Value != nil && spot.Value.Kind == sketch.Scalar:
		c.value(spot.Value)
	}
}

// behindColon completes a value that has no blank in front of it yet.
func (c *completer) behindColon(e *sketch.Entry) {
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

// keys proposes those keys of a mapping that are not there yet, required ones
// first. open tells that the word at from has no colon behind it.
func (c *completer) keys(mapping *sketch.Node, from int, open bool) {
	var there []string
	for _, e := range mapping.Entries {
		if !strings.ContainsRune(e.Key, cursor) {
			there = append(there, e.Key)
		}
	}
	for i, k := range c.keysAt(mapping).Without(there...) {
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
			text += c.behindKey(k, mapping, from, &item)
		}
		c.add(item, from, text)
	}
}

// behindKey is what comes behind a key: a value, or a mapping or list in the
// lines below.
func (c *completer) behindKey(k keydocs.Key, mapping *sketch.Node, from int, item *CompletionItem) string {
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

// keepsIndentation tells whether the client takes texts of several lines as they
// are.
func (s *server) keepsIndentation() bool {
	return slices.Contains(s.client.TextDocument.Completion.CompletionItem.InsertTextModeSupport.ValueSet, 1)
}

// add proposes text in the place of the word from from to the cursor. A word
// goes on behind the cursor: all of it is replaced.
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

// expression completes a name in an expression; false when the cursor stands in
// none.
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
		return true // a number, or a text
	}
	return false
}

// fields proposes what can stand at a link of a chain.
func (c *completer) fields(n *sketch.Node, ch chain, at int) {
	sc := &scope{v: c.view, tree: c.tree, steps: stepsOf(c.tree), at: stepOf(n)}
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

// member proposes a field: behind a dot as it is, or in brackets where the
// language wants those.
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

// expressionQuote writes a text of an expression, in quotes that the scalar
// around it allows.
func expressionQuote(n *sketch.Node, text string) string {
	if n.Style == sketch.DoubleQuoted {
		return "'" + text + "'"
	}
	return `"` + text + `"`
}

func (c *completer) symbol(s symbol, l link, text string) { c.symbolTo(s, l.from, l.to, text) }

// symbolTo proposes a symbol in the place of a part of the marked text.
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
		item.FilterText = "." + s.name // editors compare with the text that is replaced
	} else if text != s.name {
		item.FilterText = text
	}
	c.addTo(item, from, to, text)
}
