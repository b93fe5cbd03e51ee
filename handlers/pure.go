package handlers

// Pure is implemented by handlers that may have no side effects. A handler that is pure with
// its parameters changes nothing outside the run, does not wait, and its output depends only
// on its call and its parameters. Tests of pipelines call pure handlers; all others need a
// stub.
type Pure interface {
	Handler
	Pure() bool
}
