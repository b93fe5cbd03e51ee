// Package keyring seals the texts of encrypted queues with a keyset of Tink.
//
// A keyset holds one or more AEAD keys. The primary one seals; every enabled one opens what it
// has sealed, so that a new key does not make old texts unreadable. It is read from, and written
// as, Tink's JSON of a cleartext keyset: a reader of that text has the keys. No error of this
// package shows any part of it.
//
// This is the only package that knows Tink.
package keyring

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/insecurecleartextkeyset"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/tink"

	"botwork/workqueue"
)

// Keyring is a set of keys. It never changes, so it is safe for concurrent use:
// what adds a key or chooses another primary returns a new one.
type Keyring struct {
	handle *keyset.Handle
	aead   tink.AEAD
	keys   []Key // in the order of the keyset: the oldest first
}

var _ workqueue.Cipher = (*Keyring)(nil)

// New makes a keyring with one new key, for AES-256-GCM.
func New() (*Keyring, error) {
	handle, err := keyset.NewHandle(aead.AES256GCMKeyTemplate())
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	return from(handle)
}

// Material returns what no log may show: the keys, as JSON returns them.
func (k *Keyring) Material() []string {
	var material []string
	for _, key := range insecurecleartextkeyset.KeysetMaterial(k.handle).GetKey() {
		material = append(material, base64.StdEncoding.EncodeToString(key.GetKeyData().GetValue()))
	}
	return material
}

func from(handle *keyset.Handle) (*Keyring, error) {
	primitive, err := aead.New(handle)
	if err != nil {
		return nil, err
	}
	return &Keyring{handle: handle, aead: primitive, keys: list(handle)}, nil
}

// String returns how many keys there are, and nothing about them.
func (k *Keyring) String() string { return fmt.Sprintf("keyring(%d)", len(k.keys)) }

// JSON returns the keyset in the form that Parse reads, on one line, with all
// key material in the clear. The caller keeps it from logs and errors.
func (k *Keyring) JSON() ([]byte, error) {
	var text, line bytes.Buffer
	if err := insecurecleartextkeyset.Write(k.handle, keyset.NewJSONWriter(&text)); err != nil {
		return nil, errors.New("write the keyset as JSON: Tink refuses it") // its words might quote the keyset
	}
	// Tink's library puts spaces at random places on purpose.
	if err := json.Compact(&line, text.Bytes()); err != nil {
		return nil, errors.New("write the keyset as JSON: Tink's text is no JSON")
	}
	return line.Bytes(), nil
}
