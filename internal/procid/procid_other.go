//go:build !linux && !windows

package procid

import "errors"

// currentScope fails: there are no releases for these systems, and with a wrong scope
// running workers would be replaced.
func currentScope() (string, error) { return "", errors.ErrUnsupported }

func startOf(int) (string, error) { return "", errors.ErrUnsupported }

func state(identity) State { return Unknown }
