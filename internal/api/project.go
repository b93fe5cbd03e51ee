package api

import (
	"botwork/internal/newitems"
	"botwork/workqueue"
	"botwork/workqueue/assign"
	"botwork/workqueue/learned"
)

// whyParams returns what passes depend on besides the database.
func (a *API) whyParams() (assign.WhyParams, error) {
	if a.project == nil {
		return assign.WhyParams{Learned: learned.NewEstimates(a.store)}, nil
	}
	return a.project.WhyParams()
}

// itemChecker returns a checker of new items and payloads. With skip it finds nothing.
func (a *API) itemChecker(skip bool) (*newitems.Checker, error) {
	c := &newitems.Checker{Anyway: "the parameter noCheck=true writes"}
	if skip || a.project == nil {
		return c, nil
	}
	project, err := a.project.Load()
	if err != nil {
		return nil, err
	}
	c.Catalogue, c.Folder = project.Catalogue, project.Folder
	return c, nil
}

// redact hides the secrets of the settings in texts of runs. A worker does that before it stores
// them, but a row may be older than the setting of a secret.
func (a *API) redact(texts ...*string) {
	for _, text := range texts {
		if text != nil {
			*text = a.redactText(*text)
		}
	}
}

func (a *API) redactJSON(text *workqueue.JSONText) {
	if *text == "" {
		return
	}
	plain := workqueue.JSONText(a.redactText(string(*text)))
	if plain != *text && !validJSON(plain) {
		return // a secret that consists of digits may be a JSON number
	}
	*text = plain
}
