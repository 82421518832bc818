package main

import (
	"maps"
	"slices"
)

// addonNeeds is what an addon's own guide asks of machines, and ours of these options.
type addonNeeds struct {
	// cluster is as in the section of that name.
	cluster    piece
	extensions []string
	folders    []string
}

func (f configurationFile) needs() []addonNeeds {
	var all []addonNeeds
	for _, name := range slices.Sorted(maps.Keys(f.Addons)) {
		told, _ := f.Addons[name].(piece)
		switch name {
		case "longhorn":
			all = append(all, addonNeeds{
				extensions: []string{"siderolabs/iscsi-tools", "siderolabs/util-linux-tools"},
				folders:    []string{"/var/mnt/longhorn"},
			})
		case "localPath":
			all = append(all, addonNeeds{folders: []string{told["path"].(string)}})
		case "metricsServer":
			all = append(all, addonNeeds{cluster: piece{"kubeletCertificates": true}})
		case "talosCcm":
			all = append(all, addonNeeds{cluster: piece{"externalCloudProvider": true}})
		}
	}
	return all
}

// withNeeds adds what addons need to what is said of the cluster. Pods that call the Talos API are those said, and the cloud controller's.
func (f configurationFile) withNeeds(cluster piece) piece {
	for _, one := range f.needs() {
		maps.Copy(cluster, one.cluster)
	}
	if _, ok := f.Addons["talosCcm"]; !ok {
		return cluster
	}
	roles, namespaces := []any{}, []any{}
	if access, ok := cluster["talosApiAccess"].(piece); ok {
		roles, namespaces = access["roles"].([]any), access["namespaces"].([]any)
	}
	cluster["talosApiAccess"] = piece{"roles": append(roles, "os:reader"), "namespaces": append(namespaces, "kube-system")}
	return cluster
}

// hasWorkloads says whether addons run on the node.
func (f configurationFile) hasWorkloads(node oneNode) bool {
	isWorker := func(n nodeEntry) bool { return n.Role == "worker" }
	return isWorker(node.nodeEntry) || f.Cluster["scheduleOnControlPlanes"] == true || !slices.ContainsFunc(f.Nodes, isWorker)
}

// folders are those that kubelet passes on to pods.
func (f configurationFile) folders(node oneNode) []string {
	var all []string
	for _, one := range f.needs() {
		if f.hasWorkloads(node) {
			all = append(all, one.folders...)
		}
	}
	return all
}
