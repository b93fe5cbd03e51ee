package programs

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// tree is a job object with the program and all processes that it has started.
type tree struct{ job windows.Handle }

// kill kills all processes of the job.
func (t tree) kill() error {
	if t.job == 0 {
		return os.ErrProcessDone
	}
	return windows.TerminateJobObject(t.job, 1)
}

// run runs cmd inside a job object. All processes of the job die when its context
// ends, and when the job is closed after the program's end.
func (p *program) run(cmd *exec.Cmd, started func()) error {
	job, err := newKillJob()
	if err != nil {
		return fmt.Errorf("create a job object: %w", err)
	}
	defer func() { _ = windows.CloseHandle(p.disarm().job) }()
	p.arm(tree{job})
	// Suspended, so that it cannot start a process before it is in the job.
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED, HideWindow: true}
	cmd.Cancel = p.kill
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := release(cmd, job); err != nil {
		return errors.Join(fmt.Errorf("assign the program to a job object: %w", err), cmd.Process.Kill(), cmd.Wait())
	}
	if p.isKilled() {
		_ = p.kill() // it may have been killed before it was in the job
	}
	started()
	return cmd.Wait()
}

func (p *program) isKilled() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.killed
}

// newKillJob creates a job object that kills its processes when it is closed,
// including by the end of this process.
func newKillJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		return 0, errors.Join(err, windows.CloseHandle(job))
	}
	return job, nil
}

// release assigns the suspended program to the job and resumes it.
func release(cmd *exec.Cmd, job windows.Handle) error {
	var assigned error
	err := cmd.Process.WithHandle(func(process uintptr) {
		assigned = windows.AssignProcessToJobObject(job, windows.Handle(process))
	})
	if err := errors.Join(err, assigned); err != nil {
		return err
	}
	return resumeThreads(uint32(cmd.Process.Pid))
}

// resumeThreads resumes the threads of a process; a new process has one thread,
// whose handle os/exec does not keep.
func resumeThreads(pid uint32) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	resumed := false
	for err = windows.Thread32First(snapshot, &entry); err == nil; err = windows.Thread32Next(snapshot, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		_, err = windows.ResumeThread(thread)
		if err := errors.Join(err, windows.CloseHandle(thread)); err != nil {
			return err
		}
		resumed = true
	}
	if !errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return err
	}
	if !resumed {
		return errors.New("the program has no thread to resume")
	}
	return nil
}
