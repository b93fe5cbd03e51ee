package doctor

import (
	"context"
	"fmt"
)

// SecretFile is a file from which a setting reads a secret or a DSN.
type SecretFile struct {
	Setting string
	File    string
}

// secretFiles reports the files of secrets that others on the machine may read. One
// that cannot be read at all is the matter of the check secrets.
func (d *Doctor) secretFiles(context.Context) []Result {
	if len(d.o.SecretFiles) == 0 {
		return ok("no secret or DSN is in a file of its own")
	}
	var results []Result
	for _, f := range d.o.SecretFiles {
		r := Result{State: OK, About: f.File, Found: "kept to the service (" + f.Setting + ")"}
		others, err := openToOthers(f.File)
		switch {
		case err != nil:
			r.State, r.Found = Warning, fmt.Sprintf("who may read it is not known (%s): %v", f.Setting, err)
			r.Advice = "make sure that only the service may read it"
		case others != "":
			r.State, r.Found = Warning, fmt.Sprintf("it can be read by %s (%s)", others, f.Setting)
			r.Advice = "whoever reads it has the secret: " + onlyOwner(f.File, d.account)
		}
		results = append(results, r)
	}
	return results
}
