package keyring

import (
	"errors"
	"fmt"

	"github.com/tink-crypto/tink-go/v2/aead"
	"github.com/tink-crypto/tink-go/v2/keyset"
)

// The reasons why a rotation is not possible.
var (
	// ErrStaged reports that an added key is still waiting to be promoted.
	ErrStaged = errors.New("a key was added before and is not in use yet")

	// ErrNothingStaged reports that no key is waiting to be promoted.
	ErrNothingStaged = errors.New("no key has been added since the last rotation")
)

// Staged returns the key that Promote would make the primary key: the newest enabled key
// after the primary one. ok is false if there is none.
func (k *Keyring) Staged() (key Key, ok bool) {
	behind := false
	for _, each := range k.keys {
		switch {
		case each.Primary:
			behind = true
		case behind && each.Status == Enabled:
			key, ok = each, true
		}
	}
	return key, ok
}

// Add returns a keyring with one more key for AES-256-GCM. The new key can open texts but
// does not seal yet, so that all processes can load it before the first text is sealed
// with it. If such a key exists already, the error is ErrStaged.
func (k *Keyring) Add() (*Keyring, error) {
	if _, waits := k.Staged(); waits {
		return nil, ErrStaged
	}
	manager := keyset.NewManagerFromHandle(k.handle)
	if _, err := manager.Add(aead.AES256GCMKeyTemplate()); err != nil {
		return nil, fmt.Errorf("create a key: %w", err)
	}
	return managed(manager)
}

// Promote returns a keyring whose primary key is the staged one. The previous primary key
// stays, to open old texts. Without a staged key the error is ErrNothingStaged.
func (k *Keyring) Promote() (*Keyring, error) {
	staged, ok := k.Staged()
	if !ok {
		return nil, ErrNothingStaged
	}
	manager := keyset.NewManagerFromHandle(k.handle)
	if err := manager.SetPrimary(staged.ID); err != nil {
		return nil, fmt.Errorf("make key %d the primary one: %w", staged.ID, err)
	}
	return managed(manager)
}

// Rotate is Add followed by Promote. A process that still has the old keyring cannot open
// texts that the new keyring seals.
func (k *Keyring) Rotate() (*Keyring, error) {
	added, err := k.Add()
	if err != nil {
		return nil, err
	}
	return added.Promote()
}

func managed(manager *keyset.Manager) (*Keyring, error) {
	handle, err := manager.Handle()
	if err != nil {
		return nil, err
	}
	return from(handle)
}
