package main

import (
	"crypto/md5" //nolint:gosec // how Hetzner Cloud names keys
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

const (
	oneKey   = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZmZ one"
	otherKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq other"
)

// keys leaves one key behind, for the rescue.
func (j *judge) keys() *hcloud.SSHKey {
	create := func(name, key string) (*hcloud.SSHKey, error) {
		made, _, err := j.client.SSHKey.Create(j.ctx, hcloud.SSHKeyCreateOpts{Name: name, PublicKey: key, Labels: map[string]string{"by": "test"}})

		return made, err
	}

	key, err := create("one", oneKey)
	j.works("a key", err)
	j.check("a key is kept as it is", key.Name == "one" && key.PublicKey == oneKey && key.Labels["by"] == "test" && !key.Created.IsZero(), key)
	j.check("the fingerprint of a key", key.Fingerprint == fingerprint(oneKey), key.Fingerprint)

	_, err = create("two", oneKey)
	j.refused("the same key again", err, hcloud.ErrorCodeUniquenessError)
	_, err = create("two", strings.Replace(oneKey, " one", " another comment", 1))
	j.refused("the same key with another comment", err, hcloud.ErrorCodeUniquenessError)
	_, err = create("one", otherKey)
	j.refused("another key of the same name", err, hcloud.ErrorCodeUniquenessError)
	_, err = create("two", "ssh-ed25519 AAAA")
	j.invalid("half a key", err, "public_key")

	other, err := create("two", otherKey)
	j.works("another key", err)
	_, _, err = j.client.SSHKey.Update(j.ctx, other, hcloud.SSHKeyUpdateOpts{Name: "one"})
	j.refused("a name that is taken", err, hcloud.ErrorCodeUniquenessError)
	other, _, err = j.client.SSHKey.Update(j.ctx, other, hcloud.SSHKeyUpdateOpts{Name: "three", Labels: map[string]string{"by": "us"}})
	j.works("another name", err)
	j.check("another name", other.Name == "three" && other.Labels["by"] == "us", other)

	found, _, err := j.client.SSHKey.GetByFingerprint(j.ctx, fingerprint(otherKey))
	j.works("a key by its fingerprint", err)
	j.check("a key by its fingerprint", found != nil && found.ID == other.ID, found)
	found, _, err = j.client.SSHKey.GetByName(j.ctx, "three")
	j.works("a key by its name", err)
	j.check("a key by its name", found != nil && found.ID == other.ID, found)

	all, err := j.client.SSHKey.AllWithOpts(j.ctx, hcloud.SSHKeyListOpts{ListOpts: hcloud.ListOpts{LabelSelector: "by=us"}})
	j.works("keys by their labels", err)
	j.check("keys by their labels", len(all) == 1 && all[0].ID == other.ID, all)

	_, err = j.client.SSHKey.Delete(j.ctx, other)
	j.works("a key is deleted", err)
	_, err = j.client.SSHKey.Delete(j.ctx, other)
	j.refused("to delete it again", err, hcloud.ErrorCodeNotFound)
	found, _, err = j.client.SSHKey.GetByID(j.ctx, other.ID)
	j.works("a deleted key", err)
	j.check("a deleted key", found == nil, found)

	return key
}

func (j *judge) end(key *hcloud.SSHKey) {
	_, err := j.client.SSHKey.Delete(j.ctx, key)
	j.works("the last key is deleted", err)

	all, err := j.client.SSHKey.All(j.ctx)
	j.works("no keys", err)
	j.check("no keys", len(all) == 0, all)
}

// fingerprint is the one that older ssh-keygens show.
func fingerprint(key string) string {
	bytes, _ := base64.StdEncoding.DecodeString(strings.Fields(key)[1])

	return strings.ReplaceAll(fmt.Sprintf("% x", md5.Sum(bytes)), " ", ":") //nolint:gosec
}
