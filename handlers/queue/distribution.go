package queue

import (
	"errors"

	"botwork/handlers"
	"botwork/workqueue/matching"
	"botwork/workqueue/scoring"
)

// distributionParams are how items are given to workers where neither their
// pipeline nor their queue says it.
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

// check names the parameter of each fault. A scoring beside another mode than
// best-worker is none: a queue may choose that mode and leave the scoring open.
func (d *distributionParams) check() error {
	out, err := d.distribution()
	if err == nil {
		err = scoring.Check(out)
	}
	return wrongParams(err)
}

// wrongParams turns each fault of package matching into an error of a parameter.
func wrongParams(err error, path ...string) error {
	faults, ok := errors.AsType[matching.Faults](err)
	if !ok {
		return err
	}
	var errs []error
	for _, f := range faults {
		wrong := &handlers.ParamError{Path: f.Under(path...).Path, Code: handlers.WrongValue, Message: f.Message}
		if f.UnknownKey {
			wrong.Code = handlers.UnknownParameter
		}
		errs = append(errs, wrong)
	}
	return errors.Join(errs...)
}
