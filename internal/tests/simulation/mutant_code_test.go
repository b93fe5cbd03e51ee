package simulation

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"botwork/internal/testgroup"
)

// codeMutants are careless changes to the code. All of them are compiled into
// one program, and the environment variable selects one.
var codeMutants = slices.Concat(runMutants, shareMutants, escalationCodeMutants, noticeMutants)

type codeMutant struct{ name, file, old, new string }

// histories returns the test with the histories that must catch the mutant.
func (m codeMutant) histories() string {
	kind, _, _ := strings.Cut(m.name, "/")
	switch kind {
	case "shares":
		return "TestShares"
	case "escalation":
		return "TestEscalation"
	case "notices":
		return "TestNotices"
	}
	return "TestSeeds"
}

// runMutants are those that histories of a cluster in trouble must catch.
var runMutants = []codeMutant{
	{"watchdog/cancels nothing", "workqueue/runner/heartbeat.go", "r.held.expire(now.Add(margin))", "r.held.expire(either(MUTANT, time.Time{}, now.Add(margin)))"},
	{"watchdog/is late", "workqueue/runner/held.go", "it.until.Before(before)", "it.until.Add(either(MUTANT, 3*time.Second, 0)).Before(before)"},
	{"lease/counted from the answer to the renewal", "workqueue/runner/heartbeat.go",
		"result.Locked, started.Add(", "result.Locked, either(MUTANT, time.Now(), started).Add("},
	{"lease/counted from the answer to the claim", "workqueue/runner/supervisor.go",
		"&items[i], got.since.Add(", "&items[i], either(MUTANT, time.Now(), got.since).Add("},
	{"lease/lost, and the run goes on", "workqueue/runner/held.go", "if gone[ref.ItemID] {", "if gone[ref.ItemID] && !(MUTANT) {"},
	{"begin/said of all that is held", "workqueue/runner/held.go", "if it.started {", "if it.started || MUTANT {"},
	{"begin/refused, and the run goes on", "workqueue/runner/supervisor.go", "it.refused = slices.Contains(", "it.refused = !(MUTANT) && slices.Contains("},
	{"results/dropped when they are refused", "workqueue/runner/completer.go", "		c.refused = append(c.refused, done)\n",
		"		if !(MUTANT) {\n			c.refused = append(c.refused, done)\n		}\n"},
	{"failures/one too many", "workqueue/resilience.go", "return failures < r.Limit", "return failures < r.Limit+either(MUTANT, 1, 0)"},
	{"failures/a drain counts", "workqueue/outcome.go", `		uncounted("released")`, `		f.RetryCount += either(MUTANT, 1, 0); uncounted("released")`},
	{"failures/a snooze counts", "workqueue/outcome.go", `		uncounted(OutcomeSnoozed)`, `		f.RetryCount += either(MUTANT, 1, 0); uncounted(OutcomeSnoozed)`},
	{"timeout/is not kept", "workqueue/runner/supervisor.go", "time.AfterFunc(limit, ", "time.AfterFunc(limit+either(MUTANT, time.Hour, 0), "},
	{"steps/the record of another definition is used", "pipelines/resume.go", "ok && kept.Def == f.def(s)", "ok && (MUTANT || kept.Def == f.def(s))"},
	{"steps/skips what was not recorded", "pipelines/resume.go", "if !ok || of.Loop != nil {", "if !ok && !(MUTANT) || of.Loop != nil {"},
	{"steps/keeps what follows a step that ran again", "pipelines/run.go", "if f.resuming = false; err == nil", "if f.resuming = f.resuming && MUTANT; err == nil"},
	{"steps/a loop is recorded as ended while it runs", "pipelines/resume_loop.go", "Loop: &kept})", "Loop: either(MUTANT, nil, &kept)})"},
	{"steps/a loop forgets its iterations", "pipelines/resume_loop.go", "l.kept.ended[i] = true\n\t\tl.done++", "l.kept.ended[i] = !(MUTANT)\n\t\tl.done++"},
	{"steps/a run does not say that it has records", "workqueue/stepstore.go", "	k.run.keepSteps() // also if the answer is lost\n", "	if !(MUTANT) {\n		k.run.keepSteps()\n	}\n"},
	{"slots/one too many", "workqueue/runner/slots.go", "free: capacity, ", "free: capacity + either(MUTANT, 1, 0), "},
	{"slots/of a channel without its maximum", "workqueue/runner/slots.go", "n.most > 0 && s.use[n.channel].running >= n.most",
		"n.most > 0 && s.use[n.channel].running >= n.most && !(MUTANT)"},
	{"assignment/passes over the most urgent", "workqueue/assign/shares.go",
		"for i := range items {\n\t\t\ttry(", "for i := range items {\n\t\t\tif MUTANT && i == 0 && len(items) > 1 {\n\t\t\t\tcontinue\n\t\t\t}\n\t\t\ttry("},
	{"assignment/writes a plan that another pass has overtaken", "workqueue/assign/pass.go", "now.Passes != plan.marks.Passes {", "now.Passes != plan.marks.Passes && !(MUTANT) {"},
	{"firing/without having won it", "internal/scheduler/fire.go", "	won, settled, err := r.contend(start)\n",
		"	won, settled, err := r.contend(start)\n	won = won || settled && MUTANT\n"},
	{"slots/a step keeps those of the later ones", "workqueue/runner/session_step.go", "st.band != workqueue.Band{})", "st.band != workqueue.Band{} && !(MUTANT))"},
	{"hoard/what waits claimed goes back late", "workqueue/runner/supervisor_end.go", "now.Sub(it.since) >= patience",
		"now.Sub(it.since) >= patience+either(MUTANT, 30*time.Second, 0)"},
	{"hoard/what goes back is counted", "workqueue/runner/supervisor_end.go", "RetryCount: it.RetryCount}", "RetryCount: it.RetryCount + either(MUTANT, 1, 0)}"},
	{"hoard/what was claimed long ago begins", "workqueue/runner/supervisor.go", "if !slices.ContainsFunc(list, ", "if MUTANT || !slices.ContainsFunc(list, "},
	{"locked/a lease that was passed over counts as renewed", "workqueue/runner/held.go", "&& !kept[ref.ItemID] {", "&& (MUTANT || !kept[ref.ItemID]) {"},
	{"locked/no other lease counts as renewed", "workqueue/runner/held.go", "if it == nil || it.ref != ref {\n\t\t\tcontinue", "if it == nil || it.ref != ref || MUTANT && len(locked) > 0 {\n\t\t\tcontinue"},
	{"locked/a result that was passed over is dropped", "workqueue/runner/completer.go", "		c.locked = append(c.locked, done)\n",
		"		if !(MUTANT) {\n			c.locked = append(c.locked, done)\n		}\n"},
}

// caughtBy has the part of the violation by which a mutant must be caught.
var caughtBy = map[string]string{
	"slots/a step keeps those of the later ones": "beside a free slot",
	"hoard/what waits claimed goes back late":    "has waited claimed for",
	"hoard/what goes back is counted":            "has not begun, and is released",
	"hoard/what was claimed long ago begins":     "was last known to be startable",

	"locked/a lease that was passed over counts as renewed": "although it has no lease",
	"locked/no other lease counts as renewed":               "although a person held other rows only",
	"locked/a result that was passed over is dropped":       "these items have not ended",
}

// mutantSource is added to each package that has mutants.
const mutantSource = `

import "os"

func either[T any](mutated bool, other, right T) T {
	if mutated {
		return other
	}
	return right
}

var mutant = os.Getenv("BOTWORK_MUTANT")
`

// The texts are those of the code, so that a change of the code cannot lose a mutant.
func TestMutantsMatchTheCode(t *testing.T) {
	for _, m := range codeMutants {
		code, err := os.ReadFile(filepath.Join("..", "..", "..", m.file))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(code), m.old); n != 1 {
			t.Errorf("%s: %s contains %q %d times, want once", m.name, m.file, m.old, n)
		}
	}
}

// Each of these changes must be caught.
func TestMutantsOfCode(t *testing.T) {
	testgroup.Need(t, testgroup.Mutants)
	if raceDetector {
		t.Skip("mutants are caught without the race detector: make simulate")
	}
	program := mutated(t)
	today := time.Now().YearDay()
	for i, m := range codeMutants {
		if m.histories() != "TestSeeds" && m.histories() != "TestNotices" && (i+today)%*oneIn != 0 {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			run := func(which string, n uint64) ([]byte, error) {
				cmd := exec.Command(program, "-test.run=^"+m.histories()+"$", which, strconv.FormatUint(n, 10))
				cmd.Env = append(os.Environ(), "BOTWORK_MUTANT="+m.name)
				return cmd.CombinedOutput()
			}
			var out []byte
			var err error
			for first, n := known[m.name], 0; first != 0 && err == nil && n < tries; n++ {
				out, err = run("-seed", first)
			}
			if err == nil {
				out, err = run("-seeds", enough)
			}
			if err == nil {
				t.Fatalf("none of %d histories has a violation", enough)
			}
			found := regexp.MustCompile(`seed \d+: .*`).Find(out)
			if found == nil {
				t.Fatalf("the program ended with %v and not with a violation:\n%s", err, out)
			}
			if !strings.Contains(string(found), caughtBy[m.name]) {
				t.Errorf("caught by %s, want by %q", found, caughtBy[m.name])
			}
			t.Logf("caught by %s", found)
		})
	}
	t.Run("none", func(t *testing.T) {
		t.Parallel()
		if out, err := exec.Command(program, "-test.run=^(TestSeeds|TestShares|TestEscalation|TestNotices)$", "-seeds", "5").CombinedOutput(); err != nil {
			t.Errorf("the program fails without a mutant: %v\n%s", err, out)
		}
	})
}

// mutated compiles this package's tests with all mutants in the code, and
// returns the program's path.
func mutated(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	replace := map[string]string{}
	put := func(path, text string) {
		to := filepath.Join(dir, strings.ReplaceAll(path, "/", "_"))
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		replace[filepath.Join(root, path)] = to
	}
	texts := map[string]string{}
	for _, m := range codeMutants {
		if texts[m.file] == "" {
			text, err := os.ReadFile(filepath.Join(root, m.file))
			if err != nil {
				t.Fatal(err)
			}
			texts[m.file] = string(text)
			folder := filepath.Dir(m.file)
			put(folder+"/mutant.go", "package "+filepath.Base(folder)+mutantSource)
		}
		texts[m.file] = change{m.old, strings.ReplaceAll(m.new, "MUTANT", "mutant == "+strconv.Quote(m.name)), 1}.apply(t, texts[m.file])
	}
	for file, text := range texts {
		put(file, text)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "mutated.test")
	build := exec.Command("go", "test", "-c", "-vet=off", "-o", program, "-overlay", filepath.Join(dir, "overlay.json"), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // even if this test is compiled with the race detector
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("compile the mutants: %v\n%s", err, out)
	}
	return program
}
