package main

import (
	stdx509 "crypto/x509"
	"fmt"

	"github.com/siderolabs/talos/pkg/machinery/config"
	"github.com/siderolabs/talos/pkg/machinery/config/generate"
	"github.com/siderolabs/talos/pkg/machinery/config/generate/secrets"
	"github.com/siderolabs/talos/pkg/machinery/config/machine"
	"github.com/siderolabs/talos/pkg/machinery/role"
)

// metal asks for the checks of a machine that has a disk of its own.
type metal struct{}

func (metal) String() string        { return "metal" }
func (metal) RequiresInstall() bool { return true }
func (metal) InContainer() bool     { return false }

// usable lets Talos do with a bundle what bundles are for: sign an admin's certificate and make machine configs.
func usable(bundle *secrets.Bundle, contract *config.VersionContract) error {
	if err := signs(bundle); err != nil {
		return err
	}
	input, err := generate.NewInput(
		"conformance", "https://192.0.2.10:6443", "1.34.0",
		generate.WithSecretsBundle(bundle), generate.WithVersionContract(contract), generate.WithInstallDisk("/dev/sda"),
	)
	if err != nil {
		return err
	}
	for _, kind := range []machine.Type{machine.TypeControlPlane, machine.TypeWorker} {
		made, err := input.Config(kind)
		if err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
		if _, err := made.Validate(metal{}); err != nil {
			return fmt.Errorf("%s: %w", kind, err)
		}
	}
	return nil
}

func signs(bundle *secrets.Bundle) error {
	pair, err := bundle.GenerateTalosAPIClientCertificate(role.MakeSet(role.Admin))
	if err != nil {
		return err
	}
	certificate, err := pair.GetCert()
	if err != nil {
		return err
	}
	roots := stdx509.NewCertPool()
	if !roots.AppendCertsFromPEM(bundle.Certs.OS.Crt) {
		return fmt.Errorf("certs.os.crt is no certificate")
	}
	_, err = certificate.Verify(stdx509.VerifyOptions{
		Roots:     roots,
		KeyUsages: []stdx509.ExtKeyUsage{stdx509.ExtKeyUsageClientAuth},
	})
	return err
}
