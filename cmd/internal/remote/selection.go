package remote

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"botwork/client"
	"botwork/workqueue"
)

// errIDs is returned for a filter by ids, which the API does not have: without them it would select
// other items.
var errIDs = errors.New("a filter by ids does not work over a server")

// selectionOf writes a filter for the API, except its ids.
func selectionOf(f *workqueue.ItemFilter) client.Selection {
	s := client.Selection{
		Queue: f.QueueName, Pipeline: f.Pipeline, Worker: f.Worker, Key: f.NaturalKey, KeyPart: f.KeyPart, Task: f.TaskName, Tag: f.TagsAny, Error: f.ErrorPart,
		CreatedSince: f.Created.Since, CreatedUntil: f.Created.Until, DueSince: f.Due.Since, DueUntil: f.Due.Until,
		StartedSince: f.Started.Since, StartedUntil: f.Started.Until, FinishedSince: f.Finished.Since, FinishedUntil: f.Finished.Until,
		FailedSince: f.Failed.Since, FailedUntil: f.Failed.Until, DeadlineSince: f.Deadline.Since, DeadlineUntil: f.Deadline.Until,
	}
	for _, state := range f.States {
		s.State = append(s.State, state.String())
	}
	for _, life := range f.Lifecycles {
		s.Lifecycle = append(s.Lifecycle, string(life))
	}
	for _, status := range f.Statuses {
		s.Status = append(s.Status, strings.ReplaceAll(strings.ToLower(string(status)), " ", "-"))
	}
	for _, kind := range f.ErrorKinds {
		s.ErrorKind = append(s.ErrorKind, string(kind))
	}
	if len(f.TagsAll) > 0 {
		s.Tag, s.AllTags = f.TagsAll, true
	}
	for _, key := range slices.Sorted(maps.Keys(f.Metadata)) { // sorted: a request that continues must be the same
		s.Meta = append(s.Meta, key+"="+f.Metadata[key])
	}
	for _, key := range slices.Sorted(maps.Keys(f.MetadataBegins)) {
		s.MetaLike = append(s.MetaLike, key+"="+f.MetadataBegins[key]+"*")
	}
	for _, name := range slices.Sorted(maps.Keys(f.Labels)) {
		s.Label = append(s.Label, name+"="+f.Labels[name])
	}
	s.Label = append(s.Label, f.HasLabels...)
	if f.Band != (workqueue.Band{}) {
		s.MinPriority, s.MaxPriority = &f.Band.Min, &f.Band.Max
	}
	if f.Payload != nil {
		s.Payload = f.Payload.String()
	}
	return s
}
