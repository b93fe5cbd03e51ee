package notifier

import (
	"strings"

	"botwork/workqueue/notify"
)

// Slack and Teams refuse longer texts.
const (
	slackHeader  = 150
	slackSection = 2900
	teamsText    = 8000
)

// slack returns the message as blocks of Slack: https://api.slack.com/reference/block-kit/blocks.
func slack(m notify.Message) map[string]any {
	title := clip(mark(m.Status)+" "+m.Title, slackHeader)
	blocks := []any{
		map[string]any{"type": "header", "text": map[string]any{"type": "plain_text", "text": title}},
		map[string]any{"type": "section", "text": map[string]any{"type": "mrkdwn", "text": clip(escapeSlack(m.Plain()), slackSection)}},
	}
	return map[string]any{"text": escapeSlack(title), "blocks": blocks}
}

// escapeSlack escapes what Slack would read as a mention or a link.
func escapeSlack(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(text)
}

// teams returns the message as an adaptive card, as a workflow of Teams takes it:
// https://adaptivecards.io/explorer/AdaptiveCard.html.
func teams(m notify.Message) map[string]any {
	style := map[notify.Status]string{notify.StatusResolved: "good", notify.StatusFiring: "attention", notify.StatusRepeat: "attention"}[m.Status]
	if style == "" {
		style = "default"
	}
	body := []any{
		map[string]any{"type": "TextBlock", "text": clip(m.Title, 500), "weight": "bolder", "size": "medium", "wrap": true, "color": style},
	}
	// A text block reads Markdown, in which a single line break is none.
	for line := range strings.SplitSeq(strings.TrimSpace(clip(m.Plain(), teamsText)), "\n") {
		if line != "" {
			body = append(body, map[string]any{"type": "TextBlock", "text": escapeTeams(line), "wrap": true, "spacing": "none"})
		}
	}
	card := map[string]any{
		"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4", "body": body,
	}
	return map[string]any{"type": "message", "attachments": []any{
		map[string]any{"contentType": "application/vnd.microsoft.card.adaptive", "contentUrl": nil, "content": card},
	}}
}

// escapeTeams escapes what Markdown would read as a link or as emphasis.
func escapeTeams(text string) string {
	return strings.NewReplacer("*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "`", "\\`").Replace(strings.TrimSpace(text))
}

func mark(s notify.Status) string {
	switch s {
	case notify.StatusResolved:
		return "✅"
	case notify.StatusSummary, notify.StatusTest:
		return "ℹ️"
	}
	return "🔴"
}

func clip(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	return string(runes[:n-1]) + "…"
}
