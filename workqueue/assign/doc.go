// Package assign makes assignment passes: it reads which items are due and which workers
// are free, has package plan decide who gets what, and writes that through the store. Why,
// DryRun and the forecast explain a pass with the same code.
package assign
