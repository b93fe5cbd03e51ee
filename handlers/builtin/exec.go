package builtin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"botwork/handlers"
	"botwork/internal/programs"
)

const execDoc = `Runs a program with a list of arguments. No shell is involved: nothing is split, expanded or quoted, so text
from a payload cannot become a command. To use a shell, name it as the program.

Windows starts a batch file (.bat or .cmd; npm, az and mvn are such files) by its command interpreter, and no quoting is safe
there. So its arguments may hold only ASCII letters, digits, spaces and _ . / : \ = , + @ -; anything else is a permanent
error. Pass other text by env or stdin. A batch file itself must not put such a variable into a command as %NAME%, which would make
it a part of the command: use !NAME!, with setlocal enabledelayedexpansion.

The program gets the environment of botwork without the variables that begin with BOTWORK_ and without those that a
setting reads as a secret or a DSN (env: in it gives the program a secret that it needs), then
BOTWORK_PIPELINE, BOTWORK_STEP, BOTWORK_ITEM_ID, BOTWORK_ATTEMPT, BOTWORK_FENCE, BOTWORK_IDEMPOTENCY_KEY and BOTWORK_RUN, then env.
It may run twice for one item, after a failure or a crash, which is as safe as the program makes it. BOTWORK_ITEM_ID and
BOTWORK_IDEMPOTENCY_KEY then stay the same; BOTWORK_FENCE grows, so a system that keeps the largest one can refuse an older run. A run without an item has no
BOTWORK_IDEMPOTENCY_KEY. BOTWORK_RUN identifies the run of this program: do not remove it.

At the timeout, and when the item is cancelled, the program and all processes that it started are killed. So are those that
still run when it ends, unless they have left the program's process group. When the worker itself dies or is killed, its
programs are killed with it: docs/reliability.md describes how, and which programs can escape.

The log of the item has the last 64 KB of both outputs, while the program runs and after its end, in the order in which
it wrote them; the queue's keepLog says how much of it stays after a success. Secrets are removed. For an encrypted item
nothing is kept there.

The exit code decides: success, business, permanent, else an ordinary failure that is retried. A program or folder that does
not exist, and output over the limit, are permanent errors. Invalid JSON in the output is an ordinary failure.`

func execKind(res Resources) handlers.Kind {
	if res.Programs == nil {
		res.Programs = programs.New()
	}
	return handlers.Kind{
		Name: "Exec", Summary: "Run a program", Doc: execDoc,
		Output:      "{exitCode, output, stderr}: output is what the program wrote, in the form of stdout; stderr is its last 4 KB of errors, after a … if there were more.",
		OutputShape: execGives, Lint: lintExec,
		Example: `- name: sorted
  handler: Exec
  with:
    program: sort
    stdin: lines
    input: ${{ payload.names }}
    stdout: lines
    timeout: 1m
- handler: Log
  with: {message: "first is ${{ steps.sorted.output.output[0] }}"}
`,
		New: func() handlers.Handler {
			return &execStep{
				Stdin: "none", Stdout: "text", Success: []int{0},
				Timeout: handlers.Duration(10 * time.Minute), MaxOutput: 10 << 20, waitDelay: 2 * time.Second, programs: res.Programs,
				secretEnv: res.SecretEnv,
			}
		},
	}
}

type execStep struct {
	Program   string            `json:"program" required:"true" doc:"name of the program, looked up in PATH, or its path"`
	Args      []string          `json:"args" doc:"arguments, one by one"`
	Dir       string            `json:"dir" doc:"folder to run in; default is that of botwork"`
	Env       map[string]string `json:"env" doc:"environment variables to add"`
	Stdin     string            `json:"stdin" enum:"none,text,lines,json" doc:"how input is passed to the program; lines takes a list"`
	Input     any               `json:"input" needs:"stdin" doc:"what the program reads; needs stdin; default is the step's input"`
	Stdout    string            `json:"stdout" enum:"text,json,lines" doc:"how the program's output is read"`
	Success   []int             `json:"success" doc:"exit codes that are a success"`
	Business  []int             `json:"business" doc:"exit codes that are a business error"`
	Permanent []int             `json:"permanent" doc:"exit codes that are a permanent error"`
	Timeout   handlers.Duration `json:"timeout" doc:"how long the program may run at most"`
	MaxOutput handlers.Size     `json:"maxOutput" doc:"most that the program may write to its output"`

	// waitDelay is how long after the program's end its output may stay open.
	waitDelay time.Duration

	// secretEnv are variables that the program does not inherit.
	secretEnv []string

	programs *programs.Account
}

func (s *execStep) Validate() error {
	var errs []error
	if s.Program == "" {
		errs = append(errs, handlers.WrongParam("program", "want a name or a path"))
	}
	if s.Timeout <= 0 {
		errs = append(errs, handlers.WrongParam("timeout", "want more than 0s"))
	}
	if len(s.Success) == 0 {
		errs = append(errs, handlers.WrongParam("success", "want at least one exit code"))
	}
	for _, code := range slices.Concat(s.Business, s.Permanent) {
		if slices.Contains(s.Success, code) || slices.Contains(s.Business, code) && slices.Contains(s.Permanent, code) {
			errs = append(errs, fmt.Errorf("the exit code %d is in two of success, business and permanent", code))
		}
	}
	return errors.Join(errs...)
}

func (s *execStep) Handle(ctx context.Context, call *handlers.Call) (any, error) {
	input, err := s.stdin(call)
	if err != nil {
		return nil, handlers.Permanent(err)
	}
	if s.Dir != "" {
		// Without this check, the error for a missing folder would name the program.
		if info, err := os.Stat(s.Dir); err != nil || !info.IsDir() {
			return nil, handlers.Permanent(fmt.Errorf("exec %s: dir %q is no folder", s.Program, s.Dir))
		}
	}
	ctx, stop := context.WithTimeoutCause(ctx, time.Duration(s.Timeout), late("no end within %s; it was killed", s.Timeout))
	defer stop()

	stdout := &limitedBuffer{limit: int64(s.MaxOutput), full: stop}
	stderr := &tailBuffer{limit: 4096}
	cmd := exec.CommandContext(ctx, s.Program, s.Args...)
	cmd.Dir, cmd.Env = s.Dir, s.environment(call)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), stdout, stderr
	if call.OnPrint != nil {
		tail := new(outputTail)
		tail.changed = call.Print(tail.String)
		cmd.Stdout, cmd.Stderr = io.MultiWriter(stdout, tail.stream(0)), io.MultiWriter(stderr, tail.stream(1))
	}
	cmd.WaitDelay = s.waitDelay

	if runtime.GOOS == "windows" {
		if err := checkBatch(cmd.Path, s.Dir, cmd.Args, exec.LookPath); err != nil {
			return nil, handlers.Permanent(fmt.Errorf("exec %s: %w", s.Program, err))
		}
	}
	err = s.programs.Run(ctx, cmd, call.Log)
	if at, ok := ctx.Deadline(); ok && err != nil && !time.Now().Before(at) {
		// The program may have been killed at its timeout while this process was suspended, before the
		// context's own timer expired.
		<-ctx.Done()
	}
	switch cause := context.Cause(ctx); {
	case stdout.overflowed: // also if it succeeded: its output is incomplete
		err = handlers.Permanent(fmt.Errorf("it wrote more than %s; raise maxOutput if that is right", s.MaxOutput))
	case err != nil && cause != nil:
		err = cause
	}
	return s.result(cmd, err, stdout.kept.Bytes(), stderr.String())
}

// result converts the end of the program to an output or an error.
func (s *execStep) result(cmd *exec.Cmd, err error, stdout []byte, stderr string) (any, error) {
	named := func(err error) error {
		if tail := strings.TrimSpace(stderr); tail != "" {
			return fmt.Errorf("exec %s: %w; standard error: %s", s.Program, err, tail)
		}
		return fmt.Errorf("exec %s: %w", s.Program, err)
	}
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrWaitDelay):
		return nil, named(errors.New("it left processes running that held its output open; they were killed"))
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, exec.ErrDot):
		return nil, handlers.Permanent(named(err))
	case err != nil && !errors.As(err, &exit):
		return nil, keepOutcome(named(err))
	}
	code := cmd.ProcessState.ExitCode()
	failure := named(fmt.Errorf("exit code %d", code))
	switch {
	case slices.Contains(s.Success, code):
	case slices.Contains(s.Business, code):
		return nil, handlers.Business(failure)
	case slices.Contains(s.Permanent, code):
		return nil, handlers.Permanent(failure)
	case code < 0:
		return nil, named(err) // killed by a signal, which err names
	default:
		return nil, failure
	}
	output, err := s.output(stdout)
	if err != nil {
		return nil, named(err)
	}
	return map[string]any{"exitCode": code, "output": output, "stderr": stderr}, nil
}
