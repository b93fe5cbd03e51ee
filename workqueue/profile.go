package workqueue

import (
	"slices"
	"strings"
	"time"

	"botwork/workqueue/matching"
)

// Profile is what a pipeline says of the items that run it, for whatever they
// do not say themselves. The zero value says nothing.
type Profile struct {
	// Estimate is how long a run is expected to take; 0: not known.
	Estimate time.Duration

	// Channel is the sort of the items, by which a worker tells how many of its
	// slots each takes; "": none, which takes one.
	Channel string

	// Labels are added to an item's own, which win; Selectors are asked for beside an
	// item's own. Both are shared: nobody changes them.
	Labels    matching.Labels
	Selectors []matching.Selector

	// SelectorsReplace has the selectors of an item that has some replace Selectors.
	SelectorsReplace bool

	// Distribution is how the items are given to workers; what it leaves open,
	// their queue says, and then the pass.
	Distribution matching.Distribution

	// Broken is what keeps the pipeline from running, in the words of its file's
	// first mistake; "": nothing. No pass gives its items to a worker, and nothing
	// else is known of the pipeline.
	Broken string

	// KeySeparator ends the beginning of a natural key for which durations are
	// learned by themselves; "": there is none.
	KeySeparator string
}

// Profiles finds the profile of a pipeline by its name; nil knows none. An
// inline pipeline has none: reading it for each pass would cost more than it
// tells.
type Profiles func(pipeline string) Profile

// Of is the pipeline's profile; it may be called on nil.
func (p Profiles) Of(pipeline string) Profile {
	if p == nil {
		return Profile{}
	}
	return p(pipeline)
}

// Asks returns all that an item with these selectors of its own asks of its worker.
func (p *Profile) Asks(own []matching.Selector) []matching.Selector {
	switch {
	case len(own) == 0:
		return p.Selectors
	case len(p.Selectors) == 0 || p.SelectorsReplace:
		return own
	default:
		return slices.Concat(p.Selectors, own)
	}
}

// InlinePipeline reports whether an IntegrationConfig is a whole pipeline and not
// the name of one: it begins with a brace, has more than one line or contains
// "steps:". Surrounding space does not count.
func InlinePipeline(integrationConfig string) bool {
	text := strings.TrimSpace(integrationConfig)
	return strings.HasPrefix(text, "{") || strings.Contains(text, "\n") || strings.Contains(text, "steps:")
}
