package pipelines

import (
	"regexp"
	"strings"

	"botwork/internal/author/strictyaml"
	"botwork/internal/redaction"
)

// passwordInURL matches an address with a password: https://name:password@host.
var passwordInURL = regexp.MustCompile(`[a-z][a-z0-9+.-]*://[^/\s:@]*:[^/\s:@$][^/\s@]*@`)

// literalSecrets warns about secrets that are written in the file, where all who may read it see
// them, also in the API and in the editor. It does not repeat them.
func (c *compilation) literalSecrets(key string, n *strictyaml.Node) {
	isText := n.Kind == strictyaml.Scalar && strings.TrimSpace(n.Text) != "" && !strings.Contains(n.Text, opening)
	if _, isBool := n.Value.(bool); isText && !isBool {
		switch {
		case redaction.SecretName(key):
			c.literalSecret(n, "got a literal value, want a secret")
		case n.Quoted || strings.Contains(n.Text, "://"):
			if passwordInURL.MatchString(n.Text) {
				c.literalSecret(n, "got an address with a password, want a secret in its place")
			}
		}
	}
	eachValue(n, c.literalSecrets)
}

func (c *compilation) literalSecret(n *strictyaml.Node, message string) {
	f := n.Finding(CodeLiteralSecret, n.Path+": "+message, "define it under secrets in botwork.yaml, and write ${{ secrets.NAME }}")
	f.Severity = strictyaml.Warning
	c.add(f)
}
