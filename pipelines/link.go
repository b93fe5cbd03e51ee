package pipelines

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"botwork/internal/author/strictyaml"
	"botwork/workqueue"
)

// Calls reports whether a step of the pipeline calls another pipeline.
func (p *Pipeline) Calls() bool {
	for s := range p.Each() {
		if s.Uses != "" {
			return true
		}
	}
	return false
}

// Callee returns the pipeline that a step calls; nil if the step calls none.
func (p *Pipeline) Callee(s *Step) *Pipeline { return p.callees[s.Uses] }

// linker resolves the calls between the pipelines of a catalogue.
type linker struct {
	k *Catalogue

	// linked has the pipelines whose calls were resolved, and the findings of the others. path
	// are the pipelines whose calls are being resolved.
	linked   map[*Pipeline]*Pipeline
	findings map[*Pipeline]strictyaml.Findings
	path     []*Pipeline
}

func (k *Catalogue) linker() *linker {
	return &linker{k: k, linked: map[*Pipeline]*Pipeline{}, findings: map[*Pipeline]strictyaml.Findings{}}
}

// link resolves the calls of all pipelines, and returns the findings. A pipeline with a call that
// cannot be resolved is broken.
func (k *Catalogue) link() strictyaml.Findings {
	k.broken = slices.DeleteFunc(k.broken, func(b Broken) bool { return b.Calls })
	maps.Copy(k.byName, k.callers)
	l := k.linker()
	var all strictyaml.Findings
	for _, key := range sortedKeys(k.callers) {
		p := k.callers[key]
		linked, findings := l.link(p)
		if len(findings) > 0 {
			all = append(all, findings...)
			k.broken = append(k.broken, Broken{Name: p.Name, File: p.File, Trigger: p.Trigger != nil, Findings: findings, Calls: true})
			continue
		}
		k.byName[key] = linked
	}
	for _, b := range k.broken {
		if p := k.callers[strings.ToLower(b.Name)]; p != nil && b.Calls {
			delete(k.byName, strings.ToLower(b.Name))
		}
	}
	return all
}

// link returns a copy of the pipeline that has the pipelines it calls, or findings.
func (l *linker) link(p *Pipeline) (*Pipeline, strictyaml.Findings) {
	if linked := l.linked[p]; linked != nil {
		return linked, nil
	}
	if findings := l.findings[p]; findings != nil {
		return nil, findings
	}
	l.path = append(l.path, p)
	defer func() { l.path = l.path[:len(l.path)-1] }()
	q := *p
	q.callees = map[string]*Pipeline{}
	var findings strictyaml.Findings
	for s := range p.Each() {
		if s.Uses == "" {
			continue
		}
		callee, found := l.callee(p, s)
		if found != nil {
			findings = append(findings, *found)
			continue
		}
		q.callees[s.Uses] = callee
		findings = append(findings, callee.checkCall(p, s)...)
		q.Warnings = append(slices.Clip(q.Warnings), callee.idleKeys(p, s)...)
	}
	if len(findings) > 0 {
		l.findings[p] = findings
		return nil, findings
	}
	if q.reach = l.reach(&q); q.reach > mostReached {
		f := p.Nodes()[firstCall(p)].Get("uses")
		found := f.Finding(CodeTooDeep, fmt.Sprintf("%s: the pipeline reaches more than %d steps through its calls", f.Path, mostReached), "call fewer pipelines, or enqueue items for them")
		l.findings[p] = strictyaml.Findings{found}
		return nil, l.findings[p]
	}
	q.Warnings.Sort()
	q.RunHash = q.hashWithCallees()
	l.linked[p] = &q
	return &q, nil
}

// mostReached bounds the steps of a pipeline together with those of the pipelines that it calls, each counted for
// each call: ten pipelines that call the next one ten times would have ten thousand million.
const mostReached = 10_000

// reach counts the steps that a run may reach.
func (*linker) reach(p *Pipeline) (n int) {
	for s := range p.Each() {
		n++
		if callee := p.Callee(s); callee != nil {
			n += max(callee.reach, len(callee.Steps))
		}
	}
	return n
}

func firstCall(p *Pipeline) *Step {
	for s := range p.Each() {
		if s.Uses != "" {
			return s
		}
	}
	return nil
}

// callee returns the pipeline that a step calls, or the finding why it cannot.
func (l *linker) callee(p *Pipeline, s *Step) (*Pipeline, *strictyaml.Finding) {
	refuse := func(code, message, hint string) (*Pipeline, *strictyaml.Finding) {
		n := p.Nodes()[s].Get("uses")
		f := n.Finding(code, n.Path+": "+message, hint)
		if code == CodeUnknownPipeline {
			f.Edit = n.ReplaceWord(l.k.names(), false)
		}
		return nil, &f
	}
	to, broken := l.k.find(s.Uses)
	switch {
	case broken:
		return refuse(CodeBrokenPipeline, fmt.Sprintf("the file of pipeline %q has errors", s.Uses), "")
	case to == nil:
		f := l.k.unknown(s.Uses)
		return refuse(CodeUnknownPipeline, f.Message, f.Hint)
	case to.Trigger != nil:
		return refuse(CodeTriggeredPipeline, fmt.Sprintf("pipeline %q has a trigger; a step can only call a pipeline without one", to.Name), "")
	}
	if at := slices.Index(l.path, to); at >= 0 {
		var names []string
		for _, one := range append(slices.Clone(l.path[at:]), to) {
			names = append(names, one.Name)
		}
		return refuse(CodeCallCycle, "pipelines call one another without end: "+strings.Join(names, " -> "), "remove one of the calls")
	}
	if !to.Calls() {
		return to, nil
	}
	linked, findings := l.link(to)
	if len(findings) > 0 {
		return refuse(CodeBrokenPipeline, fmt.Sprintf("the file of pipeline %q has errors", to.Name), "")
	}
	return linked, nil
}

// find returns the pipeline of a name, or of the path of its file in the folder without its ending:
// "common/post-to-ledger". broken reports that its file has errors.
func (k *Catalogue) find(name string) (p *Pipeline, broken bool) {
	if p := k.callers[strings.ToLower(name)]; p != nil && p.Name == name {
		return p, false
	}
	if p, ok := k.Get(name); ok {
		return p, false
	}
	for _, key := range sortedKeys(k.byName) {
		if p := k.byName[key]; isFile(p.File, name) {
			if caller := k.callers[key]; caller != nil {
				return caller, false
			}
			return p, false
		}
	}
	return nil, slices.ContainsFunc(k.broken, func(b Broken) bool {
		return !b.Calls && (strings.EqualFold(b.Name, name) || isFile(b.File, name))
	})
}

// isFile reports whether a path, such as "common/post-to-ledger", is the end of that of a file.
func isFile(file, path string) bool {
	file = filepath.ToSlash(strings.TrimSuffix(file, filepath.Ext(file)))
	return strings.Contains(path, "/") && strings.HasSuffix("/"+file, "/"+path)
}

// checkCall checks what is constant in the payload that a step of the caller gives.
func (p *Pipeline) checkCall(caller *Pipeline, s *Step) strictyaml.Findings {
	if p.input == nil || s.with != nil && s.with.value != nil {
		return nil
	}
	var payload any = map[string]any{}
	if s.with != nil {
		payload = s.with.known()
	}
	var findings strictyaml.Findings
	for _, one := range p.input.Check(payload) {
		if s.with != nil && s.with.dynamicAt(one.Path) {
			continue
		}
		n := caller.Nodes()[s]
		if with := n.Get("with"); with != nil {
			n = with.Descend(one.Path)
		}
		findings = append(findings, n.Finding(CodeInvalidPayload, fmt.Sprintf("%s: the input of pipeline %q: %s", n.Path, p.Name, one.Text), ""))
	}
	return findings
}

// idleKeys warns about keys of a called pipeline that only count for its own items.
func (p *Pipeline) idleKeys(caller *Pipeline, s *Step) strictyaml.Findings {
	var keys []string
	for key, set := range map[string]bool{
		"resilience": !reflect.DeepEqual(p.Resilience, workqueue.Resilience{}), "batch": p.Batch != nil, "channel": p.Channel != "",
		"escalation": len(p.Escalation) > 0, "resume": p.Resume,
	} {
		if set {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil
	}
	slices.Sort(keys)
	n := caller.Nodes()[s].Get("uses")
	f := n.Finding(CodeNoEffect, fmt.Sprintf("%s: %s of pipeline %q does not apply to this call", n.Path, strings.Join(keys, ", "), p.Name), "write it in this file if it is needed")
	f.Severity = strictyaml.Warning
	return strictyaml.Findings{f}
}

// hashWithCallees returns the hash of the pipeline's text and of those that it calls.
func (p *Pipeline) hashWithCallees() string {
	sum := sha256.New()
	sum.Write([]byte(p.Hash))
	for _, name := range sortedKeys(p.callees) {
		sum.Write([]byte(p.callees[name].RunHash))
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// resolved returns an inline pipeline with the pipelines that it calls.
func (k *Catalogue) resolved(p *Pipeline, findings strictyaml.Findings) (*Pipeline, strictyaml.Findings) {
	if p == nil || len(findings) > 0 || !p.Calls() {
		return p, findings
	}
	return k.linker().link(p)
}

// unlinked is the finding about a pipeline that a step calls and that is not known.
func unlinked(name string) strictyaml.Finding {
	return strictyaml.Finding{Code: CodeUnknownPipeline, Message: fmt.Sprintf("there is no pipeline %q", cut(name))}
}
