package cli

import (
	"fmt"
	"maps"
	"slices"

	"botwork/workqueue"
)

// PauseText describes a pause for people.
func (s *Streams) PauseText(p workqueue.PipelinePause) string {
	text := fmt.Sprintf("paused by %s since %s", p.By, s.Instant(&p.At))
	if p.Reason != "" {
		text += ": " + p.Reason
	}
	return text
}

// PrintPauses prints a line for each paused pipeline, or only for the named one unless it is "".
func (s *Streams) PrintPauses(paused map[string]workqueue.PipelinePause, only string) {
	for _, name := range slices.Sorted(maps.Keys(paused)) {
		if only == "" || only == name {
			fmt.Fprintf(s.Stdout, "%s is %s\n", name, s.PauseText(paused[name]))
		}
	}
}
