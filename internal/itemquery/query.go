package itemquery

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"botwork/internal/author/strictyaml"
	"botwork/internal/moments"
	"botwork/workqueue"
)

// Query is a filter of items as it is written. A text that is not written is "", a list nil.
type Query struct {
	Statuses, Lifecycles, States []string // each may have several words, separated by commas
	Queue, Pipeline, Worker      string
	Key, KeyPart, Task           string
	Tags                         []string
	AllTags                      bool
	Meta, MetaLike               []string
	Labels                       []string // NAME=VALUE, or NAME for any value
	Band                         string
	MinPriority, MaxPriority     *int
	Deleted                      bool
	ErrorKinds                   []string
	ErrorPart                    string
	Times                        map[string]string // by field, such as failedSince
	Payload                      string
}

// Options are what the reader of a query depends on.
type Options struct {
	Now  time.Time
	Zone *time.Location // of times without a zone

	// Written reports whether a field was written, even with an empty text; nil: those that are not
	// empty.
	Written func(field string) bool

	// Name returns how the writer of the query writes a field, for messages; nil: the field itself.
	Name func(field string) string
}

func (o *Options) name(field string) string {
	if o.Name == nil {
		return field
	}
	return o.Name(field)
}

// Fault is one fault in a query.
type Fault struct {
	Field   string // such as keyPart
	Message string // begins with the field as Options.Name writes it
	Hint    string // "" if none
}

func (f *Fault) Error() string {
	if f.Hint == "" {
		return f.Message
	}
	return f.Message + "; " + f.Hint
}

// Range is a time that items can be selected by. Its fields are its name with Since and Until.
type Range struct {
	Name string // such as failed
	Help string // what happened to the items then
}

// Ranges lists the times that items can be selected by.
func Ranges() []Range {
	return []Range{
		{"created", "created"}, {"due", "due"}, {"started", "started"}, {"finished", "finished"}, {"failed", "ended as Failed or Business error"},
		{"deadline", "not started, with a deadline"},
	}
}

// BandWords lists the names of the bands.
func BandWords() []string { return []string{"high", "medium", "low"} }

var bands = map[string]workqueue.Band{
	"high":   {Min: 1001, Max: math.MaxInt32},
	"medium": {Min: 500, Max: 1000},
	"low":    {Min: math.MinInt32, Max: 499},
}

// reader reads a query, and collects its faults.
type reader struct {
	*Query
	Options
	faults []*Fault
	filter workqueue.ItemFilter
}

// Filter returns the filter of the query, except Deleted: see [Query.Widen]. It is the zero value
// if the query has no filter. All faults are returned at once.
func (q *Query) Filter(o Options) (workqueue.ItemFilter, []*Fault) {
	r := &reader{Query: q, Options: o}
	r.filter = workqueue.ItemFilter{
		QueueName: q.Queue, Pipeline: q.Pipeline, Worker: q.Worker, NaturalKey: q.Key, TaskName: q.Task, TagsAny: q.Tags,
		KeyPart: q.KeyPart, ErrorPart: q.ErrorPart,
	}
	if r.refuseEmpty(); len(r.faults) > 0 {
		return r.filter, r.faults
	}
	if q.AllTags {
		if len(q.Tags) == 0 {
			r.fault("allTags", "%s: got no %s, want one or more", o.name("allTags"), o.name("tag"))
		}
		r.filter.TagsAny, r.filter.TagsAll = nil, q.Tags
	}
	r.payload()
	r.standing()
	r.statuses()
	r.filter.Metadata = r.pairs()
	r.patterns()
	r.labels()
	r.errorKinds()
	r.times()
	r.priorities()
	return r.filter, r.faults
}

func (r *reader) fault(field, format string, args ...any) {
	r.faults = append(r.faults, &Fault{Field: field, Message: fmt.Sprintf(format, args...)})
}

// notOneOf adds the fault of a word that does not exist.
func (r *reader) notOneOf(field, got string, want []string) {
	r.faults = append(r.faults, &Fault{field, fmt.Sprintf("%s: got %q, want one of %s", r.name(field), got, strings.Join(want, ", ")), strictyaml.Suggest(got, want)})
}

func (r *reader) empty(field string) {
	r.fault(field, "%s: got an empty text; omit it to match any", r.name(field))
}

// refuseEmpty refuses an empty filter: an unset variable in a script must not select all items.
func (r *reader) refuseEmpty() {
	for _, f := range []struct {
		field  string
		values []string
	}{
		{"status", r.Statuses}, {"lifecycle", r.Lifecycles}, {"state", r.States}, {"queue", []string{r.Queue}}, {"pipeline", []string{r.Pipeline}},
		{"worker", []string{r.Worker}}, {"key", []string{r.Key}}, {"task", []string{r.Task}}, {"band", []string{r.Band}},
		{"keyPart", []string{r.KeyPart}}, {"error", []string{r.ErrorPart}}, {"errorKind", r.ErrorKinds}, {"metaLike", r.MetaLike}, {"label", r.Labels},
	} {
		written := len(f.values) > 0 && f.values[0] != ""
		if r.Written != nil {
			written = r.Written(f.field)
		}
		if written && (len(f.values) == 0 || slices.Contains(f.values, "")) || len(f.values) > 1 && slices.Contains(f.values, "") {
			r.empty(f.field)
		}
	}
	for _, span := range Ranges() {
		for _, field := range []string{span.Name + "Since", span.Name + "Until"} {
			if r.Written != nil && r.Written(field) && r.Times[field] == "" {
				r.empty(field)
			}
		}
	}
	if r.Written != nil && r.Written("payload") && strings.TrimSpace(r.Payload) == "" {
		r.empty("payload")
	}
	// The command that updates items moves new values out of these two, so they may have become
	// empty.
	if slices.Contains(r.Tags, "") {
		r.empty("tag")
	}
	if slices.Contains(r.Meta, "") {
		r.empty("meta")
	}
}

func (r *reader) payload() {
	if r.Payload == "" {
		return
	}
	var err error
	if r.filter.Payload, err = workqueue.ParsePayloadFilter(r.Payload); err != nil {
		r.fault("payload", "%s: %v", r.name("payload"), err)
	}
}

// pairs reads metadata: KEY=VALUE.
func (r *reader) pairs() map[string]string {
	var pairs map[string]string
	for _, text := range r.Meta {
		key, value, ok := strings.Cut(text, "=")
		if !ok || key == "" {
			r.fault("meta", "%s: got %q, want KEY=VALUE", r.name("meta"), text)
			continue
		}
		if other, twice := pairs[key]; twice && other != value {
			r.fault("meta", "%s: got %s=%s and %s=%s, but a key may have only one value", r.name("meta"), key, other, key, value)
			continue
		}
		if pairs == nil {
			pairs = map[string]string{}
		}
		pairs[key] = value
	}
	return pairs
}

// patterns reads patterns of metadata: texts that end with the only asterisk.
func (r *reader) patterns() {
	for _, text := range r.MetaLike {
		key, pattern, ok := strings.Cut(text, "=")
		begin, star := strings.CutSuffix(pattern, "*")
		if !ok || key == "" || !star || strings.Contains(begin, "*") {
			r.fault("metaLike", "%s: got %q, want KEY=PATTERN with one asterisk at the end, such as customer=Ada*; %s is for exact values", r.name("metaLike"), text, r.name("meta"))
			continue
		}
		if other, twice := r.filter.MetadataBegins[key]; twice && other != begin {
			r.fault("metaLike", "%s: got two patterns for the key %q, want one", r.name("metaLike"), key)
			continue
		}
		if r.filter.MetadataBegins == nil {
			r.filter.MetadataBegins = map[string]string{}
		}
		r.filter.MetadataBegins[key] = begin
	}
}

// labels reads labels: NAME=VALUE, or NAME for any value.
func (r *reader) labels() {
	for _, text := range r.Labels {
		name, value, ok := strings.Cut(text, "=")
		if name == "" {
			r.fault("label", "%s: got %q, want NAME=VALUE, or NAME for any value", r.name("label"), text)
			continue
		}
		if !ok {
			r.filter.HasLabels = append(r.filter.HasLabels, name)
			continue
		}
		if other, twice := r.filter.Labels[name]; twice && other != value {
			r.fault("label", "%s: got %s=%s and %s=%s, but a label has only one value", r.name("label"), name, other, name, value)
			continue
		}
		if r.filter.Labels == nil {
			r.filter.Labels = map[string]string{}
		}
		r.filter.Labels[name] = value
	}
}

// ErrorKindWords lists the kinds of failures.
func ErrorKindWords() []string {
	var words []string
	for _, kind := range workqueue.FailureKinds() {
		words = append(words, string(kind))
	}
	return words
}

func (r *reader) errorKinds() {
	for text := range words(r.ErrorKinds) {
		kind := workqueue.ErrorKind(strings.ToLower(text))
		if !slices.Contains(workqueue.FailureKinds(), kind) {
			r.notOneOf("errorKind", text, ErrorKindWords())
			continue
		}
		r.filter.ErrorKinds = append(r.filter.ErrorKinds, kind)
	}
}

// times reads the fields that end in Since and Until.
func (r *reader) times() {
	for i, to := range []*workqueue.TimeRange{&r.filter.Created, &r.filter.Due, &r.filter.Started, &r.filter.Finished, &r.filter.Failed, &r.filter.Deadline} {
		since, until := Ranges()[i].Name+"Since", Ranges()[i].Name+"Until"
		for _, bound := range []struct {
			field string
			at    *time.Time
		}{{since, &to.Since}, {until, &to.Until}} {
			text := r.Times[bound.field]
			if text == "" {
				continue
			}
			var err error
			if *bound.at, err = moments.Parse(text, r.Now, r.Zone); err != nil {
				r.fault(bound.field, "%s: %v", r.name(bound.field), err)
			}
		}
		if !to.Since.IsZero() && !to.Until.IsZero() && !to.Since.Before(to.Until) {
			r.fault(since, "%s is %s, which is not before %s, %s", r.name(since), to.Since.In(r.Zone).Format(time.RFC3339), r.name(until), to.Until.In(r.Zone).Format(time.RFC3339))
		}
	}
}

// priorities sets the band between the bounds; the zero Band matches any priority.
func (r *reader) priorities() {
	band := workqueue.EveryPriority
	if r.Band != "" {
		var ok bool
		if band, ok = bands[strings.ToLower(r.Band)]; !ok {
			r.faults = append(r.faults, &Fault{"band", fmt.Sprintf("%s: got %q, want high, medium or low", r.name("band"), r.Band), strictyaml.Suggest(r.Band, BandWords())})
			return
		}
	}
	if r.MinPriority != nil {
		band.Min = max(band.Min, *r.MinPriority)
	}
	if r.MaxPriority != nil {
		band.Max = min(band.Max, *r.MaxPriority)
	}
	if band.Empty() {
		r.fault("minPriority", "no priority matches %s, %s and %s together", r.name("minPriority"), r.name("maxPriority"), r.name("band"))
		return
	}
	if band != workqueue.EveryPriority {
		r.filter.Band = band
	}
}

// Widen applies Deleted to the filter of the query.
func (q *Query) Widen(filter *workqueue.ItemFilter) {
	if !q.Deleted {
		return
	}
	if len(filter.Statuses) == 0 && len(filter.Lifecycles) == 0 {
		filter.Statuses = workqueue.Statuses()
	}
	if len(filter.Statuses) > 0 && !slices.Contains(filter.Statuses, workqueue.StatusDeleted) {
		filter.Statuses = append(filter.Statuses, workqueue.StatusDeleted)
	}
	if len(filter.Lifecycles) > 0 && !slices.Contains(filter.Lifecycles, workqueue.LifeDeleted) {
		filter.Lifecycles = append(filter.Lifecycles, workqueue.LifeDeleted)
	}
}
