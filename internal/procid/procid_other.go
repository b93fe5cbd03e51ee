//go:build !linux && !windows

package procid

import "errors"

// currentScope fails: these systems are not published, and a wrong scope would let
// living workers be replaced.
func currentScope() (string, error) { return "", errors.ErrUnsupported }

func startOf(int) (string, error) { return "", errors.ErrUnsupported }

func look(identity) State { return Unknown }
