package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"

	"github.com/siderolabs/talos/pkg/machinery/config"
	"github.com/siderolabs/talos/pkg/machinery/config/configpatcher"
	"github.com/siderolabs/talos/pkg/machinery/config/generate"
	"github.com/siderolabs/talos/pkg/machinery/config/generate/secrets"
	"github.com/siderolabs/talos/pkg/machinery/config/machine"
)

// clusterCase is the input of our generator and the base configs it made of it.
type clusterCase struct {
	Name           string `json:"name"`
	Secrets        string `json:"secrets"`
	ClusterName    string `json:"clusterName"`
	Endpoint       string `json:"endpoint"`
	Kubernetes     string `json:"kubernetes"`
	Contract       string `json:"contract"`
	CNI            string `json:"cni"`
	Schedule       bool   `json:"scheduleOnControlPlanes"`
	InstallerImage string `json:"installerImage"`
	InstallDisk    string `json:"installDisk"`
	ControlPlane   string `json:"controlplane"`
	Worker         string `json:"worker"`
	// Print, when set, is a folder of ours: there goes what Talos makes, in Talos's own bytes.
	Print string `json:"print"`
}

func (c clusterCase) judge(folder string) error {
	for kind, file := range map[machine.Type]string{machine.TypeControlPlane: c.ControlPlane, machine.TypeWorker: c.Worker} {
		theirs, err := c.generate(folder, kind)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			return err
		}
		ours, err := load(text)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := same(ours, theirs); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if c.Print != "" {
			printed, err := canonical(theirs)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(folder, c.Print, kind.String()+".yaml"), printed, 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// generate makes the config as talosctl would, and our additions as patches.
func (c clusterCase) generate(folder string, kind machine.Type) (config.Provider, error) {
	contract, err := config.ParseContractFromVersion(c.Contract)
	if err != nil {
		return nil, err
	}
	bundle, err := secrets.LoadBundle(filepath.Join(folder, c.Secrets))
	if err != nil {
		return nil, err
	}
	input, err := generate.NewInput(
		c.ClusterName, "https://"+net.JoinHostPort(c.Endpoint, "6443"), strings.TrimPrefix(c.Kubernetes, "v"),
		generate.WithSecretsBundle(bundle), generate.WithVersionContract(contract),
		generate.WithInstallDisk(c.InstallDisk), generate.WithInstallImage(c.InstallerImage),
		generate.WithAllowSchedulingOnControlPlanes(c.Schedule),
	)
	if err != nil {
		return nil, err
	}
	made, err := input.Config(kind)
	if err != nil {
		return nil, err
	}
	var patches []string
	if c.CNI != "flannel" {
		patches = append(patches, "cluster:\n  network:\n    cni:\n      name: none\n")
	}
	if c.CNI == "cilium" && kind == machine.TypeControlPlane {
		patches = append(patches, "cluster:\n  proxy:\n    disabled: true\n")
	}
	loaded, err := configpatcher.LoadPatches(patches)
	if err != nil {
		return nil, err
	}
	patched, err := configpatcher.Apply(configpatcher.WithConfig(made), loaded)
	if err != nil {
		return nil, err
	}
	return patched.Config()
}
