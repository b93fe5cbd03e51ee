//go:build !windows && !linux

package service

import "context"

// New returns the manager of this system.
func New() (Manager, error) { return nil, ErrUnsupported }

// Run runs the work as a service.
func Run(context.Context, string, Work) (int, error) { return 0, ErrUnsupported }

// NeedsPassword reports whether an account logs on with a password.
func NeedsPassword(string) bool { return false }
