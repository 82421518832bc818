package main

import (
	"fmt"
	"strings"

	"github.com/siderolabs/talos/pkg/machinery/config"
	"github.com/siderolabs/talos/pkg/machinery/config/configloader"
	"github.com/siderolabs/talos/pkg/machinery/config/encoder"
	"github.com/siderolabs/talos/pkg/machinery/config/generate"
	machinetype "github.com/siderolabs/talos/pkg/machinery/config/machine"
)

// generated is a control plane's config as Talos generates it itself, in the form of its release, with the secrets of the cluster that the
// first one is of.
func generated(told scene, first, m machine) (string, error) {
	loaded, err := configloader.NewFromBytes([]byte(first.Config))
	if err != nil {
		return "", err
	}
	contract, err := config.ParseContractFromVersion(told.Talos)
	if err != nil {
		return "", err
	}
	bundle, err := bundleOf(loaded)
	if err != nil {
		return "", err
	}
	input, err := generate.NewInput(told.Cluster, told.Endpoint, told.Kubernetes,
		generate.WithSecretsBundle(bundle), generate.WithVersionContract(contract), generate.WithInstallDisk("/dev/sda"))
	if err != nil {
		return "", err
	}
	made, err := input.Config(machinetype.TypeControlPlane)
	if err != nil {
		return "", err
	}
	text, err := made.EncodeBytes(encoder.WithComments(encoder.CommentsDisabled))
	if err != nil {
		return "", err
	}
	named := strings.Replace(string(text), "kind: HostnameConfig\nauto: stable", "kind: HostnameConfig\nhostname: "+m.Name, 1)
	if named == string(text) {
		return "", fmt.Errorf("there is no hostname in what Talos generates")
	}
	return named, nil
}
