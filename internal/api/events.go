package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"botwork/internal/api/auth"
	"botwork/internal/api/events"
	"botwork/internal/httpserver"
	"botwork/workqueue/access"
)

const (
	// beatEvery is the time between two comments that keep proxies from closing the connection.
	// The caller's token or session is checked again at each.
	beatEvery = 15 * time.Second

	// writeWithin is how long a client may take to receive an event.
	writeWithin = 10 * time.Second

	// reconnectAfter is when a browser should connect again.
	reconnectAfter = 3 * time.Second

	// maxEventItems is how many items a client may follow.
	maxEventItems = 20
)

func (a *API) registerEvents() {
	text := &huma.Schema{Type: "string"}
	a.plain(operation{
		id: "events-stream", method: http.MethodGet, path: "/events", summary: "Follow what changes, as Server-Sent Events", needs: access.Viewer, robots: true, bound: true,
		doc: "Topics are items (counts by queue of what happened since the previous event), queues, workers and runs (what has changed), each at most once a second; " +
			"without a parameter all of them. A client may also follow items by their ids. Callers that are bound to queues get no workers and runs. " +
			"After a lost connection, the header Last-Event-ID asks for the events of the last five minutes that followed; the event reset says that some are missing, and bye why the server ends the stream.",
		parameters: []*huma.Param{
			{Name: "topic", In: "query", Description: "topics, separated by commas", Schema: text},
			{Name: "queue", In: "query", Description: "only these queues, separated by commas", Schema: text},
			{Name: "item", In: "query", Description: "ids of items to follow, separated by commas, at most 20", Schema: text},
			{Name: "Last-Event-ID", In: "header", Description: "the id of the last event that the client has", Schema: text},
		},
	}, "text/event-stream", a.streamEvents)
}

// streamEvents serves a client until it goes, or is sent away.
func (a *API) streamEvents(w http.ResponseWriter, r *http.Request) {
	filter, refused := eventFilter(r)
	if refused != nil {
		a.answer(w, r, refused)
		return
	}
	after, _ := strconv.ParseUint(r.Header.Get("Last-Event-ID"), 10, 64) // anything else is no id of an event
	client, missed, err := a.events.Subscribe(streamsOf(auth.From(r.Context())), filter, after)
	if err != nil {
		most, ofCaller := a.events.Most()
		hint := fmt.Sprintf("close pages or programs that follow events: a user or token may have %d streams, all together %d (http.limits.waiting)", ofCaller, most)
		a.answer(w, r, problem(http.StatusTooManyRequests, "too-many-streams", "%v", err).withHint(hint).withHeader("Retry-After", "30"))
		return
	}
	defer client.Close()
	httpserver.Waits(r.Context())
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // nginx must not wait for more
	s := &eventStream{w: w, r: r}
	s.write("retry: %d\n\n", reconnectAfter.Milliseconds())
	if missed {
		s.event("reset", 0, []byte("{}"))
	}
	ticker := time.NewTicker(beatEvery)
	defer ticker.Stop()
	for s.flush() == nil {
		select {
		case <-r.Context().Done():
			return
		case <-a.draining:
			s.bye("draining")
			return
		case <-ticker.C:
			s.write(": \n\n")
			if _, refused := a.caller(humago.NewContext(nil, r, w)); refused != nil {
				s.bye(refused.Code)
				return
			}
		case e, ok := <-client.Events():
			if !ok {
				s.bye(byeReason(client.Err()))
				return
			}
			s.event(string(e.Topic), e.ID, e.Data)
		}
	}
}

// streamsOf returns under which name the streams of a caller are counted: the sessions of a user share a bound.
func streamsOf(p *access.Principal) string { return string(p.Kind) + " " + p.Name }

func byeReason(err error) string {
	switch {
	case errors.Is(err, events.ErrSlow):
		return "too-slow"
	default:
		return "draining"
	}
}

// eventStream writes Server-Sent Events.
type eventStream struct {
	w   http.ResponseWriter
	r   *http.Request
	err error
}

func (s *eventStream) write(format string, args ...any) {
	if s.err == nil {
		httpserver.WritesFor(s.r.Context(), writeWithin)
		_, s.err = fmt.Fprintf(s.w, format, args...)
	}
}

// event writes an event; id 0 means none. The data is JSON, and so has no line breaks.
func (s *eventStream) event(name string, id uint64, data []byte) {
	if id != 0 {
		s.write("id: %d\n", id)
	}
	s.write("event: %s\ndata: ", name)
	if s.err == nil {
		_, s.err = s.w.Write(data)
	}
	if s.err == nil {
		_, s.err = io.WriteString(s.w, "\n\n")
	}
}

// bye sends the event with the reason why the stream ends.
func (s *eventStream) bye(reason string) {
	data, _ := json.Marshal(map[string]string{"reason": reason}) // a text always encodes
	s.event("bye", 0, data)
	_ = s.flush()
}

func (s *eventStream) flush() error {
	if s.err == nil {
		s.err = http.NewResponseController(s.w).Flush()
	}
	return s.err
}

// eventFilter reads the parameters, and refuses what the caller may not see.
func eventFilter(r *http.Request) (events.Filter, *Problem) {
	f := events.Filter{}
	q := r.URL.Query()
	for name := range q {
		if !slices.Contains([]string{"topic", "queue", "item"}, name) {
			return f, badParameter("query."+name, "unknown query parameter")
		}
	}
	for _, topic := range words(q["topic"]) {
		if !slices.Contains(events.Summaries(), events.Topic(topic)) {
			return f, badParameter("query.topic", fmt.Sprintf("got %.40q, want %v", topic, events.Summaries()))
		}
		f.Topics = append(f.Topics, events.Topic(topic))
	}
	for _, text := range words(q["item"]) {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil || id < 1 {
			return f, badParameter("query.item", fmt.Sprintf("got %.40q, want ids of items", text))
		}
		f.Items = append(f.Items, id)
	}
	if len(f.Items) > maxEventItems {
		return f, badParameter("query.item", fmt.Sprintf("got %d ids, want at most %d", len(f.Items), maxEventItems))
	}
	if len(f.Topics) == 0 && len(f.Items) == 0 {
		f.Topics = events.Summaries()
	}
	f.Queues = words(q["queue"])
	p := auth.From(r.Context())
	for _, queue := range f.Queues {
		if !p.MayQueue(queue) {
			return f, problem(http.StatusForbidden, "queue-not-allowed", "the caller may not use the queue %q", queue)
		}
	}
	if len(f.Queues) == 0 {
		f.Queues = p.Queues
	}
	return f, nil
}

func badParameter(location, message string) *Problem {
	p := problem(http.StatusUnprocessableEntity, "invalid-request", "validation failed")
	p.Errors = []Fault{{Location: location, Message: message}}
	return p
}

// words splits values at commas.
func words(values []string) []string {
	var all []string
	for _, value := range values {
		for word := range strings.SplitSeq(value, ",") {
			if word = strings.TrimSpace(word); word != "" {
				all = append(all, word)
			}
		}
	}
	return all
}

// answer writes a problem outside of huma.
func (a *API) answer(w http.ResponseWriter, r *http.Request, p *Problem) {
	a.write(humago.NewContext(nil, r, w), p.of(r.Context()))
}
