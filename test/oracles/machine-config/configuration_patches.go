package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/siderolabs/talos/pkg/machinery/config/configpatcher"
	"go.yaml.in/yaml/v4"
)

// patches are those somebody wrote for a node, from the most general to its own.
func (f configurationFile) patches(folder string, node oneNode) ([]configpatcher.Patch, error) {
	written := append([]yaml.Node{}, f.Patches["all"]...)
	written = append(written, f.Patches[node.Role]...)
	for _, layer := range node.layers {
		written = append(written, layer.Patches...)
	}
	var all []configpatcher.Patch
	for _, one := range written {
		text, err := patchText(folder, one)
		if err != nil {
			return nil, err
		}
		patch, err := configpatcher.LoadPatch(text)
		if err != nil {
			return nil, fmt.Errorf("%w\n%s", err, text)
		}
		all = append(all, patch)
	}
	return all, nil
}

// patchText is what is written, or what is in the file that is named.
func patchText(folder string, patch yaml.Node) ([]byte, error) {
	if patch.Kind == yaml.ScalarNode {
		return os.ReadFile(filepath.Join(folder, patch.Value))
	}
	return yaml.Marshal(&patch)
}
