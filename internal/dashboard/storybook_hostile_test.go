package dashboard_test

import (
	"regexp"
	"slices"
	"strings"
)

// fixedForms are texts that the API makes: times, durations and dates.
var fixedForms = regexp.MustCompile(`^([0-9]{4}-[0-9]{2}-[0-9]{2}(T.*)?|([0-9.]+(ns|µs|ms|s|m|h|d))+|)$`)

// fixedNames are the fields whose texts the API chooses from a list, and the address of the next page.
var fixedNames = strings.Fields("next status stateName state outcome kind role importance by group execute scope")

// freeForms are fields with JSON of any form: in them, people choose the names, too.
var freeForms = strings.Fields("payload output metadata labels selectors analytics channels")

// attack adds to each text of an answer what would break a page that does not escape it. field is the
// name of the value.
func attack(field string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		attacked := map[string]any{}
		for name, value := range v {
			attacked[name] = attack(name, value)
		}
		if slices.Contains(freeForms, field) {
			attacked[hostileText] = hostileText
		}
		return attacked
	case []any:
		for i := range v {
			v[i] = attack("", v[i])
		}
	case string:
		if !fixedForms.MatchString(v) && !slices.Contains(fixedNames, field) {
			return v + hostileText
		}
	}
	return v
}
