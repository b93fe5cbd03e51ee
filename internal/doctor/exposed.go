package doctor

import "context"

// ExposedFolder is a folder in which steps may write although it holds what decides
// what runs here, or a secret.
type ExposedFolder struct {
	Place         string // where the settings allow it
	Found, Advice string
}

// exposed reports the folders of handlers.folders that are too wide.
func (d *Doctor) exposed(context.Context) []Result {
	if len(d.o.Exposed) == 0 {
		return ok("steps that handle files reach no pipelines, settings or secrets")
	}
	var results []Result
	for _, e := range d.o.Exposed {
		results = append(results, Result{State: Warning, About: e.Place, Found: e.Found, Advice: e.Advice})
	}
	return results
}
