// Package assign makes assignment passes: it reads which items are due and which workers
// are free, has package plan decide who gets what, and writes that through the store. Why and
// DryRun explain a pass with the same code, and Simulation runs passes and workers in virtual
// time over a copy in memory.
package assign
