package dashboard

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"botwork/workqueue/report"
)

// relation leads to items that have something to do with an item.
type relation struct {
	Name  string
	Link  string // to a list; "": there is none
	Text  string // of the link
	Items []item // some of them
	Note  string
}

// relatedShown is how many items of a relation the page of an item shows.
const relatedShown = 5

// relationsOf returns the relations of an item. sameKey are the newest items with its key.
func relationsOf(it *item, p *pipeline, history []entry, sameKey []item, now time.Time) []relation {
	var all []relation
	if it.RootID != nil {
		all = append(all, relation{Name: "First item", Link: "/items/" + itoa(*it.RootID), Text: "Item " + itoa(*it.RootID), Note: "This item tries again what that one did."})
	}
	if it.BatchLeaderID != nil && *it.BatchLeaderID != it.ID {
		all = append(all, relation{Name: "Ran together with", Link: "/items/" + itoa(*it.BatchLeaderID), Text: "Item " + itoa(*it.BatchLeaderID), Note: "That item began the run."})
	}
	for _, id := range clonesOf(history) {
		all = append(all, relation{Name: "Clone", Link: "/items/" + itoa(id), Text: "Item " + itoa(id)})
	}
	if deref(it.NaturalKey) != "" {
		others := slices.DeleteFunc(slices.Clone(sameKey), func(other item) bool { return other.ID == it.ID })
		all = append(all, relation{
			Name: "Same key", Link: address("/items", "key", *it.NaturalKey), Text: "All items with this key",
			Items: others[:min(len(others), relatedShown)], Note: "Copies and clones keep the key unless they were given another one.",
		})
	}
	if it.TaskName != nil {
		all = append(all, relation{Name: "Same task", Link: address("/items", "task", *it.TaskName), Text: "Items of the task " + *it.TaskName})
	}
	if it.Error != nil && it.ErrorKind != nil {
		all = append(all, relation{
			Name: "Same error", Link: address("/items", "pipeline", it.pipelineName(), "errorKind", *it.ErrorKind, "error", commonPart(report.Message(*it.Error), *it.Error), "failedSince", now.AddDate(0, 0, -7).UTC().Format(time.RFC3339)),
			Text: "Items that failed like this in the last seven days",
		})
	}
	return append(all, childrenOf(it, p)...)
}

// pipelineName returns the name of the item's pipeline; "" for one that is in the item.
func (it *item) pipelineName() string {
	if it.Inline() {
		return ""
	}
	return it.Pipeline
}

// clonesOf returns the clones that the audit log names.
func clonesOf(history []entry) []int64 {
	var ids []int64
	for i := range history {
		var after struct {
			Clone int64 `json:"clone"`
		}
		if json.Unmarshal(history[i].After, &after) == nil && after.Clone > 0 {
			ids = append(ids, after.Clone)
		}
	}
	slices.Sort(ids)
	return ids
}

// childrenOf leads to the items that the steps of the latest run may have enqueued. An item does not
// say which item's run has made it, so the lists are those of the pipeline and the time of the run.
func childrenOf(it *item, p *pipeline) []relation {
	if it.StartedAt == nil {
		return nil
	}
	var all []relation
	for i := range p.Steps {
		s := &p.Steps[i]
		name, ok := s.With["pipeline"].(string)
		if s.Handler != "Enqueue" || !ok || strings.ContainsAny(name, "\n:{") {
			continue
		}
		until := ""
		if it.FinishedAt != nil {
			until = it.FinishedAt.Add(time.Second).UTC().Format(time.RFC3339)
		}
		all = append(all, relation{
			Name: "Made by step " + s.Path, Link: address("/items", "pipeline", name, "createdSince", it.StartedAt.UTC().Format(time.RFC3339), "createdUntil", until),
			Text: fmt.Sprintf("Items of %s from the time of the latest run", name), Note: "Other runs may have made some of them.",
		})
	}
	return all
}

// auditRow is an entry of the audit log about one item.
type auditRow struct {
	entry
	Changes []valueChange
}

type valueChange struct{ Name, Before, After string }

// auditRows compares what the item was before and after each change.
func auditRows(history []entry) []auditRow {
	rows := make([]auditRow, len(history))
	for i := range history {
		rows[i] = auditRow{history[i], changesOf(history[i].Before, history[i].After)}
	}
	return rows
}

func changesOf(before, after json.RawMessage) []valueChange {
	var old, now map[string]json.RawMessage
	if json.Unmarshal(before, &old) != nil || json.Unmarshal(after, &now) != nil {
		return nil
	}
	var changes []valueChange
	for name := range now {
		if name != "version" && string(old[name]) != string(now[name]) {
			changes = append(changes, valueChange{name, shortValue(old[name]), shortValue(now[name])})
		}
	}
	for name := range old {
		if _, ok := now[name]; !ok && now != nil {
			changes = append(changes, valueChange{name, shortValue(old[name]), "none"})
		}
	}
	slices.SortStableFunc(changes, func(a, b valueChange) int { return strings.Compare(a.Name, b.Name) })
	return changes
}

// shortValue writes a value for a table.
func shortValue(text json.RawMessage) string {
	if len(text) == 0 || string(text) == "null" {
		return "none"
	}
	var v any
	if json.Unmarshal(text, &v) == nil {
		if plain, ok := v.(string); ok {
			return briefText(plain, 80)
		}
	}
	return briefText(string(text), 80)
}
