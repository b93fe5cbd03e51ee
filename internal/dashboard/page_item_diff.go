package dashboard

import (
	"regexp"
	"strconv"
	"strings"
)

// textDiff is the text that an item ran beside the present text of its pipeline.
type textDiff struct {
	Ran, Present string // their hashes
	Rows         []diffRow
}

// diffRow is a line of both texts. A line that only one of them has leaves the other side empty.
type diffRow struct {
	Left, Right     string
	LeftNo, RightNo int  // from 1; 0: that text has no such line
	Changed         bool // the sides differ
	Gap             bool // lines that are the same were left out before this one
}

var hunk = regexp.MustCompile(`^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@`)

// sideBySide reads a unified difference.
func sideBySide(unified string) []diffRow {
	var rows []diffRow
	var removed, added []string
	left, right, gap, inside := 0, 0, false, false
	add := func(row diffRow) {
		row.Gap, gap = gap, false
		rows = append(rows, row)
	}
	flush := func() {
		for i := range max(len(removed), len(added)) {
			row := diffRow{Changed: true}
			if i < len(removed) {
				row.Left, row.LeftNo = removed[i], left
				left++
			}
			if i < len(added) {
				row.Right, row.RightNo = added[i], right
				right++
			}
			add(row)
		}
		removed, added = nil, nil
	}
	for line := range strings.Lines(unified) {
		line = strings.TrimSuffix(line, "\n")
		if at := hunk.FindStringSubmatch(line); at != nil {
			flush()
			left, right = atoi(at[1]), atoi(at[2])
			gap, inside = left > 1 || len(rows) > 0, true
			continue
		}
		if !inside || line == "" {
			continue
		}
		switch text := line[1:]; line[0] {
		case '-':
			if len(added) > 0 {
				flush()
			}
			removed = append(removed, text)
		case '+':
			added = append(added, text)
		case ' ':
			flush()
			add(diffRow{Left: text, Right: text, LeftNo: left, RightNo: right})
			left++
			right++
		}
	}
	flush()
	return rows
}

func atoi(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}
