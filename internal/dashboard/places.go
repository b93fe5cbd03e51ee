package dashboard

// place is a page of the navigation. The command palette offers the same ones.
type place struct {
	Path, Name, Key, Text string
	Group                 string // the heading above it, if it is the first one of a group that a person sees

	role       string // the least role; "": any
	everywhere bool   // refused to people who are bound to queues
}

// places are all pages of the navigation, in their order.
var places = []place{
	{Path: "/", Name: "overview", Key: "o", Text: "Overview"},
	{Path: "/items", Name: "items", Key: "i", Text: "Items"},
	{Path: "/failures", Name: "failures", Key: "f", Text: "Failures", everywhere: true},
	{Path: "/queues", Name: "queues", Key: "q", Text: "Queues", Group: "Work"},
	{Path: "/workers", Name: "workers", Key: "w", Text: "Workers", Group: "Work", everywhere: true},
	{Path: "/pipelines", Name: "pipelines", Key: "p", Text: "Pipelines", Group: "Work", everywhere: true},
	{Path: "/schedules", Name: "schedules", Key: "s", Text: "Schedules", Group: "Work", everywhere: true},
	{Path: "/tasks", Name: "tasks", Key: "t", Text: "Tasks", Group: "Work", everywhere: true},
	{Path: "/forecast", Name: "forecast", Key: "c", Text: "Forecast", Group: "Insight", everywhere: true},
	{Path: "/notifications", Name: "notifications", Key: "n", Text: "Notifications", Group: "Insight", everywhere: true},
	{Path: "/audit", Name: "audit", Key: "a", Text: "Audit", Group: "Insight", everywhere: true},
	{Path: "/doctor", Name: "doctor", Key: "d", Text: "Doctor", Group: "Insight", role: "admin", everywhere: true},
	{Path: "/access", Name: "access", Key: "u", Text: "Access", Group: "Insight", role: "admin", everywhere: true},
	{Path: "/settings", Name: "settings", Key: "e", Text: "Settings", Group: "Insight"},
}

// Places returns the pages that the API does not refuse to the person.
func (p *page) Places() (all []place) {
	group := ""
	for _, one := range places {
		if one.everywhere && !p.Caller.Everywhere() || one.role != "" && !p.Caller.May(one.role) {
			continue
		}
		if one.Group == group {
			one.Group = ""
		} else {
			group = one.Group
		}
		all = append(all, one)
	}
	return all
}
