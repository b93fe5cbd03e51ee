package bounded

import (
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/expr-lang/expr/vm/runtime"
)

const (
	// scopeBytes is the memory that the virtual machine keeps for each started loop until
	// the evaluation ends.
	scopeBytes = 160

	// passSteps is the cost of reading an element through reflection, or of one iteration
	// of a loop that counts backwards.
	passSteps = 8

	// groupBytes is the memory that groupBy needs for each element.
	groupBytes = 100

	// sortPasses is about how often a sort compares each element.
	sortPasses = 20

	// patternSteps is the cost of compiling one byte of a regular expression.
	patternSteps = 1_000
)

// read charges the steps of reading its argument and returns it.
func read(args ...any) (any, error) {
	b, v := args[0].(*Budget), args[1]
	switch v := v.(type) {
	case nil, bool, int, float64:
		return v, nil
	case string:
		return v, b.Steps(len(v) / textPerStep)
	}
	_, err := b.weighDeep(v)
	return v, err
}

// enter charges the start of a nested loop and returns its list.
func enter(args ...any) (any, error) {
	b := args[0].(*Budget)
	if err := b.Steps(10); err != nil {
		return nil, err
	}
	return args[1], b.Memory(scopeBytes)
}

// enterAll is like enter for a loop without a body, such as sum(list).
func enterAll(args ...any) (any, error) {
	b := args[0].(*Budget)
	w, err := b.weigh(args[1])
	if err != nil {
		return nil, err
	}
	if err := b.Steps(times(w.nodes, passSteps)); err != nil {
		return nil, err
	}
	return enter(args...)
}

// made charges a text that a loop has built and returns it.
func made(args ...any) (any, error) {
	text, _ := args[1].(string)
	return args[1], args[0].(*Budget).Memory(len(text))
}

// sortKey charges a value that sortBy compares.
func sortKey(args ...any) (any, error) {
	b, v := args[0].(*Budget), args[1]
	if text, ok := v.(string); ok {
		return v, b.Steps(sortPasses * (1 + len(text)/textPerStep))
	}
	return v, b.Steps(sortPasses)
}

// groupKey charges a key of groupBy and its element.
func groupKey(args ...any) (any, error) {
	if err := args[0].(*Budget).Memory(groupBytes); err != nil {
		return nil, err
	}
	return read(args...)
}

// argument charges an argument of a method. Expressions can call only the methods of
// times and durations; Format creates up to four bytes for each byte of its argument.
func argument(args ...any) (any, error) {
	b, v := args[0].(*Budget), args[1]
	size := 0
	switch v := v.(type) {
	case string:
		size = len(v)
	case []byte:
		size = len(v)
	}
	if err := b.Steps(1 + size/textPerStep); err != nil {
		return nil, err
	}
	return v, b.Memory(times(size, 8))
}

// in is the operator in.
func in(args ...any) (any, error) {
	b, needle, list := args[0].(*Budget), args[1], args[2]
	sought, err := b.weighDeep(needle)
	if err != nil {
		return nil, err
	}
	all, err := b.weigh(list)
	if err != nil {
		return nil, err
	}
	if err := b.Steps(times(all.nodes, plus(sought.nodes, passSteps))); err != nil {
		return nil, err
	}
	return runtime.In(needle, list), nil
}

// matches is the operator matches with a pattern that is not constant.
func matches(args ...any) (any, error) {
	b, v := args[0].(*Budget), args[1]
	if runtime.IsNil(v) || runtime.IsNil(args[2]) {
		return false, nil
	}
	pattern := args[2].(string)
	if err := b.Steps(times(len(pattern), patternSteps)); err != nil {
		return nil, err
	}
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return nil, err
	}
	if err := b.Steps(times(bytesOf(v), matchSteps(pattern)) / 8); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case string:
		return compiled.MatchString(v), nil
	case []byte:
		return compiled.Match(v), nil
	}
	return nil, fmt.Errorf("cannot match a value of type %T", v)
}

// readForMatch charges the steps of matching a text and returns the text. The pattern is
// constant, so the cost for each eight bytes is known.
func readForMatch(args ...any) (any, error) {
	return args[1], args[0].(*Budget).Steps(times(bytesOf(args[1]), args[2].(int)) / 8)
}

func bytesOf(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case []byte:
		return len(v)
	}
	return 0
}

// matchSteps returns the largest cost of matching a pattern for eight bytes of text: the
// matcher follows each instruction of the pattern at each byte.
func matchSteps(pattern string) int {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 1
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 1
	}
	return len(program.Inst)
}
