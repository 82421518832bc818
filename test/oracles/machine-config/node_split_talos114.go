//go:build talos114

package main

import (
	"github.com/siderolabs/talos/pkg/machinery/config/config"
	"github.com/siderolabs/talos/pkg/machinery/config/types/k8s"
	"github.com/siderolabs/talos/pkg/machinery/config/types/runtime"
)

// splitDocuments is what contract v1.14 has taken out of the original document.
func (n nodeInput) splitDocuments() []config.Document {
	if !n.isSplit() {
		return nil
	}
	install := runtime.NewUnattendedInstallConfigV1Alpha1()
	install.Installer.Image = n.InstallerImage
	install.ProvisioningSpec.DiskSelector.Match = n.Node.InstallDisk.expression("")
	node := k8s.NewKubeNodeConfigV1Alpha1()
	node.NodeIPConfig.NodeIPValidSubnets = n.subnets()
	node.LabelsConfig = n.Node.Labels
	node.AnnotationsConfig = n.Node.Annotations
	node.TaintsConfig = n.Node.Taints
	all := []config.Document{install, node}
	if params := n.sysctls(); len(params) > 0 {
		sysctls := runtime.NewSysctlConfigV1Alpha1()
		sysctls.Params = params
		all = append(all, sysctls)
	}
	for _, one := range n.modules() {
		module := runtime.NewKernelModuleConfigV1Alpha1(one.name)
		module.ModuleParameters = one.parameters
		all = append(all, module)
	}
	return all
}
