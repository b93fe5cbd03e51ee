package events

import (
	"encoding/json"
	"slices"
)

// Topic is what an event is about.
type Topic string

// The topics.
const (
	Items   Topic = "items"   // counts by queue of what happened since the previous event
	Queues  Topic = "queues"  // the queues whose pause or policy has changed
	Workers Topic = "workers" // the workers whose state has changed
	Runs    Topic = "runs"    // runs of system pipelines that have started or ended
	Item    Topic = "item"    // an item that the client follows has changed
)

// Summaries lists the topics without the items that a client follows.
func Summaries() []Topic { return []Topic{Items, Queues, Workers, Runs} }

// Event is one event. Its id grows within a process.
type Event struct {
	ID    uint64
	Topic Topic
	Data  json.RawMessage

	// parts are the data by queue, for clients that are bound to queues; nil: the data is about
	// no queue, and clients that are bound to queues do not get it.
	parts map[string]json.RawMessage

	item int64 // with Item
}

// Filter is what a client wants to hear of.
type Filter struct {
	Topics []Topic // summaries
	Items  []int64 // that the client follows

	// Queues are the queues that the client may see, and wants to; none: all.
	Queues []string
}

// view returns the event as a client gets it; ok is false if it does not get it.
func (f *Filter) view(e Event) (_ Event, ok bool) {
	if e.Topic == Item {
		return e, slices.Contains(f.Items, e.item) && (len(f.Queues) == 0 || f.queueOf(e))
	}
	if !slices.Contains(f.Topics, e.Topic) {
		return e, false
	}
	if len(f.Queues) == 0 {
		return e, true
	}
	var data []json.RawMessage
	for _, queue := range f.Queues {
		if part, ok := e.parts[queue]; ok {
			data = append(data, part)
		}
	}
	if len(data) == 0 {
		return e, false
	}
	e.Data = wrap(e.Topic, data)
	return e, true
}

// queueOf reports whether the item of the event is in one of the client's queues.
func (f *Filter) queueOf(e Event) bool {
	for queue := range e.parts {
		return slices.Contains(f.Queues, queue)
	}
	return false
}

// wrap returns the data of a summary: its entries under the topic's name.
func wrap(topic Topic, entries []json.RawMessage) json.RawMessage {
	data, err := json.Marshal(map[Topic][]json.RawMessage{topic: entries})
	if err != nil {
		return json.RawMessage("{}") // unreachable: the entries are JSON
	}
	return data
}
