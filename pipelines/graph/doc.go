// Package graph draws pipelines: the steps of one, or how those of a project
// start each other. A Chart is what there is to see, without places; it is written
// as Mermaid's text, or laid out and drawn as SVG.
package graph
