// Package reload follows the folder of a worker's pipelines: it notices changes,
// checks the files as the start of a worker does, and hands on a catalogue in which
// no broken file has taken the place of a good one.
//
// Notices come from the operating system, and from looking at the folder now and
// then, for notices get lost, and network shares send none.
package reload
