package dashboard

// redirect is the "error" of a page that sends the browser to another one.
type redirect struct {
	to     string
	notice *notice // for the other page; nil: none
}

func (r *redirect) Error() string { return "the page is at " + r.to }
