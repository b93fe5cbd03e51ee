package dashboard

import (
	"maps"
	"net/url"
	"strings"
	"time"

	"botwork/internal/moments"
)

// inZone returns a filter for the API, which reads a time without a zone, such as 06:00 or yesterday, as one of UTC: a
// person means the zone in which the page shows times. Other times stay as they are written.
func inZone(filter url.Values, zone *time.Location) url.Values {
	now := time.Now()
	return withTimes(filter, func(text string) string {
		at, err := moments.Parse(text, now, zone)
		if utc, utcErr := moments.Parse(text, now, time.UTC); err != nil || utcErr != nil || at.Equal(utc) {
			return text
		}
		return at.UTC().Format(time.RFC3339)
	})
}

// atOnce returns a filter whose times do not move on, so that a later request selects the same.
func atOnce(filter url.Values, zone *time.Location) url.Values {
	now := time.Now()
	return withTimes(filter, func(text string) string {
		at, err := moments.Parse(text, now, zone)
		if err != nil {
			return text // the API says what is wrong
		}
		return at.UTC().Format(time.RFC3339Nano)
	})
}

// withTimes returns a filter with other texts for its times.
func withTimes(filter url.Values, other func(text string) string) url.Values {
	all := maps.Clone(filter)
	for _, name := range filterNames {
		if !strings.HasSuffix(name, "Since") && !strings.HasSuffix(name, "Until") {
			continue
		}
		var texts []string
		for _, text := range filter[name] {
			texts = append(texts, other(text))
		}
		if texts != nil {
			all[name] = texts
		}
	}
	return all
}
