package doctor

import "context"

// ExposedFolder is a folder in which steps may write although it contains a secret, or files that
// determine what runs.
type ExposedFolder struct {
	Place         string // the setting that allows it
	Found, Advice string
}

// exposed reports folders of handlers.folders that contain too much.
func (d *Doctor) exposed(context.Context) []Result {
	if len(d.o.Exposed) == 0 {
		return ok("steps with files cannot access pipelines, settings or secrets")
	}
	var results []Result
	for _, e := range d.o.Exposed {
		results = append(results, Result{State: Warning, About: e.Place, Found: e.Found, Advice: e.Advice})
	}
	return results
}
