package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/siderolabs/talos/pkg/machinery/config"
	"github.com/siderolabs/talos/pkg/machinery/config/configpatcher"
	"github.com/siderolabs/talos/pkg/machinery/config/machine"
	"github.com/siderolabs/talos/pkg/machinery/config/validation"
)

// configurationCase is an environment: config.yaml, secrets.yaml, and what we made of them.
type configurationCase struct {
	Folder string `json:"folder"`
	// Variables are those that config.yaml refers to.
	Variables map[string]string `json:"variables"`
	// MACs by node, those included that we have made up.
	MACs map[string]string `json:"macs"`
}

// configuration is what config.yaml says, read here.
type configuration struct {
	folder  string
	file    configurationFile
	cluster clusterCase
	nodes   []configurationNode
}

type configurationNode struct {
	oneNode
	input nodeInput
}

func (c configurationCase) read(folder string) (made configuration, err error) {
	made.folder = filepath.Join(folder, c.Folder)
	if made.file, err = readConfiguration(made.folder, c.Variables); err != nil {
		return made, err
	}
	cluster := made.file.cluster(made.folder)
	if made.cluster, err = into[clusterCase](cluster); err != nil {
		return made, err
	}
	var peers []piece
	for _, node := range made.file.nodes() {
		settings := node.settings(made.file)
		settings["kubeletMounts"] = made.file.folders(node)
		peers = append(peers, settings)
	}
	for i, node := range made.file.nodes() {
		input, err := into[nodeInput](piece{
			"mac": c.MACs[node.Name], "installerImage": made.file.installer(node), "node": peers[i], "peers": peers,
			"network": cluster["network"], "cluster": cluster, "firewall": made.file.firewall(),
			"wireguard": made.file.Wireguard.of(made.folder, node.Name, i),
		})
		if err != nil {
			return made, err
		}
		made.nodes = append(made.nodes, configurationNode{node, input})
	}
	return made, nil
}

// judge says of every file what is wrong with it.
func (c configurationCase) judge(folder string) error {
	read, err := c.read(folder)
	if err != nil {
		return err
	}
	var wrong []error
	say := func(file string, theirs config.Provider, err error) {
		if err == nil {
			err = read.compare(filepath.Join(read.folder, file), theirs)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s/%s: %w", c.Folder, file, err))
		}
	}
	for _, kind := range []machine.Type{machine.TypeControlPlane, machine.TypeWorker} {
		theirs, err := read.base(read.typical(kind), kind).generate(read.folder, kind)
		say(kind.String()+".yaml", theirs, err)
	}
	for _, node := range read.nodes {
		theirs, err := read.generate(node)
		say("full-"+node.Name+".yaml", theirs, err)
	}
	if found := must(filepath.Glob(filepath.Join(read.folder, "full-*.yaml"))); len(found) != len(read.nodes) {
		wrong = append(wrong, fmt.Errorf("%s: %d nodes instead of %d", c.Folder, len(found), len(read.nodes)))
	}
	if wrong == nil {
		return nil
	}
	return fmt.Errorf("%d wrong\n%w", len(wrong), errors.Join(wrong...))
}

// typical is the node for which a role's file is written: the first of its role, else the first.
func (c configuration) typical(kind machine.Type) configurationNode {
	return c.nodes[max(0, slices.IndexFunc(c.nodes, func(node configurationNode) bool { return node.kind() == kind }))]
}

// generate makes what a node should be sent: Talos's generator, documents of Talos's own types, the patches that people wrote.
func (c configuration) generate(node configurationNode) (config.Provider, error) {
	base, err := c.base(node, node.kind()).generate(c.folder, node.kind())
	if err != nil {
		return nil, err
	}
	text, err := canonical(base)
	if err != nil {
		return nil, err
	}
	own, err := node.input.applied(text)
	if err != nil {
		return nil, err
	}
	patches, err := c.file.patches(c.folder, node.oneNode)
	if err != nil {
		return nil, err
	}
	patched, err := configpatcher.Apply(configpatcher.WithConfig(own), patches)
	if err != nil {
		return nil, err
	}
	return patched.Config()
}

// base is the cluster as it looks to one node. The certificates of a role's nodes name their addresses in the WireGuard of people.
func (c configuration) base(node configurationNode, kind machine.Type) clusterCase {
	cluster := c.cluster
	for i, one := range c.nodes {
		if c.file.Wireguard != nil && one.kind() == kind {
			cluster.CertSANs = append(slices.Clone(cluster.CertSANs), c.file.Wireguard.address(i).String())
		}
	}
	cluster.InstallerImage = node.input.InstallerImage
	cluster.InstallDisk = node.input.Node.InstallDisk.written
	return cluster
}

func (n configurationNode) kind() machine.Type {
	return must(machine.ParseType(n.Role))
}

// compare wants the file to mean what Talos made, and Talos to take it on this platform without a word.
func (c configuration) compare(file string, theirs config.Provider) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	ours, err := load(text)
	if err != nil {
		return fmt.Errorf("refused: %w", err)
	}
	if err := sameInAnyOrder(ours, theirs); err != nil {
		return err
	}
	// Talos runs in mode "cloud" on nocloud; only metal, which rented servers run too, must be told where to install itself.
	as := mode{"metal", true}
	if c.file.Platform == "proxmox" {
		as = mode{"cloud", false}
	}
	warnings, err := ours.Validate(as, validation.WithLocal(), validation.WithStrict())
	if err != nil {
		return fmt.Errorf("invalid: %w", err)
	}
	if len(warnings) > 0 {
		return fmt.Errorf("warnings %q", warnings)
	}
	return nil
}

// configurationCounts is the line that is said when all is well.
func configurationCounts(folder string, all []configurationCase) string {
	names, contracts, roles := map[string]bool{}, map[string]bool{}, map[string]int{}
	for _, one := range all {
		read := must(one.read(folder))
		names[filepath.Base(one.Folder)] = true
		contracts[read.cluster.Contract] = true
		for _, node := range read.nodes {
			roles[node.Role]++
		}
	}
	plural := "s"
	if len(contracts) == 1 {
		plural = ""
	}
	return fmt.Sprintf("%d configurations × %d contract%s: %d control planes, %d workers",
		len(names), len(contracts), plural, roles["controlplane"], roles["worker"])
}
