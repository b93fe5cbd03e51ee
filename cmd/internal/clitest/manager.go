package clitest

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"botwork/cmd"
	"botwork/cmd/internal/projectdir"
	"botwork/internal/service"
)

// FakeManager is a service manager in memory.
type FakeManager struct {
	Specs map[string]service.Spec
	Now   map[string]*service.Status
	Calls []string

	Warnings   []error
	StartFails error
}

func NewFakeManager(services ...service.Status) *FakeManager {
	m := &FakeManager{Specs: map[string]service.Spec{}, Now: map[string]*service.Status{}}
	for _, st := range services {
		m.Now[st.Name] = &st
	}
	return m
}

func (m *FakeManager) find(name string) (*service.Status, error) {
	if st := m.Now[name]; st != nil {
		return st, nil
	}
	return nil, fmt.Errorf("query %s: %w", name, service.ErrNotInstalled)
}

func (m *FakeManager) Install(_ context.Context, s service.Spec) ([]error, error) {
	m.Specs[s.Name] = s
	m.Now[s.Name] = &service.Status{Name: s.Name, State: service.Stopped, Program: s.Program, Config: s.Config}
	return m.Warnings, nil
}

func (m *FakeManager) Uninstall(_ context.Context, name string) ([]error, error) {
	m.Calls = append(m.Calls, "uninstall "+name)
	_, err := m.find(name)
	delete(m.Now, name)
	return m.Warnings, err
}

func (m *FakeManager) Start(_ context.Context, name string) error {
	m.Calls = append(m.Calls, "start "+name)
	st, err := m.find(name)
	if err == nil {
		if err = m.StartFails; err == nil {
			st.State, st.PID = service.Running, 4711
		}
	}
	return err
}

func (m *FakeManager) Stop(_ context.Context, name string) error {
	m.Calls = append(m.Calls, "stop "+name)
	st, err := m.find(name)
	if err == nil {
		st.State, st.PID = service.Stopped, 0
	}
	return err
}

func (m *FakeManager) Status(_ context.Context, name string) (service.Status, error) {
	st, err := m.find(name)
	if err != nil {
		return service.Status{}, err
	}
	return *st, nil
}

func (m *FakeManager) List(context.Context) ([]service.Status, error) {
	var list []service.Status
	for _, name := range []string{"botwork", "nightly"} {
		if st := m.Now[name]; st != nil {
			list = append(list, *st)
		}
	}
	return list, nil
}

// Do runs a command line with this manager.
func (m *FakeManager) Do(t *testing.T, args ...string) Result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	a := projectdir.New(strings.NewReader(""), &stderr, nil, nil)
	a.Services = func() (service.Manager, error) { return m, nil }
	code := cmd.Execute(t.Context(), a, args, &stdout)
	return Result{code, stdout.String(), stderr.String()}
}
