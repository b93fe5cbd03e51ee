package procid

import "strings"

// Key combines the identity of this process with an instance of a worker, for a row with
// both: an older version of the program, without identities, replaces the instance in the
// row and does not change the key. It has at most 200 characters if the instance has 49;
// it is "" if this process has no identity.
func Key(instance string) string {
	id := Self()
	if id == "" {
		return ""
	}
	return instance + " " + id
}

// StateOfKey returns the state of the process that stored the key for the instance. It returns
// Unknown for a key of another instance.
func StateOfKey(instance, key string) State {
	owner, id, ok := strings.Cut(key, " ")
	if !ok || owner != instance {
		return Unknown
	}
	return StateOf(id)
}
