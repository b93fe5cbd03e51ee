package checker

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"botwork/internal/author/strictyaml"
	"botwork/pipelines"
)

// link is a step Enqueue that every run of a pipeline reaches.
type link struct {
	to string           // the pipeline of the new items
	at *strictyaml.Node // its name in the step
}

// loops warns about pipelines whose items enqueue one another without end: each run reaches a step
// Enqueue without a condition, and following these steps leads back to the pipeline. A list of items
// or a key that an expression gives may end the loop, so it is not reported.
func (a *crossCheck) loops() {
	links := map[string][]link{}
	for _, p := range a.catalogue.All() {
		nodes := sync.OnceValue(p.Nodes)
		for s := range p.Each() {
			if s.Handler != "Enqueue" || p.Trigger != nil || !s.AlwaysReaches() {
				continue
			}
			with := nodes()[s].Get("with")
			if to := with.Get("pipeline"); isLiteral(to) && repeats(with) {
				links[p.Name] = append(links[p.Name], link{to.Text, to})
			}
		}
	}
	reported := map[string]bool{}
	for _, p := range a.catalogue.All() {
		for _, l := range links[p.Name] {
			path := loopFrom(links, l.to, p.Name)
			if path == nil || reported[p.Name] {
				continue
			}
			message := "each run enqueues another item of this pipeline, without end"
			if len(path) > 1 {
				message = "items enqueue one another without end: " + strings.Join(append([]string{p.Name}, path...), " -> ")
			}
			for _, name := range path {
				reported[name] = true
			}
			a.add(l.at, strictyaml.Warning, pipelines.CodeEndlessLoop, message,
				fmt.Sprintf("give the step an if that becomes false; for regular runs write a task in botwork.yaml: tasks: {NAME: {pipeline: %s, schedule: …}}", p.Name))
		}
	}
}

// repeats reports whether a step Enqueue surely enqueues a new item in each run.
func repeats(with *strictyaml.Node) bool {
	items := with.Get("items")
	return (items == nil || items.Kind == strictyaml.Sequence && len(items.Items) > 0) &&
		!with.Get("naturalKey").HasValue() && !with.Get("unique").HasValue()
}

// loopFrom returns a shortest path of pipelines that begins with from and ends with to, or nil.
func loopFrom(links map[string][]link, from, to string) []string {
	seen, paths := map[string]bool{from: true}, [][]string{{from}}
	for len(paths) > 0 {
		path := paths[0]
		paths = paths[1:]
		last := path[len(path)-1]
		if last == to {
			return path
		}
		for _, l := range links[last] {
			if !seen[l.to] {
				seen[l.to] = true
				paths = append(paths, append(slices.Clone(path), l.to))
			}
		}
	}
	return nil
}
