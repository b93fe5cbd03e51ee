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

// secretFiles reports files of secrets that other users of the machine may read. Files that the
// worker cannot read are reported by the check secrets.
func (d *Doctor) secretFiles(context.Context) []Result {
	if len(d.o.SecretFiles) == 0 {
		return ok("no secret or DSN is in a separate file")
	}
	var results []Result
	for _, f := range d.o.SecretFiles {
		r := Result{State: OK, About: f.File, Found: "only the service may read it (" + f.Setting + ")"}
		others, err := openToOthers(f.File)
		switch {
		case err != nil:
			r.State, r.Found = Warning, fmt.Sprintf("cannot determine who may read it (%s): %v", f.Setting, err)
			r.Advice = "make sure that only the service may read it"
		case others != "":
			r.State, r.Found = Warning, fmt.Sprintf("it can be read by %s (%s)", others, f.Setting)
			r.Advice = "everyone who can read it has the secret: " + onlyOwner(f.File, d.account)
		}
		results = append(results, r)
	}
	return results
}
