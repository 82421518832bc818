package main

import (
	"maps"
	"net/netip"
	"strings"

	"github.com/siderolabs/talos/pkg/machinery/config/types/v1alpha1"
	"github.com/siderolabs/talos/pkg/machinery/constants"
)

func (n nodeInput) isSplit() bool { return n.Cluster.Contract == "v1.14" }

// changeOriginal does what the contract has in the original document.
func (n nodeInput) changeOriginal(original *v1alpha1.Config) {
	machine := original.MachineConfig
	subnets := n.subnets()
	if n.Node.Role == "controlplane" && subnets != nil {
		original.ClusterConfig.EtcdConfig.EtcdAdvertisedSubnets = subnets
	}
	if n.isSplit() {
		return
	}
	machine.MachineInstall.InstallImage = n.InstallerImage
	machine.MachineInstall.InstallDisk = n.Node.InstallDisk.path
	machine.MachineInstall.InstallDiskSelector = n.Node.InstallDisk.selector
	if subnets != nil {
		machine.MachineKubelet.KubeletNodeIP = &v1alpha1.KubeletNodeIPConfig{KubeletNodeIPValidSubnets: subnets}
	}
	for _, folder := range n.Node.KubeletMounts {
		if !strings.HasPrefix(folder, constants.UserVolumeMountPoint+"/") {
			machine.MachineKubelet.KubeletExtraMounts = append(machine.MachineKubelet.KubeletExtraMounts, v1alpha1.ExtraMount{
				Destination: folder, Type: "bind", Source: folder, Options: []string{"bind", "rshared", "rw"},
			})
		}
	}
	machine.MachineNodeLabels = both(machine.MachineNodeLabels, n.Node.Labels)
	machine.MachineNodeAnnotations = both(machine.MachineNodeAnnotations, n.Node.Annotations)
	machine.MachineNodeTaints = both(machine.MachineNodeTaints, n.Node.Taints)
	machine.MachineSysctls = both(machine.MachineSysctls, n.sysctls())
	for _, one := range n.modules() {
		if machine.MachineKernel == nil {
			machine.MachineKernel = &v1alpha1.KernelConfig{}
		}
		machine.MachineKernel.KernelModules = append(machine.MachineKernel.KernelModules,
			&v1alpha1.KernelModuleConfig{ModuleName: one.name, ModuleParameters: one.parameters})
	}
}

// subnets are those that kubelet and etcd must keep to on a node with several networks.
func (n nodeInput) subnets() []string {
	several := false
	for _, nic := range n.Node.NICs {
		several = several || nic.DHCP || len(nic.Addresses)+len(nic.VLANs) > 0
	}
	if !several && n.Wireguard == nil {
		return nil
	}
	own := func(ip, cidr string) string {
		is := netip.MustParseAddr(ip)
		if cidr != "" && netip.MustParsePrefix(cidr).Contains(is) {
			return cidr
		}
		return netip.PrefixFrom(is, is.BitLen()).String()
	}
	all := []string{own(n.Node.IP, n.Network.CIDR)}
	if n.Node.SecondIP != "" {
		all = append(all, own(n.Node.SecondIP, n.Network.Second.CIDR))
	}
	return all
}

func (n nodeInput) sysctls() map[string]string {
	all := map[string]string{}
	if n.Node.GPU != "" && strings.HasPrefix(n.Cluster.Talos, "v1.12.") {
		all["net.core.bpf_jit_harden"] = "1"
	}
	return both(all, n.Node.Sysctls)
}

type kernelModule struct {
	name       string
	parameters []string
}

func (n nodeInput) modules() []kernelModule {
	var all []kernelModule
	named := map[string]bool{}
	for _, one := range n.Node.Modules {
		named[one.Name] = true
	}
	for _, name := range []string{"nvidia", "nvidia_uvm", "nvidia_drm", "nvidia_modeset"} {
		if n.Node.GPU != "" && !named[name] {
			all = append(all, kernelModule{name: name})
		}
	}
	for _, one := range n.Node.Modules {
		all = append(all, kernelModule{one.Name, one.Parameters})
	}
	return all
}

func both(one, other map[string]string) map[string]string {
	if len(one)+len(other) == 0 {
		return one
	}
	all := map[string]string{}
	maps.Copy(all, one)
	maps.Copy(all, other)
	return all
}
