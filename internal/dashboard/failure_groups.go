package dashboard

import (
	"net/url"
	"regexp"
	"strings"
	"time"

	"botwork/workqueue"
	"botwork/workqueue/report"
)

// failureGroup is a group of failures with the filters of its items. A filter knows an error only by a part of its
// text, so it may select a few items more or fewer than the group counts; the page says by what it selects.
type failureGroup struct {
	report.Group
	Has   string // what the errors have in common, as they are stored; "": nothing that a filter can find
	Whole bool   // Has is the whole message

	since  time.Time // when the stretch of the report begins
	others bool      // other groups of the same pipeline have Has, too
}

// groupsOf returns the groups of a report.
func groupsOf(r *report.Report) []failureGroup {
	all := make([]failureGroup, len(r.Failures))
	for i, g := range r.Failures {
		one := failureGroup{Group: g, since: r.Since}
		for _, part := range commonParts(g) {
			one.Has, one.others = part, elsewhere(r.Failures, i, part)
			if !one.others {
				break
			}
		}
		one.Whole = one.Has != "" && strings.HasSuffix(one.Has, g.Message)
		all[i] = one
	}
	return all
}

// elsewhere reports whether the errors of another group of the same pipeline and kind have this part.
func elsewhere(all []report.Group, i int, part string) bool {
	part = strings.ToLower(part)
	for j, g := range all {
		if j != i && g.Pipeline == all[i].Pipeline && g.Kind == all[i].Kind &&
			(strings.Contains(strings.ToLower(g.Example), part) || strings.Contains(strings.ToLower(g.Message), part)) {
			return true
		}
	}
	return false
}

// placeholder matches what a message has instead of what differs. A path begins with a slash or a question mark.
var placeholder = regexp.MustCompile(`/?<[a-z]+>`)

// commonParts returns the parts of a group's errors by which a filter may find them, the best first: the longest part
// of the message, and the beginning of the message behind the name of the step. White space in a message is not that
// of the error, so each part is from one line.
func commonParts(g report.Group) (parts []string) {
	if part := commonPart(g.Message, g.Example); part != "" {
		parts = append(parts, part)
	}
	at := strings.Index(g.Example, "): ")
	if !strings.HasPrefix(g.Example, `step "`) || at < 0 {
		return parts
	}
	step, text := g.Example[:at+len("): ")], g.Example[at+len("): "):]
	first, _, _ := strings.Cut(placeholder.ReplaceAllString(strings.TrimSuffix(g.Message, "…"), "\n"), "\n")
	if first = longestIn(first, text); first != "" && strings.HasPrefix(text, first) {
		parts = append(parts, step+first)
	}
	return parts
}

// commonPart returns the longest part of the message of an error that has no placeholder and is in the error.
func commonPart(message, text string) (longest string) {
	for _, part := range placeholder.Split(strings.TrimSuffix(message, "…"), -1) {
		if found := longestIn(part, text); len(found) > len(longest) {
			longest = found
		}
	}
	return longest
}

// longestIn returns the longest run of words that a text has in one line, with single blanks between them.
func longestIn(words, text string) (longest string) {
	all := strings.Fields(words)
	for from, to := 0, 1; to <= len(all); to++ {
		for from < to && !strings.Contains(text, strings.Join(all[from:to], " ")) {
			from++
		}
		if found := strings.Join(all[from:to], " "); len(found) > len(longest) {
			longest = found
		}
	}
	return longest
}

// named reports whether all items of the group have one pipeline, whose name a filter can select.
func (g failureGroup) named() bool { return g.Pipeline != "" && g.Pipeline != "(inline)" }

// Scope says in words what the lists of the group select.
func (g failureGroup) Scope() string {
	text := "Items of this pipeline"
	if !g.named() {
		text = "Items of any pipeline"
	}
	switch {
	case g.Has == "":
		return text + " with any error of this kind"
	case g.Whole && g.named():
		text += " with this error"
	default:
		text += " whose error has “" + g.Has + "”"
	}
	if g.others {
		text += ", other groups have it too"
	}
	return text
}

// filter returns what the lists of the group have in common.
func (g failureGroup) filter() url.Values {
	q := values("errorKind", string(g.Kind), "error", g.Has)
	if g.named() {
		q.Set("pipeline", g.Pipeline)
	}
	return q
}

// ended returns the filter of the items that have ended with the failure.
func (g failureGroup) ended() string {
	q := g.filter()
	name := "failed"
	if g.Kind == workqueue.KindExpired { // neither Failed nor Business error
		q.Set("status", "expired")
		name = "finished"
	}
	q.Set(name+"Since", g.First.UTC().Format(time.RFC3339))
	q.Set(name+"Until", g.Last.UTC().Truncate(time.Second).Add(time.Second).Format(time.RFC3339))
	return "?" + q.Encode()
}

// waiting returns the filter of the items that wait for another attempt after the failure. When it was is not among
// what a filter selects by, but an attempt that began in the stretch of the report has failed in it.
func (g failureGroup) waiting() string {
	q := g.filter()
	q["status"] = []string{"retry", "pending", "assigned"}
	q.Set("startedSince", g.since.UTC().Truncate(time.Second).Add(time.Second).Format(time.RFC3339))
	return "?" + q.Encode()
}

// Link returns the address of the list of items that have ended, or of those that wait if none has.
func (g failureGroup) Link() string {
	if link := g.Ended(); link != "" {
		return link
	}
	return g.Waiting()
}

// Ended returns the address of the list of the items that have ended; "" if none has.
func (g failureGroup) Ended() string {
	if g.GivenUp == 0 {
		return ""
	}
	return "/items" + g.ended()
}

// Waiting returns the address of the list of the items that wait for another attempt; "" if all have ended.
func (g failureGroup) Waiting() string {
	if g.GivenUp == g.Items {
		return ""
	}
	return "/items" + g.waiting()
}

// Changeable reports whether the filters select nothing that is known to be beyond the group. Otherwise no change of
// all their items is offered.
func (g failureGroup) Changeable() bool {
	return g.named() && g.Has != "" && !g.others
}

// Retry returns the address of the repetition of the items that have ended; "": it is not offered.
func (g failureGroup) Retry() string {
	if !g.Changeable() || g.GivenUp == 0 {
		return ""
	}
	return "/items/actions/repeat" + g.ended()
}

// Cancel returns the address of the cancellation of the items that wait; "": it is not offered.
func (g failureGroup) Cancel() string {
	if !g.Changeable() || g.GivenUp == g.Items {
		return ""
	}
	return "/items/actions/cancel" + g.waiting()
}
