package dashboard

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
)

// suggestion is a place that the command palette offers.
type suggestion struct {
	Kind   string `json:"kind"` // such as queue
	Text   string `json:"text"`
	Detail string `json:"detail,omitempty"`
	Link   string `json:"link"`
}

const (
	mostSuggested = 5   // of a kind
	mostTyped     = 200 // characters, as long as names may be
)

// suggest answers the command palette: items by their id or whole key, and queues, pipelines and workers
// by a part of their names. The lists of names are shared with the pages, and items are found by an index.
func (d *Dashboard) suggest(w http.ResponseWriter, r *http.Request) {
	text := strings.TrimSpace(r.URL.Query().Get("q"))
	all := []suggestion{}
	var c caller
	_, err := d.ask(r, http.MethodGet, "/auth/session", nil, nil, &c)
	if err == nil && text != "" && len([]rune(text)) <= mostTyped {
		all, err = d.suggestions(r, c, text)
	}
	for i := range all {
		all[i].Text, all[i].Detail = spelled(all[i].Text), spelled(all[i].Detail)
	}
	d.answerJSON(w, r, all, err)
}

func (d *Dashboard) suggestions(r *http.Request, c caller, text string) ([]suggestion, error) {
	var (
		byID      item
		byKey     list[item]
		queues    list[queue]
		workers   list[worker]
		pipelines list[pipeline]
	)
	ask := d.asking(r)
	if strings.Trim(text, "0123456789") == "" && len(text) < 19 {
		ask.optional("/items/"+text, nil, &byID)
	}
	if len(c.Queues) <= 1 { // others must name the queue
		ask.get("/items", values("key", text, "limit", itoa(mostSuggested), "fields", "id,status,naturalKey,integrationConfig,queueName"), &byKey)
	}
	ask.shared(c).get("/queues", nil, &queues)
	ask.shared(c).optional("/workers", nil, &workers)
	ask.shared(c).optional("/pipelines", nil, &pipelines)
	if err := ask.wait(); err != nil {
		return nil, err
	}
	all := []suggestion{}
	if byID.ID != 0 {
		all = append(all, byID.suggestion())
	}
	for i := range byKey.Items {
		if it := &byKey.Items[i]; it.ID != byID.ID {
			all = append(all, it.suggestion())
		}
	}
	var names []suggestion
	for _, q := range queues.Items {
		names = append(names, suggestion{"queue", q.Name, q.Description, "/queues/" + segment(q.Name)})
	}
	all = append(all, named(names, text)...)
	names = nil
	for _, one := range pipelines.Items {
		names = append(names, suggestion{"pipeline", one.Name, one.Description, "/pipelines/" + segment(one.Name)})
	}
	all = append(all, named(names, text)...)
	names = nil
	for _, one := range workers.Items {
		names = append(names, suggestion{"worker", one.Name, statusLook(one.status()).Word, "/workers/" + segment(one.Name)})
	}
	return append(all, named(names, text)...), nil
}

func (it *item) suggestion() suggestion {
	s := suggestion{Kind: "item", Text: itoa(it.ID), Link: "/items/" + itoa(it.ID)}
	what := it.Pipeline
	if it.Inline() {
		what = "(inline)"
	}
	if it.NaturalKey != nil {
		s.Text += " " + *it.NaturalKey
	}
	s.Detail = briefText(what, 60) + " · " + it.Status
	return s
}

// named keeps those whose names have the text in any case, the ones that begin with it first.
func named(all []suggestion, text string) []suggestion {
	text = strings.ToLower(text)
	rank := func(s suggestion) int { return strings.Index(strings.ToLower(s.Text), text) }
	all = slices.DeleteFunc(all, func(s suggestion) bool { return rank(s) < 0 })
	slices.SortStableFunc(all, func(a, b suggestion) int { return min(rank(a), 1) - min(rank(b), 1) })
	for i := range all {
		all[i].Detail = briefText(all[i].Detail, 60)
	}
	return all[:min(len(all), mostSuggested)]
}

// answerJSON answers the script of the pages.
func (d *Dashboard) answerJSON(w http.ResponseWriter, r *http.Request, v any, err error) {
	if err != nil {
		status := http.StatusInternalServerError
		if refused, ok := errors.AsType[*problem](err); ok {
			status = refused.Status
		} else {
			d.log.Error().Err(err).Str("path", r.URL.Path).Msg("answer for a page failed")
		}
		http.Error(w, http.StatusText(status), status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if err := json.NewEncoder(w).Encode(v); err != nil {
		d.log.Debug().Err(err).Str("path", r.URL.Path).Msg("could not send an answer")
	}
}
