package keyring

import (
	"slices"
	"strings"

	"github.com/tink-crypto/tink-go/v2/keyset"
)

// Enabled is the status of a key that can seal and open texts. The others are "disabled"
// and "destroyed".
const Enabled = "enabled"

// Key is the public information about a key.
type Key struct {
	// ID identifies the key in each sealed text. It is random and not secret.
	ID uint32 `json:"id"`

	// Type is Tink's name of the algorithm, such as AesGcmKey.
	Type string `json:"type"`

	// Status is "enabled", "disabled" or "destroyed". Only an enabled key can open texts.
	Status string `json:"status"`

	// Primary is true for the one key of a keyset that seals texts.
	Primary bool `json:"primary"`

	// TextsBegin is the prefix of every text that this key sealed, for searches in the
	// database.
	TextsBegin string `json:"textsBegin"`
}

// Keys lists the keys in the order in which they were added.
func (k *Keyring) Keys() []Key { return slices.Clone(k.keys) }

func list(handle *keyset.Handle) []Key {
	info := handle.KeysetInfo() // contains no key material
	keys := make([]Key, len(info.GetKeyInfo()))
	for i, key := range info.GetKeyInfo() {
		keys[i] = Key{
			ID: key.GetKeyId(), Type: strings.TrimPrefix(key.GetTypeUrl(), typePrefix),
			Status:  strings.ToLower(key.GetStatus().String()),
			Primary: key.GetKeyId() == info.GetPrimaryKeyId(), TextsBegin: textsBegin(key.GetKeyId()),
		}
	}
	return keys
}
