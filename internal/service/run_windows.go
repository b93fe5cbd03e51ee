package service

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/svc"
)

// tick is how often a service that starts or stops reports progress; waitHint is how long the
// manager should wait for the next report.
const (
	tick     = time.Second
	waitHint = 20 * time.Second
)

// Run runs the work as the service name until the manager stops it or ctx ends, and
// returns its exit code. It returns ErrByHand if no service manager has started this
// process.
//
// It does not call svc.IsWindowsService, which returns false for services in containers.
func Run(ctx context.Context, name string, work Work) (int, error) {
	outliveLogoff()
	h := &handler{ctx: ctx, work: work, life: newLife(func(string) {})}
	err := svc.Run(name, h)
	if errors.Is(err, windows.ERROR_FAILED_SERVICE_CONTROLLER_CONNECT) {
		return 0, ErrByHand
	}
	return h.code, err
}

// handler translates between the service control manager and the work.
type handler struct {
	ctx  context.Context
	work Work
	life *Life
	code int
}

var _ svc.Handler = (*handler)(nil)

// Execute implements svc.Handler. An exit code other than 0 is the service's own, as
// the manager sees it.
func (h *handler) Execute(_ []string, requests <-chan svc.ChangeRequest, status chan<- svc.Status) (bool, uint32) {
	ctx, stop := context.WithCancel(h.ctx)
	defer stop()
	now := svc.Status{State: svc.StartPending, WaitHint: uint32(waitHint.Milliseconds())}
	status <- now
	ended := make(chan int, 1)
	go func() { ended <- h.work(ctx, h.life) }()

	ready := h.life.ready
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	var late <-chan time.Time
	for {
		select {
		case <-ready:
			ready = nil
			now = svc.Status{State: svc.Running, Accepts: svc.AcceptStop | svc.AcceptShutdown | svc.AcceptPreShutdown}
			status <- now
		case r := <-requests:
			switch r.Cmd {
			case svc.Interrogate:
				status <- now
			case svc.Stop, svc.Shutdown, svc.PreShutdown:
				if now.State == svc.StopPending {
					continue
				}
				ready = nil
				now = svc.Status{State: svc.StopPending, CheckPoint: 1, WaitHint: uint32(waitHint.Milliseconds())}
				status <- now
				late = time.After(h.life.patience())
				stop()
			}
		case <-ticker.C:
			if now.State != svc.Running {
				now.CheckPoint++
				status <- now
			}
		case h.code = <-ended:
			return h.code != 0, uint32(h.code)
		case <-late:
			h.code = ExitAbandoned
			return true, ExitAbandoned
		}
	}
}

// outliveLogoff keeps the process running when a user logs off. A service is notified of that, and
// of the shutdown of the system, like a program in a console, and the Go runtime turns both into
// SIGTERM: the worker would drain whenever an administrator logs off. The service manager reports
// the shutdown separately.
func outliveLogoff() {
	const logoff, shutdown = 5, 6 // CTRL_LOGOFF_EVENT, CTRL_SHUTDOWN_EVENT
	taken := windows.NewCallback(func(event uint32) uintptr {
		if event == logoff || event == shutdown {
			return 1
		}
		return 0 // the earlier handlers handle it
	})
	// Without it the service works until a user logs off.
	_, _, _ = windows.NewLazySystemDLL("kernel32.dll").NewProc("SetConsoleCtrlHandler").Call(taken, 1)
}
