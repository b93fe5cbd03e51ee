package workqueue

import (
	"slices"
	"strings"
	"time"

	"botwork/workqueue/matching"
)

// Profile is what a pipeline defines for the items that run it, for everything that
// they do not define themselves. The zero value defines nothing.
type Profile struct {
	// Estimate is the expected duration of a run; 0: unknown.
	Estimate time.Duration

	// Channel is the kind of the items, for which a worker defines how many of its
	// slots each item uses; "": none, which uses one.
	Channel string

	// Labels are added to the item's own labels, which override them; Selectors apply
	// in addition to the item's own. Both are shared and must not be changed.
	Labels    matching.Labels
	Selectors []matching.Selector

	// SelectorsReplace makes an item's own selectors, if it has any, replace
	// Selectors.
	SelectorsReplace bool

	// Distribution is how the items are given to workers. Fields that are not set are
	// filled in from their queue, and then from the pass.
	Distribution matching.Distribution

	// Broken is why the pipeline cannot run, as the text of the first fault in its
	// file; "": it can run. No pass assigns its items to a worker, and the other
	// fields are not set.
	Broken string

	// KeySeparator ends the prefix of a natural key for which durations are learned
	// separately; "": none.
	KeySeparator string
}

// Profiles returns the profile of a pipeline by its name; nil has none. An inline
// pipeline has no profile: reading the pipeline in each pass would cost more than the
// profile is worth.
type Profiles func(pipeline string) Profile

// For returns the pipeline's profile; it may be called on nil.
func (p Profiles) For(pipeline string) Profile {
	if p == nil {
		return Profile{}
	}
	return p(pipeline)
}

// CombinedSelectors returns all selectors of an item that has these own selectors.
func (p *Profile) CombinedSelectors(own []matching.Selector) []matching.Selector {
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
