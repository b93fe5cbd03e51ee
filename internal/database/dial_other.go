//go:build !linux && !windows

package database

import (
	"errors"
	"time"
)

func limitUnacknowledged(uintptr, time.Duration) error { return errors.ErrUnsupported }
