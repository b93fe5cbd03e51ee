package dashboard

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"botwork/workqueue"
)

// deletedStatus is the status of items that a filter selects only on request.
const deletedStatus = "deleted"

// statusesOf returns the statuses of the items that a filter selects, in the order of an item's life. The error is a
// *problem if it has one that does not exist.
func statusesOf(filter url.Values) ([]string, error) {
	wanted := map[string]bool{}
	for _, word := range commaWords(filter["status"]) {
		s, err := workqueue.ParseStatus(word)
		if err != nil {
			return nil, &problem{Status: http.StatusUnprocessableEntity, Detail: fmt.Sprintf("the filter has the status %.40q", word), Hint: "want one of " + strings.Join(statuses, ", ")}
		}
		wanted[statusWord(string(s))] = true
	}
	if len(wanted) == 0 {
		for _, s := range statuses {
			wanted[s] = s != deletedStatus || slices.ContainsFunc(commaWords(filter["lifecycle"]), isDeleted)
		}
	}
	if withDeleted(filter) {
		wanted[deletedStatus] = true
	}
	return slices.DeleteFunc(slices.Clone(statuses), func(s string) bool { return !wanted[s] }), nil
}

func isDeleted(word string) bool { return strings.EqualFold(word, deletedStatus) }

// withDeleted reports whether a filter selects deleted items besides others.
func withDeleted(filter url.Values) bool {
	deleted, err := strconv.ParseBool(filter.Get("deleted"))
	return err == nil && deleted
}

// statusWord returns a status as a filter writes it.
func statusWord(status string) string {
	return strings.ReplaceAll(strings.ToLower(status), " ", "-")
}

// narrowed returns the filter for those of its items that have one of some statuses, of which there is at least one.
func narrowed(filter url.Values, to []string) url.Values {
	n := maps.Clone(filter)
	n["status"] = to
	if lives := commaWords(filter["lifecycle"]); len(lives) > 0 {
		switch others := slices.DeleteFunc(slices.Clone(lives), isDeleted); {
		case !slices.Contains(to, deletedStatus) && len(others) > 0:
			n["lifecycle"] = others // the API refuses most changes of deleted items
		case withDeleted(filter):
			n["lifecycle"] = append(lives, deletedStatus)
		}
	}
	delete(n, "deleted") // it would add the deleted items to those of each status
	return n
}

// commaWords returns the words of texts that may each have several, separated by commas.
func commaWords(texts []string) []string {
	if len(texts) == 0 {
		return nil
	}
	return strings.Split(strings.Join(texts, ","), ",")
}
