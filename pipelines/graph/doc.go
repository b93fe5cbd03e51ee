// Package graph draws pipelines: the steps of one pipeline, or how the pipelines of a
// project start each other. A Chart is the graph without positions. It can be written as
// Mermaid text, or laid out and drawn as SVG.
package graph
