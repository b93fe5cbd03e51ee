package redaction

import (
	"regexp"
	"slices"
	"strings"
)

// secretNames are names of values that are secrets, in lower case without - and _. Values whose
// names end with one of secretEnds are, too, such as PGPASSWORD.
var (
	secretNames = []string{"token", "accesstoken", "refreshtoken", "authtoken", "apitoken", "bearertoken", "xapikey", "xauthtoken", "authorization", "proxyauthorization", "privatekey", "secretkey", "pwd"}
	secretEnds  = []string{"password", "passwd", "passphrase", "apikey", "secret"}

	// A variable of the environment, such as GITHUB_TOKEN.
	tokenVariable = regexp.MustCompile(`^[A-Z0-9_]+_(?:TOKEN|PWD)$`)

	plainName = strings.NewReplacer("-", "", "_", "")
)

// SecretName reports whether a key, a header or a variable with this name usually has a secret.
func SecretName(name string) bool {
	plain := strings.ToLower(plainName.Replace(name))
	return slices.Contains(secretNames, plain) || tokenVariable.MatchString(name) ||
		slices.ContainsFunc(secretEnds, func(end string) bool { return strings.HasSuffix(plain, end) })
}
