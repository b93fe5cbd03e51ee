package procid

import "strings"

// Key ties the identity of this process to an instance of a worker, for a row that both
// are stored in: a version of the program that knows nothing of identities replaces the
// instance in the row and leaves the key. At most 200 characters for an instance of 49;
// "" when this process has no identity.
func Key(instance string) string {
	id := Self()
	if id == "" {
		return ""
	}
	return instance + " " + id
}

// LookUp returns what is known of the process that stored the key for the instance. A key
// of another instance says nothing.
func LookUp(instance, key string) State {
	owner, id, ok := strings.Cut(key, " ")
	if !ok || owner != instance {
		return Unknown
	}
	return Look(id)
}
