package wordstest

import "regexp"

// word is a pattern of the odd habit with better words.
type word struct {
	pattern *regexp.Regexp
	better  string
}

func odd(pattern, better string) word {
	return word{regexp.MustCompile(`(?i)\b(` + pattern + `)\b`), better}
}

// words are the patterns that the packages in done must not contain.
var words = []word{
	odd(`tells?|told`, "report, return, show, log"),
	odd(`somebody|nobody`, "name the actor: a user, a worker, another process"),
	odd(`anew`, "again"),
	odd(`mend(s|ed|ing)?`, "fix"),
	odd(`stands|stood`, "is, is stored, is written"),
	odd(`lies? about`, "is abandoned"),
	odd(`com(es|ing) to|came to`, "reach, result in"),
	odd(`of before`, "previous"),
	odd(`whoever`, "name the actor"),
	odd(`has no say`, "has no effect"),
}
