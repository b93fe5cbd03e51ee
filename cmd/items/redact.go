package items

import (
	"encoding/json"

	"botwork/internal/redaction"
	"botwork/workqueue"
)

// hideSecrets removes the secrets of these settings from the texts of a run. A worker does
// that before it stores a text, but a row may be older than the setting of a secret, or
// written by a worker with other settings.
func (a *command) hideSecrets(item *workqueue.Item, attempts []workqueue.Attempt, audit []workqueue.AuditEntry) {
	r := a.Redactor()
	hideIn(r, item.Error, item.Progress, item.LogTail)
	if text := r.Redact(string(item.Output)); json.Valid([]byte(text)) { // a secret that consists of digits may be a JSON number
		item.Output = workqueue.JSONText(text)
	}
	for i := range attempts {
		at := &attempts[i]
		hideIn(r, at.Error, at.Reason, at.Progress, at.LogTail)
	}
	for i := range audit {
		audit[i].MapTexts(r.Redact)
	}
}

func hideIn(r *redaction.Redactor, texts ...*string) {
	for _, text := range texts {
		if text != nil {
			*text = r.Redact(*text)
		}
	}
}
