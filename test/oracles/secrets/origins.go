package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/siderolabs/talos/pkg/machinery/config"
	"github.com/siderolabs/talos/pkg/machinery/config/configloader"
	"github.com/siderolabs/talos/pkg/machinery/config/generate"
	"github.com/siderolabs/talos/pkg/machinery/config/generate/secrets"
	"github.com/siderolabs/talos/pkg/machinery/config/machine"
	"go.yaml.in/yaml/v4"
)

// origins takes bundles from where their values already are, as `talosctl gen secrets --from-…` does: out of the control plane's
// config that Talos makes of bundle.yaml (left for us to read, too), and from the Kubernetes PKI beside it.
func origins(bundle *secrets.Bundle, contract *config.VersionContract, folder, printed string) error {
	input, err := generate.NewInput(
		"conformance", "https://192.0.2.10:6443", "1.34.0",
		generate.WithSecretsBundle(bundle), generate.WithVersionContract(contract), generate.WithInstallDisk("/dev/sda"),
	)
	if err != nil {
		return err
	}
	made, err := input.Config(machine.TypeControlPlane)
	if err != nil {
		return err
	}
	text, err := made.Bytes()
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(printed, "controlplane.config"), text, 0o600); err != nil {
		return err
	}
	loaded, err := configloader.NewFromBytes(text)
	if err != nil {
		return err
	}
	fromConfig, err := bundleFromConfig(loaded)
	if err != nil {
		return err
	}
	if err := write(fromConfig, filepath.Join(printed, "from-config")); err != nil {
		return err
	}
	token, err := os.ReadFile(filepath.Join(folder, "pki", "token"))
	if err != nil {
		return err
	}
	fromPKI, err := secrets.NewBundleFromKubernetesPKI(filepath.Join(folder, "pki"), strings.TrimSpace(string(token)), contract)
	if err != nil {
		return err
	}
	if err := validate(fromPKI, contract); err != nil {
		return err
	}
	return write(fromPKI, filepath.Join(printed, "from-pki"))
}

func write(bundle *secrets.Bundle, to string) error {
	text, err := yaml.Marshal(bundle)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o600)
}
