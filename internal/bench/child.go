package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// childPatience is the longest wait for a worker process to end after it was asked to.
const childPatience = 30 * time.Second

// child is a worker process: this program started again, with pipes as its standard input
// and output. See [Serve].
type child struct {
	job    job
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	url    string // of a server of the API
	stderr childOutput
}

// childOutput collects the standard error output of a process.
type childOutput struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *childOutput) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *childOutput) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.TrimSpace(s.text.String())
}

// startChild starts a worker process and waits until it is registered.
func (c Common) startChild(ctx context.Context, j job) (*child, error) {
	if len(c.Command) == 0 {
		return nil, errors.New("the command line of a worker process is not set")
	}
	ch := &child{job: j, cmd: exec.CommandContext(ctx, c.Command[0], c.Command[1:]...)}
	ch.cmd.Stderr = &ch.stderr
	var err error
	if ch.in, err = ch.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := ch.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	ch.out = bufio.NewReader(out)
	// The process ends when its standard input is closed.
	ch.cmd.Cancel, ch.cmd.WaitDelay = ch.in.Close, childPatience
	if err := ch.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start a worker process: %w", err)
	}
	if err = json.NewEncoder(ch.in).Encode(j); err == nil {
		var w word
		if w, err = ch.hear(); err == nil && !w.Ready {
			err = errors.New("it did not register")
		}
		ch.url = w.URL
	}
	if err != nil {
		return nil, errors.Join(err, ch.end())
	}
	return ch, nil
}

// begin lets the process start its work.
func (ch *child) begin() error {
	_, err := io.WriteString(ch.in, "go\n")
	return ch.wrap(err)
}

// hear waits for the next line that the process writes.
func (ch *child) hear() (w word, err error) {
	line, err := ch.out.ReadBytes('\n')
	if err != nil {
		return w, ch.wrap(err)
	}
	return w, ch.wrap(json.Unmarshal(line, &w))
}

// end asks the process to end and waits until it has.
func (ch *child) end() error {
	_ = ch.in.Close() // closing it twice is harmless
	return ch.wrap(ch.cmd.Wait())
}

func (ch *child) wrap(err error) error {
	if err == nil {
		return nil
	}
	if said := ch.stderr.String(); said != "" {
		return fmt.Errorf("worker process %s: %w; its output: %s", ch.job.Name, err, said)
	}
	return fmt.Errorf("worker process %s: %w", ch.job.Name, err)
}
