package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// nodeSchematic is what a node's image is made of.
type nodeSchematic struct {
	extensions []string
	kernelArgs []string
	known      string
}

// id is the one given, or the hash of how the image factory prints the schematic.
func (s nodeSchematic) id() string {
	if s.known != "" {
		return s.known
	}
	type extensions struct {
		Official []string `yaml:"officialExtensions,omitempty"`
	}
	var factory struct {
		Customization struct {
			KernelArgs []string   `yaml:"extraKernelArgs,omitempty"`
			Extensions extensions `yaml:"systemExtensions,omitempty"`
		} `yaml:"customization"`
	}
	factory.Customization.KernelArgs = s.kernelArgs
	factory.Customization.Extensions.Official = s.extensions
	sum := sha256.Sum256(must(yaml.Marshal(factory)))
	return hex.EncodeToString(sum[:])
}

// installer is the image that writes Talos to a node's disk.
func (f configurationFile) installer(node oneNode) string {
	factory := cmp.Or(f.Image.Factory, "https://factory.talos.dev")
	_, host, _ := strings.Cut(factory, "://")
	name := map[string]string{"proxmox": "nocloud-installer", "metal": "metal-installer", "vps": "metal-installer"}[f.Platform]
	if f.Image.SecureBoot {
		name += "-secureboot"
	}
	return fmt.Sprintf("%s/%s/%s:%s", host, name, node.schematic(f).id(), f.Cluster["talos"])
}
