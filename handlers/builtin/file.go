package builtin

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"botwork/handlers"
	"botwork/internal/values"
)

const fileDoc = `Lists, reads, writes, appends to, moves, copies and deletes files. Paths must lie in the folders that the
settings allow under handlers.folders; a relative path starts at the first of them, an absolute one must be inside one of
them. Neither ".." nor a symbolic link can leave them. "/" separates folders on every system.

op: list finds the files below the folder path that match pattern. read returns the content. write
replaces a file in one step: no reader ever sees a part. append adds to the end. move and copy move or copy path to to. delete
removes a file.

It may run twice for one item. list, read, write, copy and delete then have the same result: deleting a missing file is no
error, and a move is done if its source is missing and its target exists. Two operations are not safe: append adds twice, and
with overwrite: false a second write or copy, or a second move to another allowed folder, finds the file of the first. A file
that a later step has moved or deleted is missing when an attempt begins at the first step again: do that in the last step, or
set resume: true in the pipeline.

Only regular files are opened and replaced: a named pipe, a socket or a device can only be moved and deleted.

A path outside the allowed folders, a folder or anything else instead of a file, and a file over maxSize are permanent errors.
An existing target with overwrite: false, and content that does not match as, are business errors. A missing file and all other
errors are retried.`

func fileKind(res Resources) handlers.Kind {
	return handlers.Kind{
		Name: "File", Summary: "List, read, write, move, copy or delete files", Doc: fileDoc,
		Output: "for list: {files: list of {path, name, size, modifiedAt}, count}, sorted by path; for read: {path, size, modifiedAt, " +
			"content}; for write and append: {path, size}; for move and copy: {path}, the new one; for delete: {path, deleted}.",
		OutputShape: fileGives,
		Example: `- name: inbox
  handler: File
  with: {op: list, path: inbox, pattern: "*.txt"}
- name: first
  handler: File
  with: {op: read, path: "${{ steps.inbox.output.files[0].path }}"}
- handler: File
  with: {op: write, path: reports/today.txt, content: "${{ steps.first.output.content }}"}
- handler: File
  with: {op: move, path: "${{ steps.first.output.path }}", to: archive/first.txt}
`,
		New: func() handlers.Handler {
			return &fileStep{
				Pattern: "*", As: "text", MaxSize: 10 << 20, Overwrite: true, CreateFolders: true, folders: res.Folders,
			}
		},
	}
}

type fileStep struct {
	Op            string            `json:"op" required:"true" enum:"list,read,write,append,move,copy,delete" doc:"what to do"`
	Path          string            `json:"path" required:"true" doc:"the file, or for list the folder"`
	To            string            `json:"to" doc:"new path, for move and copy"`
	Pattern       string            `json:"pattern" doc:"for list: which files; * and ? stay within one name, [a-z] is a set, / goes down"`
	OlderThan     handlers.Duration `json:"olderThan" doc:"for list: leave out files changed more recently, which may still be being written"`
	As            string            `json:"as" enum:"text,json,base64" doc:"form of the content: UTF-8 text, a value kept as JSON, or bytes in base64"`
	Content       any               `json:"content" doc:"for write and append; default is the step's input"`
	MaxSize       handlers.Size     `json:"maxSize" doc:"for read: largest file"`
	Overwrite     bool              `json:"overwrite" doc:"for write, move and copy: whether an existing target is replaced"`
	CreateFolders bool              `json:"createFolders" doc:"for write, append, move and copy: whether missing folders are created"`

	folders folders
}

func (s *fileStep) Validate() error {
	var errs []error
	twoPaths := s.Op == "move" || s.Op == "copy"
	if twoPaths != (s.To != "") {
		errs = append(errs, handlers.WrongParam("to", "want the new path for move and copy, and nothing for "+s.Op))
	}
	if s.Content != nil && s.Op != "write" && s.Op != "append" {
		errs = append(errs, handlers.WrongParam("content", "goes with write and append, not with "+s.Op))
	}
	if _, err := s.folders.locate(s.Path); err != nil {
		errs = append(errs, handlers.WrongParam("path", err.Error()))
	}
	if twoPaths && s.To != "" {
		if _, err := s.folders.locate(s.To); err != nil {
			errs = append(errs, handlers.WrongParam("to", err.Error()))
		}
	}
	errs = append(errs, checkPattern(s.Pattern))
	return errors.Join(errs...)
}

func (s *fileStep) Handle(ctx context.Context, call *handlers.Call) (any, error) {
	out, err := s.do(ctx, call)
	if err != nil {
		return nil, keepOutcome(fmt.Errorf("file: %w", err))
	}
	return out, nil
}

func (s *fileStep) do(ctx context.Context, call *handlers.Call) (any, error) {
	switch s.Op {
	case "list":
		return s.list(ctx)
	case "read":
		return s.read()
	case "write":
		return s.write(call)
	case "append":
		return s.append(call)
	case "move":
		return s.move(ctx)
	case "copy":
		return s.copy(ctx)
	default:
		return s.delete()
	}
}

func (s *fileStep) read() (any, error) {
	data, info, err := s.folders.read(s.Path, s.MaxSize)
	if err != nil {
		return nil, err
	}
	out := map[string]any{"path": s.Path, "size": int(info.Size()), "modifiedAt": info.ModTime().UTC().Truncate(time.Millisecond)}
	if s.As == "base64" {
		out["content"] = base64.StdEncoding.EncodeToString(data)
		return out, nil
	}
	text, err := textOf(data)
	if err != nil {
		return nil, handlers.Business(fmt.Errorf("read %q: %w", s.Path, err))
	}
	out["content"] = text
	if s.As == "json" {
		if out["content"], err = values.DecodeJSON([]byte(text)); err != nil {
			return nil, handlers.Business(fmt.Errorf("read %q: %w", s.Path, err))
		}
	}
	return out, nil
}

// content is what write and append put into the file.
func (s *fileStep) content(call *handlers.Call) (io.Reader, error) {
	content := s.Content
	if content == nil {
		content = call.Input
	}
	if s.As == "json" {
		text, err := encodeJSON(content, "  ")
		if err != nil {
			return nil, handlers.Permanent(fmt.Errorf("write content as json: %w", err))
		}
		return strings.NewReader(text + "\n"), nil
	}
	text, ok := content.(string)
	if !ok {
		return nil, handlers.Permanent(fmt.Errorf("content is %s, want text; or set as: json", values.Describe(content)))
	}
	if s.As == "base64" {
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, handlers.Business(fmt.Errorf("content is not base64: %w", err))
		}
		return bytes.NewReader(data), nil
	}
	return strings.NewReader(text), nil
}
