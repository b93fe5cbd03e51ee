package sqlstore

import "strconv"

// cell is one of the values that the statement enqueue takes for an item.
type cell int

// The cells.
const (
	queueCell cell = iota
	stateCell
	prioCell
	configCell
	bodyCell
	estimateCell
	policyCell
	dueCell
	delayCell
	deadlineCell
	deadlineMsCell
	authorCell
	taskCell
	keyCell
	limitCell
	tagsCell
	metaCell
	labelsCell
	selectorsCell
	expeditedCell
	keepCell
	lifeCell
	sealedCell
	ticketCell
	uniqueCell
	contentCell
	timedCell
	timedMsCell
	cells // how many there are
)

// cellNames are their names in the statement.
var cellNames = [cells]string{
	queueCell: "Queue", stateCell: "NewState", prioCell: "Prio", configCell: "Config", bodyCell: "Body",
	estimateCell: "EstimateMs", policyCell: "Policy", dueCell: "DueAt", delayCell: "DelayMs", deadlineCell: "Deadline",
	deadlineMsCell: "DeadlineMs", authorCell: "Author", taskCell: "Task", keyCell: "KeyText", limitCell: "LimitText",
	tagsCell: "TagList", metaCell: "Meta", labelsCell: "LabelText", selectorsCell: "SelectorText", expeditedCell: "Expedited",
	keepCell: "KeepMs", lifeCell: "LifeMs", sealedCell: "Sealed", ticketCell: "Ticket", uniqueCell: "UniqueHash",
	contentCell: "ContentHash", timedCell: "TimedHash", timedMsCell: "TimedMs",
}

// cellSet is a set of cells, a bit for each.
type cellSet uint64

func (s cellSet) has(c cell) bool { return s&(1<<c) != 0 }

// cellValues are an item's values: texts, numbers of 64 bits, and nil, SQL's NULL.
type cellValues [cells]any

// text sets a text, cleaned; "" is NULL.
func (v *cellValues) text(c cell, text string) {
	if text != "" {
		v[c] = clean(text)
	}
}

// appendRows writes rows as the statement takes them: a list of objects that hold
// what is not NULL of the cells.
func appendRows(b []byte, rows []newItemRow, own cellSet) []byte {
	b = append(b, '[')
	for i := range rows {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, '{')
		for c, v := range rows[i].cells {
			if v == nil || !own.has(cell(c)) {
				continue
			}
			if b[len(b)-1] != '{' {
				b = append(b, ',')
			}
			b = append(append(append(b, '"'), cellNames[c]...), `":`...)
			if text, ok := v.(string); ok {
				b = appendText(b, text)
			} else {
				b = strconv.AppendInt(b, v.(int64), 10)
			}
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

// appendText writes a text, which is valid UTF-8, as a JSON string.
func appendText(b []byte, text string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i := range len(text) {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, text[from:i]...)
		if c < ' ' {
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		} else {
			b = append(b, '\\', c)
		}
		from = i + 1
	}
	return append(append(b, text[from:]...), '"')
}
