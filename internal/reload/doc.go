// Package reload watches a worker's pipelines folder. When files change it checks them as
// the start of a worker does, and passes on a catalogue in which a broken file never
// replaces a good one.
//
// It learns of changes from the operating system and by polling: notifications get lost,
// and network shares send none.
package reload
