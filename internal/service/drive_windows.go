package service

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/svc"
	"golang.org/x/sys/windows/svc/mgr"
)

// Start implements Manager.
func (controlManager) Start(ctx context.Context, name string) error {
	return open("start", name, windows.SERVICE_START, func(s *mgr.Service) error {
		if err := s.Start(); err != nil && !errors.Is(err, windows.ERROR_SERVICE_ALREADY_RUNNING) {
			return err
		}
		now, err := await(ctx, s, svc.Running)
		switch {
		case err != nil:
			return err
		case now.State == svc.Stopped:
			return ended(now)
		}
		return nil
	})
}

// ended returns the error for a service that ended directly after its start.
func ended(s svc.Status) error {
	return &hinted{fmt.Errorf("it ended at once with exit code %d", exitCodeOf(s)), "`botwork service logs` and the Event Viewer (Windows Logs, Application) show the reason"}
}

// Stop implements Manager.
func (controlManager) Stop(ctx context.Context, name string) error {
	return open("stop", name, windows.SERVICE_STOP, func(s *mgr.Service) error {
		now, err := s.Query()
		if err != nil {
			return err
		}
		gone := processEnd(now.ProcessId)
		if now.State == svc.StartPending {
			// It accepts a stop only while it runs.
			if now, err = await(ctx, s, svc.Running); err != nil {
				return err
			}
		}
		if now.State != svc.Stopped && now.State != svc.StopPending {
			if _, err := s.Control(svc.Stop); err != nil && !errors.Is(err, windows.ERROR_SERVICE_NOT_ACTIVE) {
				return err
			}
		}
		if _, err := await(ctx, s, svc.Stopped); err != nil {
			return err
		}
		return gone(ctx)
	})
}

// await waits until a service is in a state or stopped. It returns an error if the service
// reports no progress for its wait hint and half a minute more.
func await(ctx context.Context, s *mgr.Service, want svc.State) (svc.Status, error) {
	const longest = 30 * time.Second
	last, seen := svc.Status{}, time.Now()
	for {
		now, err := s.Query()
		if err != nil || now.State == want || now.State == svc.Stopped {
			return now, err
		}
		if now.State != last.State || now.CheckPoint != last.CheckPoint {
			last, seen = now, time.Now()
		}
		if hint := time.Duration(now.WaitHint) * time.Millisecond; time.Since(seen) > hint+longest {
			return now, &hinted{fmt.Errorf("it has been %s for %s without progress", stateOf(now), time.Since(seen).Round(time.Second)),
				fmt.Sprintf("its process is %d; `botwork service logs` may show what it waits for", now.ProcessId)}
		}
		select {
		case <-ctx.Done():
			return now, fmt.Errorf("it is still %s: %w", stateOf(now), ctx.Err())
		case <-time.After(pause):
		}
	}
}

// processEnd returns a function that waits until a process has ended: a service has the state
// stopped before its process ends, and until then its program file is in use.
func processEnd(pid uint32) func(ctx context.Context) error {
	const most = 10 * time.Second
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, pid)
	if pid == 0 || err != nil {
		return func(context.Context) error { return nil } // it has ended, or is irrelevant
	}
	return func(ctx context.Context) error {
		defer windows.CloseHandle(h) //nolint:errcheck // it was used to wait only
		for late := time.Now().Add(most); ; {
			event, err := windows.WaitForSingleObject(h, uint32(pause.Milliseconds()))
			if err != nil || event == windows.WAIT_OBJECT_0 {
				return nil
			}
			if time.Now().After(late) {
				return &hinted{fmt.Errorf("it is stopped, but its process %d has not ended within %s", pid, most), "end that process in the Task Manager"}
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
}
