package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/siderolabs/talos/pkg/machinery/config/config"
	"github.com/siderolabs/talos/pkg/machinery/config/types/block"
	"github.com/siderolabs/talos/pkg/machinery/constants"
	resource "github.com/siderolabs/talos/pkg/machinery/resources/block"
)

func (n nodeInput) volumeDocuments() []config.Document {
	var all []config.Document
	if key := n.Node.Encryption.State; key != nil {
		state := block.NewVolumeConfigV1Alpha1()
		state.MetaName = "STATE"
		state.EncryptionSpec = key.spec()
		all = append(all, state)
	}
	key, want := n.Node.Encryption.Ephemeral, n.Node.Ephemeral
	if key != nil || want != nil {
		ephemeral := block.NewVolumeConfigV1Alpha1()
		ephemeral.MetaName = "EPHEMERAL"
		if key != nil {
			ephemeral.EncryptionSpec = key.spec()
		}
		if want != nil {
			sizes(&ephemeral.ProvisioningSpec, want.Min, want.Max)
			if want.Disk.path != "" {
				ephemeral.ProvisioningSpec.DiskSelectorSpec.Match = want.Disk.expression("")
			}
		}
		all = append(all, ephemeral)
	}
	for _, volume := range n.Node.Volumes {
		all = append(all, volume.document())
	}
	for _, name := range n.directories() {
		directory := block.NewUserVolumeConfigV1Alpha1()
		directory.MetaName, directory.VolumeType = name, pointer(resource.VolumeTypeDirectory)
		all = append(all, directory)
	}
	return all
}

// directories are the volumes that kubelet passes on and nobody has made otherwise.
func (n nodeInput) directories() []string {
	var all []string
	for _, folder := range n.Node.KubeletMounts {
		below, ok := strings.CutPrefix(folder, constants.UserVolumeMountPoint+"/")
		name, _, _ := strings.Cut(below, "/")
		mounted := slices.ContainsFunc(n.Node.Volumes, func(v nodeVolume) bool { return v.Name == name && v.Kind == "user" })
		if ok && !mounted && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

func (v nodeVolume) document() config.Document {
	var encryption block.EncryptionSpec
	if v.Encryption != nil {
		encryption = v.Encryption.spec()
	}
	var where block.ProvisioningSpec
	switch {
	case v.Disk.selector != nil:
		where.DiskSelectorSpec.Match = v.Disk.expression("!system_disk")
	case v.Disk.path != "":
		where.DiskSelectorSpec.Match = v.Disk.expression("")
	default:
		where.DiskSelectorSpec.Match = expression("system_disk")
	}
	if v.Min == 0 && v.Max == 0 {
		v.Min = 100 << 20
	}
	sizes(&where, v.Min, v.Max)
	if v.Grow {
		where.ProvisioningGrow = pointer(true)
	}
	switch v.Kind {
	case "raw":
		raw := block.NewRawVolumeConfigV1Alpha1()
		raw.MetaName, raw.ProvisioningSpec, raw.EncryptionSpec = v.Name, where, encryption
		return raw
	case "swap":
		swap := block.NewSwapVolumeConfigV1Alpha1()
		swap.MetaName, swap.ProvisioningSpec, swap.EncryptionSpec = v.Name, where, encryption
		return swap
	default:
		user := block.NewUserVolumeConfigV1Alpha1()
		user.MetaName, user.ProvisioningSpec, user.EncryptionSpec = v.Name, where, encryption
		user.FilesystemSpec.FilesystemType = map[string]resource.FilesystemType{
			"xfs": resource.FilesystemTypeXFS, "ext4": resource.FilesystemTypeEXT4,
		}[v.Filesystem]
		return user
	}
}

func (k nodeKey) spec() block.EncryptionSpec {
	key := block.EncryptionKey{}
	switch k.By {
	case "nodeID":
		key.KeyNodeID = &block.EncryptionKeyNodeID{}
	case "tpm":
		key.KeyTPM = &block.EncryptionKeyTPM{}
	case "passphrase":
		key.KeyStatic = &block.EncryptionKeyStatic{KeyData: k.Passphrase}
	case "kms":
		key.KeyKMS = &block.EncryptionKeyKMS{KMSEndpoint: k.Endpoint}
	default:
		panic(fmt.Errorf("no key %q", k.By))
	}
	return block.EncryptionSpec{EncryptionProvider: resource.EncryptionProviderLUKS2, EncryptionKeys: []block.EncryptionKey{key}}
}

func sizes(where *block.ProvisioningSpec, least, most uint64) {
	if least > 0 {
		where.ProvisioningMinSize = block.MustByteSize(sizeText(least))
	}
	if most > 0 {
		where.ProvisioningMaxSize = block.MustSize(sizeText(most))
	}
}

// sizeText exists because Talos keeps how a size was written; what it means is checked by reading it again.
func sizeText(size uint64) string {
	text := fmt.Sprint(size)
	for _, unit := range []struct {
		name string
		size uint64
	}{{"MB", 1e6}, {"MiB", 1 << 20}, {"GB", 1e9}, {"GiB", 1 << 30}, {"TB", 1e12}, {"TiB", 1 << 40}} {
		if size%unit.size == 0 {
			text = fmt.Sprintf("%d%s", size/unit.size, unit.name)
		}
	}
	if read := block.MustByteSize(text); read.Value() != size {
		panic(fmt.Errorf("%s is not %d", text, size))
	}
	return text
}
