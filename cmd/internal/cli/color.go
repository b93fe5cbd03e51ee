package cli

import (
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"botwork/workqueue"
)

// stateColumns are the headers of columns whose words have colours.
var stateColumns = []string{"status", "state", "outcome"}

// stateColors are the colours of these words. Each word says the same without its colour.
var stateColors = map[string]text.Colors{
	string(workqueue.StatusRunning):       {text.FgCyan},
	string(workqueue.StatusAssigned):      {text.FgCyan},
	string(workqueue.StatusSucceeded):     {text.FgGreen},
	string(workqueue.StatusRetry):         {text.FgYellow},
	string(workqueue.StatusFailed):        {text.FgRed},
	string(workqueue.StatusBusinessError): {text.FgRed},
	string(workqueue.StatusExpired):       {text.FgMagenta},
	string(workqueue.StatusCancelled):     {text.FgMagenta},
	string(workqueue.StatusDeleted):       {text.Faint},

	// Of workers, queues, tasks, services, checks, attempts and steps.
	"active":    {text.FgGreen},
	"running":   {text.FgGreen},
	"ok":        {text.FgGreen},
	"done":      {text.FgGreen},
	"succeeded": {text.FgGreen},
	"draining":  {text.FgYellow},
	"paused":    {text.FgYellow},
	"warning":   {text.FgYellow},
	"gone":      {text.FgRed},
	"broken":    {text.FgRed},
	"fault":     {text.FgRed},
	"failed":    {text.FgRed},
	"stopped":   {text.Faint},
	"inactive":  {text.Faint},
	"skipped":   {text.Faint},
}

// colored returns a copy of the row with colours in the columns of states.
func colored(columns, row []string) []string {
	row = slices.Clone(row)
	for i, cell := range row {
		if i >= len(columns) || !slices.Contains(stateColumns, strings.ToLower(columns[i])) {
			continue
		}
		if c, ok := stateColors[cell]; ok {
			row[i] = c.EscapeSeq() + cell + text.Reset.EscapeSeq()
		}
	}
	return row
}
