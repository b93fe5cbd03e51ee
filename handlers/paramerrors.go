package handlers

import (
	"errors"
	"strings"
)

// The codes of a ParamError.
const (
	UnknownParameter = "unknown-parameter"
	MissingParameter = "missing-parameter"
	WrongType        = "wrong-type"
	WrongValue       = "wrong-value"
)

// ParamError is one mistake in a step's parameters.
type ParamError struct {
	// Path is the path of the value in `with`, such as ["retry", "attempts"]; an element of a list
	// is its index. It is empty if the error does not belong to one value. The path of a missing
	// key ends with the key.
	Path []string

	// Code is one of UnknownParameter, MissingParameter, WrongType, WrongValue.
	Code string

	// Message describes the error and the expected value, without the path.
	Message string

	// Hint suggests a correction; "" if there is none.
	Hint string

	// Warning is true if the step can run, and is only suspicious.
	Warning bool

	// Known are the names that an unknown parameter could have meant.
	Known []string

	// Suggestion is the value that was probably meant, "" if unknown; Certain reports that there is no
	// doubt about it.
	Suggestion string
	Certain    bool

	// ExpectedText is true if a value of the wrong type should have been text.
	ExpectedText bool
}

func (e *ParamError) Error() string {
	text := e.Message
	if len(e.Path) > 0 {
		text = strings.Join(e.Path, ".") + ": " + text
	}
	if e.Hint != "" {
		text += "; " + e.Hint
	}
	return text
}

// ParamErrors are all errors in a step's parameters, in no particular order.
type ParamErrors struct{ List []ParamError }

func (e *ParamErrors) Error() string {
	lines := make([]string, len(e.List))
	for i := range e.List {
		lines[i] = e.List[i].Error()
	}
	return strings.Join(lines, "\n")
}

// WrongParam returns the error that a Validate method uses to name the
// parameter that it means; a dot in name separates the steps of a path.
func WrongParam(name, message string) error {
	return &ParamError{Path: strings.Split(name, "."), Code: WrongValue, Message: message}
}

// paramErrorsOf splits the error of Validate: joined errors are separate, and an error without
// a parameter belongs to the whole step.
func paramErrorsOf(err error) []ParamError {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var list []ParamError
		for _, e := range joined.Unwrap() {
			list = append(list, paramErrorsOf(e)...)
		}
		return list
	}
	if one, ok := errors.AsType[*ParamError](err); ok {
		return []ParamError{*one}
	}
	return []ParamError{{Code: WrongValue, Message: err.Error()}}
}
