package sql

// Cell is one of the values that the statement enqueue needs for each item.
type Cell int

// The cells.
const (
	QueueCell Cell = iota
	StateCell
	PriorityCell
	ConfigCell
	PayloadCell
	EstimateCell
	ResilienceCell
	DueCell
	DelayCell
	DeadlineCell
	DeadlineMsCell
	FinishCell
	FinishMsCell
	AuthorCell
	TaskCell
	KeyCell
	LimitCell
	TagsCell
	MetadataCell
	LabelsCell
	SelectorsCell
	ExpediteCell
	RetainCell
	LifeCell
	SealedCell
	TicketCell
	UniqueCell
	ContentCell
	TimedCell
	TimedMsCell
	BatchKeyCell
	BatchMaxCell
	BatchWaitCell
	BatchAtMostCell
	CellCount // the number of cells
)

// CellKind is the type of a cell's value if it is not NULL.
type CellKind string

// The kinds of cells.
const (
	TextCell   CellKind = "text"
	NumberCell CellKind = "number" // of 64 bits
	TimeCell   CellKind = "time"   // UTC, as the text that the engine reads from JSON
)

var cells = [CellCount]struct {
	name string
	kind CellKind
}{
	QueueCell:       {"Queue", TextCell},
	StateCell:       {"NewState", NumberCell},
	PriorityCell:    {"Prio", NumberCell},
	ConfigCell:      {"Config", TextCell},
	PayloadCell:     {"Body", TextCell},
	EstimateCell:    {"EstimateMs", NumberCell},
	ResilienceCell:  {"Policy", TextCell},
	DueCell:         {"DueAt", TimeCell},
	DelayCell:       {"DelayMs", NumberCell},
	DeadlineCell:    {"Deadline", TimeCell},
	DeadlineMsCell:  {"DeadlineMs", NumberCell},
	FinishCell:      {"FinishAt", TimeCell},
	FinishMsCell:    {"FinishMs", NumberCell},
	AuthorCell:      {"Author", TextCell},
	TaskCell:        {"Task", TextCell},
	KeyCell:         {"KeyText", TextCell},
	LimitCell:       {"LimitText", TextCell},
	TagsCell:        {"TagList", TextCell},
	MetadataCell:    {"Meta", TextCell},
	LabelsCell:      {"LabelText", TextCell},
	SelectorsCell:   {"SelectorText", TextCell},
	ExpediteCell:    {"Expedited", NumberCell},
	RetainCell:      {"KeepMs", NumberCell},
	LifeCell:        {"LifeMs", NumberCell},
	SealedCell:      {"Sealed", NumberCell},
	TicketCell:      {"Ticket", TextCell},
	UniqueCell:      {"UniqueHash", TextCell},
	ContentCell:     {"ContentHash", TextCell},
	TimedCell:       {"TimedHash", TextCell},
	TimedMsCell:     {"TimedMs", NumberCell},
	BatchKeyCell:    {"BatchKey", TextCell},
	BatchMaxCell:    {"BatchMax", NumberCell},
	BatchWaitCell:   {"BatchWaitMs", NumberCell},
	BatchAtMostCell: {"BatchAtMostMs", NumberCell},
}

// Name returns the cell's name in the statement.
func (c Cell) Name() string { return cells[c].name }

// Kind returns the type of the cell's value.
func (c Cell) Kind() CellKind { return cells[c].kind }

// CellNamed returns the cell with a name, and false if there is none.
func CellNamed(name string) (Cell, bool) {
	for c := range CellCount {
		if cells[c].name == name {
			return c, true
		}
	}
	return 0, false
}

// CellSet is a set of cells, one bit for each.
type CellSet uint64

// AllCells is the set of all cells.
const AllCells CellSet = 1<<CellCount - 1

// Has reports whether a cell is in the set.
func (s CellSet) Has(c Cell) bool { return s&(1<<c) != 0 }
