package lsp

// The types of LSP 3.17 with the fields that this server uses.

// Position counts lines and characters from 0, characters in the units that
// client and server have agreed on.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range ends before End.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Location is a range in a file.
type Location struct {
	URI   string `json:"uri"`
	Range Range  `json:"range"`
}

type textDocument struct {
	URI     string `json:"uri"`
	Version int    `json:"version"`
	Text    string `json:"text"`
}

type textDocumentID struct {
	URI string `json:"uri"`
}

// atPosition are the parameters of most requests.
type atPosition struct {
	TextDocument textDocumentID `json:"textDocument"`
	Position     Position       `json:"position"`
}

type initializeParams struct {
	ProcessID    *int         `json:"processId"`
	RootURI      string       `json:"rootUri"`
	Capabilities capabilities `json:"capabilities"`
}

// capabilities are the client's capabilities that affect the server.
type capabilities struct {
	General struct {
		PositionEncodings []string `json:"positionEncodings"`
	} `json:"general"`
	Workspace struct {
		DidChangeWatchedFiles struct {
			DynamicRegistration bool `json:"dynamicRegistration"`
		} `json:"didChangeWatchedFiles"`
	} `json:"workspace"`
	TextDocument struct {
		Completion struct {
			CompletionItem struct {
				InsertTextModeSupport struct {
					ValueSet []int `json:"valueSet"`
				} `json:"insertTextModeSupport"`
			} `json:"completionItem"`
		} `json:"completion"`
		DocumentSymbol struct {
			Hierarchical bool `json:"hierarchicalDocumentSymbolSupport"`
		} `json:"documentSymbol"`
	} `json:"textDocument"`
}

type didOpenParams struct {
	TextDocument textDocument `json:"textDocument"`
}

type didChangeParams struct {
	TextDocument   textDocument    `json:"textDocument"`
	ContentChanges []contentChange `json:"contentChanges"`
}

// contentChange replaces a range or, without a range, the whole text.
type contentChange struct {
	Range *Range `json:"range"`
	Text  string `json:"text"`
}

// Diagnostic is a finding as editors show it.
type Diagnostic struct {
	Range    Range  `json:"range"`
	Severity int    `json:"severity"`
	Code     string `json:"code,omitempty"`
	Source   string `json:"source"`
	Message  string `json:"message"`
}

// The severities of diagnostics.
const (
	severityError   = 1
	severityWarning = 2
)

type publishParams struct {
	URI         string       `json:"uri"`
	Version     *int         `json:"version,omitempty"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// TextEdit replaces a range.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// WorkspaceEdit contains edits by the URIs of files.
type WorkspaceEdit struct {
	Changes map[string][]TextEdit `json:"changes"`
}

// CompletionItem is one proposal.
type CompletionItem struct {
	Label         string    `json:"label"`
	Kind          int       `json:"kind,omitempty"`
	Detail        string    `json:"detail,omitempty"`
	Documentation *markup   `json:"documentation,omitempty"`
	SortText      string    `json:"sortText,omitempty"`
	FilterText    string    `json:"filterText,omitempty"`
	TextEdit      *TextEdit `json:"textEdit,omitempty"`

	// InsertTextMode is 1 if the text is already indented.
	InsertTextMode int `json:"insertTextMode,omitempty"`
}

// The kinds of proposals.
const (
	kindFunction   = 3
	kindField      = 5
	kindVariable   = 6
	kindClass      = 7
	kindProperty   = 10
	kindValue      = 12
	kindEnum       = 13
	kindReference  = 18
	kindFile       = 17
	kindEnumMember = 20
	kindConstant   = 21
)

type completionList struct {
	IsIncomplete bool             `json:"isIncomplete"`
	Items        []CompletionItem `json:"items"`
}

type markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

func markdown(text string) *markup {
	if text == "" {
		return nil
	}
	return &markup{Kind: "markdown", Value: text}
}

type hover struct {
	Contents markup `json:"contents"`
	Range    Range  `json:"range"`
}
