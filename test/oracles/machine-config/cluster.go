package main

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/siderolabs/talos/pkg/machinery/config"
	documents "github.com/siderolabs/talos/pkg/machinery/config/config"
	"github.com/siderolabs/talos/pkg/machinery/config/configpatcher"
	"github.com/siderolabs/talos/pkg/machinery/config/container"
	"github.com/siderolabs/talos/pkg/machinery/config/generate"
	"github.com/siderolabs/talos/pkg/machinery/config/generate/secrets"
	"github.com/siderolabs/talos/pkg/machinery/config/machine"
	"github.com/siderolabs/talos/pkg/machinery/config/validation"
)

// clusterCase is the input of our generator and the base configs it made of it.
type clusterCase struct {
	Name           string         `json:"name"`
	Secrets        string         `json:"secrets"`
	ClusterName    string         `json:"clusterName"`
	Endpoint       string         `json:"endpoint"`
	Kubernetes     string         `json:"kubernetes"`
	Contract       string         `json:"contract"`
	CNI            string         `json:"cni"`
	Schedule       bool           `json:"scheduleOnControlPlanes"`
	PodSubnets     []string       `json:"podSubnets"`
	ServiceSubnets []string       `json:"serviceSubnets"`
	DNSDomain      string         `json:"dnsDomain"`
	CertSANs       []string       `json:"certSANs"`
	KubeletCerts   bool           `json:"kubeletCertificates"`
	TalosAPIAccess *clusterAccess `json:"talosApiAccess"`
	ExternalCloud  bool           `json:"externalCloudProvider"`
	Discovery      bool           `json:"discovery"`
	KubeSpan       bool           `json:"kubespan"`
	Network        clusterNetwork `json:"network"`
	Nodes          []nodePeer     `json:"nodes"`
	Wireguard      *struct {
		CIDR string `json:"cidr"`
	} `json:"wireguard"`
	Registries     []clusterRegistry `json:"registries"`
	InstallerImage string            `json:"installerImage"`
	// InstallDisk is a path or a selector.
	InstallDisk  any    `json:"installDisk"`
	ControlPlane string `json:"controlplane"`
	Worker       string `json:"worker"`
	// Print, when set, is a folder of ours: there goes what Talos makes, in Talos's own bytes.
	Print string `json:"print"`
}

type clusterAccess struct {
	Roles      []string `json:"roles"`
	Namespaces []string `json:"namespaces"`
}

type clusterNetwork struct {
	CIDR   string `json:"cidr"`
	Second *struct {
		CIDR string `json:"cidr"`
	} `json:"second"`
	TimeServers []string `json:"timeServers"`
	Proxy       *struct {
		HTTP   string   `json:"http"`
		HTTPS  string   `json:"https"`
		Except []string `json:"except"`
	} `json:"proxy"`
}

type clusterRegistry struct {
	Host         string   `json:"host"`
	Mirrors      []string `json:"mirrors"`
	OverridePath bool     `json:"overridePath"`
	SkipFallback bool     `json:"skipFallback"`
	Username     string   `json:"username"`
	Password     string   `json:"password"`
	CA           string   `json:"ca"`
	Insecure     bool     `json:"insecure"`
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
		if err := sameInAnyOrder(ours, theirs); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if c.Print != "" {
			// The keys of the golden cluster are words, so it cannot be validated.
			if err := c.print(filepath.Join(folder, c.Print, kind.String()+".yaml"), theirs); err != nil {
				return err
			}
		} else if err := valid(ours); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

func (c clusterCase) print(file string, made config.Provider) error {
	printed, err := canonical(made)
	if err != nil {
		return err
	}
	return os.WriteFile(file, printed, 0o600)
}

// sameInAnyOrder compares documents by kind and name; where a patch has put them is no matter of meaning.
func sameInAnyOrder(ours, theirs config.Provider) error {
	a, err := inOrder(ours)
	if err != nil {
		return err
	}
	b, err := inOrder(theirs)
	if err != nil {
		return err
	}
	return same(a, b)
}

func inOrder(of config.Provider) (config.Provider, error) {
	key := func(d documents.Document) string {
		if named, ok := d.(documents.NamedDocument); ok {
			return d.Kind() + " " + named.Name()
		}
		return d.Kind()
	}
	all := slices.Clone(of.Documents())
	slices.SortStableFunc(all, func(a, b documents.Document) int { return cmp.Compare(key(a), key(b)) })
	return container.New(all...)
}

// clusterMode is what validation asks about a machine.
type clusterMode struct {
	name     string
	installs bool
}

func (m clusterMode) String() string        { return m.name }
func (m clusterMode) RequiresInstall() bool { return m.installs }
func (m clusterMode) InContainer() bool     { return false }

// valid fails on warnings too: what we write should please every Talos that reads it.
func valid(made config.Provider) error {
	for _, m := range []clusterMode{{"metal", true}, {"cloud", false}} {
		warnings, err := made.Validate(m, validation.WithLocal(), validation.WithStrict())
		if err != nil {
			return fmt.Errorf("%s: %w", m, err)
		}
		if len(warnings) > 0 {
			return fmt.Errorf("%s: warnings %q", m, warnings)
		}
	}
	return nil
}

// generate makes the config as talosctl would, and what it has no option for as patches.
func (c clusterCase) generate(folder string, kind machine.Type) (config.Provider, error) {
	contract, err := config.ParseContractFromVersion(c.Contract)
	if err != nil {
		return nil, err
	}
	bundle, err := secrets.LoadBundle(filepath.Join(folder, c.Secrets))
	if err != nil {
		return nil, err
	}
	options := []generate.Option{
		generate.WithSecretsBundle(bundle), generate.WithVersionContract(contract),
		generate.WithInstallDisk(c.diskOption()), generate.WithInstallImage(c.InstallerImage),
		generate.WithAllowSchedulingOnControlPlanes(c.Schedule), generate.WithDNSDomain(c.DNSDomain),
		generate.WithClusterDiscovery(c.Discovery), generate.WithAdditionalSubjectAltNames(c.CertSANs),
	}
	for _, r := range c.Registries {
		options = append(options, r.options()...)
	}
	if c.KubeSpan {
		options = append(options, clusterKubeSpan())
	}
	input, err := generate.NewInput(
		c.ClusterName, "https://"+net.JoinHostPort(c.Endpoint, "6443"), strings.TrimPrefix(c.Kubernetes, "v"), options...,
	)
	if err != nil {
		return nil, err
	}
	input.PodNet, input.ServiceNet = c.PodSubnets, c.ServiceSubnets
	made, err := input.Config(kind)
	if err != nil {
		return nil, err
	}
	patches, err := c.patches(kind == machine.TypeControlPlane)
	if err != nil {
		return nil, err
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

// options are there for plain mirrors only; a mirror document with more in it is a patch.
func (r clusterRegistry) options() []generate.Option {
	var all []generate.Option
	if len(r.Mirrors) > 0 && !r.OverridePath && !r.SkipFallback {
		all = append(all, generate.WithRegistryMirror(r.Host, r.Mirrors...))
	}
	if r.CA != "" {
		all = append(all, generate.WithRegistryCACert(r.Host, r.CA))
	}
	if r.Insecure {
		all = append(all, generate.WithRegistryInsecureSkipVerify(r.Host))
	}
	return all
}
