package items

import (
	"encoding/json"

	"botwork/pipelines"
	"botwork/workqueue"
)

// hideSecrets takes the secrets of these settings out of what a run has said. A worker
// does that before it stores a text; a row can be older than the setting that names a
// secret, or of a worker with other settings.
func (a *command) hideSecrets(item *workqueue.Item, attempts []workqueue.Attempt) {
	r := a.Redactor()
	hideIn(r, item.Error, item.Progress, item.LogTail)
	if text := r.Redact(string(item.Output)); json.Valid([]byte(text)) { // a secret of digits may be a number in it
		item.Output = workqueue.JSONText(text)
	}
	for i := range attempts {
		at := &attempts[i]
		hideIn(r, at.Error, at.Reason, at.Progress, at.LogTail)
	}
}

func hideIn(r *pipelines.Redactor, texts ...*string) {
	for _, text := range texts {
		if text != nil {
			*text = r.Redact(*text)
		}
	}
}
