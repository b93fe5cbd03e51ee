package checker

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"

	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
	"botwork/workqueue/notify"
)

// references warns about names in the settings to which nothing belongs: the queues of the worker,
// and the queues and pipelines by which notifications are filtered.
func (c *Checker) references(catalogue *pipelines.Catalogue) strictyaml.Findings {
	var findings strictyaml.Findings
	queues := definedQueues(c.settings.Queues)
	queue := func(path, pattern string) {
		if len(queues) > 0 && !matchesAny(pattern, queues) {
			findings = append(findings, c.settings.Warning(path, "unknown-queue",
				fmt.Sprintf("the settings define no queue %q", pattern), queueHint(pattern, queues)))
		}
	}
	for i, name := range c.settings.Worker.Queues {
		queue(fmt.Sprintf("worker.queues[%d]", i), name)
	}
	known := []string{}
	for _, p := range catalogue.All() {
		known = append(known, p.Name)
	}
	complete := len(catalogue.Broken()) == 0
	for _, name := range slices.Sorted(maps.Keys(c.settings.Notifications.Rules)) {
		filter, path := c.settings.Notifications.Rules[name].Filter, "notifications.rules."+name+".filter"
		for i, pattern := range filter.Queues {
			queue(fmt.Sprintf("%s.queues[%d]", path, i), pattern)
		}
		for i, pattern := range filter.Pipelines {
			if complete && pattern != "" && !matchesAny(pattern, known) {
				findings = append(findings, c.settings.Warning(fmt.Sprintf("%s.pipelines[%d]", path, i), pipelines.CodeUnknownPipeline,
					fmt.Sprintf("there is no pipeline %q, so the rule sends nothing about it", pattern), strictyaml.Suggest(pattern, known)))
			}
		}
	}
	return findings
}

// schemas warns about misspelt keywords in the schemas of queues that are part of the settings.
func (c *Checker) schemas() strictyaml.Findings {
	var findings strictyaml.Findings
	if c.settings.Queues == nil {
		return nil
	}
	for _, queue := range c.settings.Queues.Entries {
		for _, key := range []string{"payload", "output", "analytics"} {
			findings = append(findings, pipelines.SchemaWarnings(queue.Value.Get("schemas").Get(key))...)
		}
	}
	return findings
}

// matchesAny reports whether a name or a pattern with * names one of the names.
func matchesAny(pattern string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return notify.Matches(pattern, name) })
}

// CodeMissingFolder is the code of a folder of handlers.folders that does not exist.
const CodeMissingFolder = "missing-folder"

// missingFolders warns about folders of handlers.folders that do not exist: every step that uses
// one fails. It is only a warning, because the folder may exist on another machine.
func (c *Checker) missingFolders() strictyaml.Findings {
	var findings strictyaml.Findings
	for i, folder := range c.settings.Handlers.Folders {
		info, err := os.Stat(folder)
		message, hint := "", "create it, or correct the path: a relative path is relative to the folder of the settings file"
		switch {
		case folder == "":
			continue // reported with the settings
		case errors.Is(err, fs.ErrNotExist):
			message = fmt.Sprintf("the folder %s does not exist", folder)
		case err == nil && !info.IsDir():
			message, hint = fmt.Sprintf("%s is a file, want a folder", folder), "write the folder that contains it"
		default:
			continue // botwork doctor checks the rights
		}
		findings = append(findings, c.settings.Warning(fmt.Sprintf("handlers.folders[%d]", i), CodeMissingFolder, message, hint))
	}
	return findings
}
