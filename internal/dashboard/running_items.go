package dashboard

import "net/url"

// mostRunningItems bounds the running items of a page.
const mostRunningItems = 5000

// runningItems are the items that run, the latest first.
type runningItems struct {
	Items []item
	Cut   bool // there are more
}

// allRunning asks for the running items of a filter, page by page.
func (s sharing) allRunning(out *runningItems, filter ...string) {
	s.running.Go(func() {
		query := values(append(filter, "status", "running", "limit", "500")...)
		for {
			var page list[item]
			if err := s.now("/items", query, &page); err != nil {
				s.fail(err)
				return
			}
			out.Items = append(out.Items, page.Items...)
			if page.Next == nil || len(page.Items) == 0 {
				return
			}
			if out.Cut = len(out.Items) >= mostRunningItems; out.Cut {
				return
			}
			next, err := url.Parse(*page.Next)
			if err != nil {
				s.fail(err)
				return
			}
			query = next.Query()
		}
	})
}
