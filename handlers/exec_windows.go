package handlers

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// runTree runs cmd to its end inside a job object. All processes of the job die
// when its context ends, and when the job is closed after the program's end.
func runTree(cmd *exec.Cmd) error {
	job, err := newKillJob()
	if err != nil {
		return fmt.Errorf("make a job object: %w", err)
	}
	defer windows.CloseHandle(job)
	// Suspended, so that it can start no process before it is in the job.
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED, HideWindow: true}
	cmd.Cancel = func() error { return windows.TerminateJobObject(job, 1) }
	if err := cmd.Start(); err != nil {
		return err
	}
	if err := release(cmd, job); err != nil {
		return errors.Join(fmt.Errorf("put the program into a job object: %w", err), cmd.Process.Kill(), cmd.Wait())
	}
	return cmd.Wait()
}

// newKillJob makes a job object that kills its processes when it is closed,
// also by the end of this process.
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

// release puts the suspended program into the job and lets it run.
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

// resumeThreads lets the threads of a process run; a new one has one thread,
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
