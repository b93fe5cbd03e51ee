package handlers

type KindView = kindView

var (
	ViewKind = viewKind
)
