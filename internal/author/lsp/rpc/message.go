package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// The error codes of JSON-RPC and of the language server protocol.
const (
	ParseError           = -32700
	InvalidRequest       = -32600
	MethodNotFound       = -32601
	InvalidParams        = -32602
	InternalError        = -32603
	ServerNotInitialized = -32002
	RequestCancelled     = -32800
	RequestFailed        = -32803
)

// Error is an error answer.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return e.Message }

// Errorf returns an error answer.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// message is any message. A request has an id and a method, a notification only a
// method, an answer only an id.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

var null = json.RawMessage("null")

// decode decodes a body. The error is the answer to an invalid message.
func decode(body []byte) (message, *Error) {
	var m message
	if trimmed := bytes.TrimSpace(body); len(trimmed) > 0 && trimmed[0] == '[' {
		return m, Errorf(InvalidRequest, "got a batch, want one message per frame")
	}
	if err := json.Unmarshal(body, &m); err != nil {
		if !json.Valid(body) {
			return m, Errorf(ParseError, "the message is not JSON: %v", err)
		}
		return m, Errorf(InvalidRequest, "the message is not valid JSON-RPC: %v", err)
	}
	if m.Version != "2.0" {
		return m, Errorf(InvalidRequest, `got the version %.20q, want jsonrpc: "2.0"`, m.Version)
	}
	if m.Method == "" && m.ID == nil {
		return m, Errorf(InvalidRequest, "got neither a method nor an id")
	}
	if m.ID != nil && !validID(m.ID) {
		m.ID = null
		return m, Errorf(InvalidRequest, "got an id that is neither a number nor text")
	}
	return m, nil
}

func validID(id json.RawMessage) bool {
	var value any
	if json.Unmarshal(id, &value) != nil {
		return false
	}
	switch value.(type) {
	case string, float64:
		return true
	default:
		return false
	}
}

// Params decodes the parameters of a message. Missing parameters count as an empty
// object. The error is an *Error.
func Params[T any](raw json.RawMessage) (T, error) {
	var params T
	if len(raw) == 0 || bytes.Equal(raw, null) {
		return params, nil
	}
	if err := json.Unmarshal(raw, &params); err != nil {
		return params, Errorf(InvalidParams, "invalid parameters: %v", err)
	}
	return params, nil
}
