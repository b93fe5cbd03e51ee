package queue

import (
	"errors"

	"botwork/handlers"
	"botwork/workqueue/matching"
	"botwork/workqueue/scoring"
)

// distributionParams define how items are assigned to workers if neither their pipeline nor
// their queue defines it.
type distributionParams struct {
	Mode            string         `json:"mode" enum:"least-loaded,round-robin,longest-idle,best-worker" doc:"which of the workers that may take an item gets it"`
	BypassSelectors bool           `json:"bypassSelectors" doc:"true: items go to workers that do not satisfy their selectors, too"`
	Scoring         map[string]any `json:"scoring" doc:"how best-worker scores: {rule, …}; by default the default score"`
}

// distribution reads the parameters; its error is matching.Faults.
func (d *distributionParams) distribution() (matching.Distribution, error) {
	out := matching.Distribution{Mode: matching.Mode(d.Mode), BypassSelectors: &d.BypassSelectors}
	if d.Scoring == nil {
		return out, nil
	}
	read, err := matching.DecodeDistribution(map[string]any{"scoring": d.Scoring})
	out.Scoring = read.Scoring
	return out, err
}

// check returns the faults with their parameters. A scoring with another mode than best-worker
// is allowed: a queue may choose best-worker without a scoring.
func (d *distributionParams) check() error {
	out, err := d.distribution()
	if err == nil {
		err = scoring.Check(out)
	}
	return wrongParams(err)
}

// wrongParams converts each fault of package matching to a parameter error.
func wrongParams(err error, path ...string) error {
	faults, ok := errors.AsType[matching.Faults](err)
	if !ok {
		return err
	}
	var errs []error
	for _, f := range faults {
		wrong := &handlers.ParamError{Path: f.WithPathPrefix(path...).Path, Code: handlers.WrongValue, Message: f.Message}
		if f.UnknownKey {
			wrong.Code = handlers.UnknownParameter
		}
		errs = append(errs, wrong)
	}
	return errors.Join(errs...)
}
