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
	// Path leads to the value from `with` on, such as ["retry", "attempts"];
	// an element of a list is named by its number from 0. It is empty when
	// the mistake is not one value's. A missing key's path ends in the key.
	Path []string

	// Code is one of UnknownParameter, MissingParameter, WrongType, WrongValue.
	Code string

	// Message says what is wrong and what was wanted, without the path.
	Message string

	// Hint suggests a correction; "" if there is none.
	Hint string

	// Known are the names that an unknown parameter could have meant.
	Known []string

	// Meant is the value that was probably meant, "" if unknown; Sure reports that there is no
	// doubt about it.
	Meant string
	Sure  bool

	// WantsText reports that a value of the wrong type should have been text.
	WantsText bool
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

// ParamErrors are all the mistakes in a step's parameters, in no special order.
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

// paramErrorsOf takes what Validate returned apart: joined errors count one by
// one, and an error that names no parameter belongs to the step as a whole.
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
