package sql

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
)

//go:embed item_columns.txt
var itemColumnsText string

// ItemList is the name of a list of columns of BotWorkQueueItems.
type ItemList string

// The lists of item_columns.txt.
const (
	WholeItem   ItemList = "item"
	ClaimedItem ItemList = "claim"
	CopiedItem  ItemList = "copy"
)

// itemCalls are the lists by the names that statements use for them.
var itemCalls = map[string]ItemList{
	"item_columns":    WholeItem,
	"claimed_columns": ClaimedItem,
	"copied_columns":  CopiedItem,
}

// itemColumn is a line of item_columns.txt.
type itemColumn struct {
	name, kind string
	lists      []ItemList
}

var itemColumns = parseItemColumns(itemColumnsText)

// ItemColumns returns the columns of a list in the order in which statements return
// them.
func ItemColumns(list ItemList) []string {
	var names []string
	for _, c := range itemColumns {
		if slices.Contains(c.lists, list) {
			names = append(names, c.name)
		}
	}
	return names
}

// parseItemColumns panics on a line that it cannot parse: the text is part of the program.
func parseItemColumns(text string) []itemColumn {
	var columns []itemColumn
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		c := itemColumn{name: fields[0]}
		if len(fields) > 1 {
			c.kind = fields[1]
		}
		if !slices.Contains([]string{"value", "time", "large"}, c.kind) || len(fields) == 2 {
			panic(fmt.Sprintf("sql/item_columns.txt: got %q, want a name, a kind and lists", strings.TrimSpace(line)))
		}
		for _, list := range fields[2:] {
			if !slices.Contains([]ItemList{WholeItem, ClaimedItem, CopiedItem}, ItemList(list)) {
				panic(fmt.Sprintf("sql/item_columns.txt: column %s: unknown list %q", c.name, list))
			}
			c.lists = append(c.lists, ItemList(list))
		}
		columns = append(columns, c)
	}
	return columns
}

// itemList returns the replacement for a call of a list. The argument row precedes each column,
// such as "i.". A claimed column of another kind than value becomes the engine's fragment
// claimed_time or claimed_large.
func (e *expander) itemList(list ItemList, arguments map[string]string) (string, error) {
	row, ok := arguments["row"]
	if !ok || len(arguments) != 1 {
		return "", fmt.Errorf("list %q has the parameter row, but the call passes %q", list, slices.Sorted(maps.Keys(arguments)))
	}
	var columns []string
	for _, c := range itemColumns {
		if !slices.Contains(c.lists, list) {
			continue
		}
		column := row + e.quote(c.name)
		if list == ClaimedItem && c.kind != "value" {
			call := fmt.Sprintf("claimed_%s column=%s", c.kind, column)
			var err error
			if column, err = e.call(call, nil, nil); err != nil {
				return "", err
			}
		}
		columns = append(columns, column)
	}
	return wrapList(columns), nil
}

// quote quotes a column name on PostgreSQL, which would convert it to lower case.
func (e *expander) quote(name string) string {
	if e.engine == "postgres" {
		return `"` + name + `"`
	}
	return name
}

// wrapList joins columns with commas, in lines of about 100 characters.
func wrapList(columns []string) string {
	const width = 100
	var b strings.Builder
	length := 0
	for i, c := range columns {
		switch {
		case i == 0:
		case length+len(c) > width:
			b.WriteString(",\n")
			length = 0
		default:
			b.WriteString(", ")
		}
		b.WriteString(c)
		length += len(c) + len(", ")
	}
	return b.String()
}
