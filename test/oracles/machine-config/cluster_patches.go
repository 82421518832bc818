package main

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/siderolabs/talos/pkg/machinery/config/types/v1alpha1"
	"go.yaml.in/yaml/v4"
)

// piece is a part of YAML.
type piece = map[string]any

// patches are the choices for which `talosctl gen config` has no flag, as a person would write them for this contract.
func (c clusterCase) patches(controlPlane bool) ([]string, error) {
	all := []piece{c.cloudProvider(), c.time(), c.kubeSpanFilter()}
	all = append(all, c.registryDocuments()...)
	if c.Contract == "v1.14" {
		more, err := c.documentPatches(controlPlane)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	} else {
		all = append(all, c.sectionPatches(controlPlane)...)
	}
	var texts []string
	for _, one := range all {
		if one == nil {
			continue
		}
		text, err := yaml.Marshal(one)
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(text))
	}
	return texts, nil
}

func clusterDocument(kind string, body piece) piece {
	all := piece{"apiVersion": "v1alpha1", "kind": kind}
	for key, value := range body {
		all[key] = value
	}
	return all
}

// sectionPatches are those of contracts before v1.14.
func (c clusterCase) sectionPatches(controlPlane bool) []piece {
	var all []piece
	if c.CNI != "flannel" {
		all = append(all, piece{"cluster": piece{"network": piece{"cni": piece{"name": "none"}}}})
	}
	if c.CNI == "cilium" && controlPlane {
		all = append(all, piece{"cluster": piece{"proxy": piece{"disabled": true}}})
	}
	if c.KubeletCerts {
		all = append(all, piece{"machine": piece{"kubelet": piece{"extraArgs": piece{"rotate-server-certificates": "true"}}}})
	}
	if c.TalosAPIAccess != nil && controlPlane {
		access := piece{"enabled": true, "allowedRoles": c.TalosAPIAccess.Roles, "allowedKubernetesNamespaces": c.TalosAPIAccess.Namespaces}
		all = append(all, piece{"machine": piece{"features": piece{"kubernetesTalosAPIAccess": access}}})
	}
	if selector, ok := c.InstallDisk.(piece); ok {
		all = append(all, piece{"machine": piece{"install": piece{"diskSelector": selector}}})
	}
	if env := c.environment(); env != nil {
		if c.Contract == "v1.12" {
			all = append(all, piece{"machine": piece{"env": env}})
		} else {
			all = append(all, clusterDocument("EnvironmentConfig", piece{"variables": env}))
		}
	}
	return all
}

// documentPatches are those of contract v1.14.
func (c clusterCase) documentPatches(controlPlane bool) ([]piece, error) {
	var all []piece
	if controlPlane {
		if c.CNI != "flannel" {
			all = append(all, clusterDocument("KubeFlannelCNIConfig", piece{"$patch": "delete"}))
		}
		if c.CNI == "cilium" {
			all = append(all, clusterDocument("KubeProxyConfig", piece{"enabled": false}))
		}
		if c.TalosAPIAccess != nil {
			access := piece{"allowedRoles": c.TalosAPIAccess.Roles, "allowedKubernetesNamespaces": c.TalosAPIAccess.Namespaces}
			all = append(all, clusterDocument("KubeTalosAPIAccessConfig", access))
		}
	}
	if c.KubeletCerts {
		all = append(all, clusterDocument("KubeletConfig", piece{"config": piece{"serverTLSBootstrap": true}}))
	}
	if env := c.environment(); env != nil {
		all = append(all, clusterDocument("EnvironmentConfig", piece{"variables": env}))
	}
	if c.diskOption() == "" {
		match, err := c.diskMatch()
		if err != nil {
			return nil, err
		}
		provisioning := piece{"diskSelector": piece{"match": match}, "wipe": false}
		all = append(all, clusterDocument("UnattendedInstallConfig", piece{"installer": piece{"image": c.InstallerImage}, "provisioning": provisioning}))
	}
	return all, nil
}

// diskOption is what talosctl gets as --install-disk; nothing, where it cannot say what is meant.
func (c clusterCase) diskOption() string {
	path, _ := c.InstallDisk.(string)
	if c.Contract == "v1.14" && strings.HasPrefix(path, "/dev/disk/") {
		return ""
	}
	return path
}

// diskMatch asks Talos what it makes of a selector of the original format.
func (c clusterCase) diskMatch() (string, error) {
	if path, ok := c.InstallDisk.(string); ok {
		return `"` + path + `" in disk.symlinks`, nil
	}
	text, err := yaml.Marshal(piece{"diskSelector": c.InstallDisk})
	if err != nil {
		return "", err
	}
	var install v1alpha1.InstallConfig
	if err := yaml.Unmarshal(text, &install); err != nil {
		return "", err
	}
	expression, err := install.DiskMatchExpression()
	if err != nil {
		return "", err
	}
	match, err := expression.MarshalText()
	// Long ones come in several lines.
	return strings.ReplaceAll(string(match), "\n", " "), err
}

func (c clusterCase) cloudProvider() piece {
	if !c.ExternalCloud {
		return nil
	}
	return piece{"cluster": piece{"externalCloudProvider": piece{"enabled": true}}}
}

func (c clusterCase) time() piece {
	if len(c.Network.TimeServers) == 0 {
		return nil
	}
	return clusterDocument("TimeSyncConfig", piece{"ntp": piece{"servers": c.Network.TimeServers}})
}

// environment leaves the cluster's own networks and names to be reached directly: etcd and the kubelet have these variables too.
func (c clusterCase) environment() piece {
	proxy := c.Network.Proxy
	if proxy == nil {
		return nil
	}
	all := piece{}
	if proxy.HTTP != "" {
		all["http_proxy"] = proxy.HTTP
	}
	if proxy.HTTPS != "" {
		all["https_proxy"] = proxy.HTTPS
	}
	except := append([]string{}, proxy.Except...)
	second := ""
	if c.Network.Second != nil {
		second = c.Network.Second.CIDR
	}
	networks := known(c.Network.CIDR, second)
	except = append(except, networks...)
	for _, node := range c.Nodes {
		for _, ip := range node.addresses() {
			if !insideAny(ip, networks) {
				except = append(except, ip.String())
			}
		}
	}
	except = append(except, c.PodSubnets...)
	except = append(except, c.ServiceSubnets...)
	all["no_proxy"] = strings.Join(append(except, c.Endpoint, "."+c.DNSDomain), ",")
	return all
}

// kubeSpanFilter keeps nodes from trying addresses of each other at which they have no peer.
func (c clusterCase) kubeSpanFilter() piece {
	if !c.KubeSpan || c.Wireguard == nil {
		return nil
	}
	filters := piece{"endpoints": []string{"0.0.0.0/0", "::/0", "!" + c.Wireguard.CIDR}}
	if c.Contract == "v1.12" {
		return piece{"machine": piece{"network": piece{"kubespan": piece{"filters": filters}}}}
	}
	return clusterDocument("KubeSpanConfig", piece{"filters": filters})
}

// known are the networks that are the cluster's alone: servers among strangers have none.
func known(networks ...string) []string {
	return slices.DeleteFunc(networks, func(one string) bool { return one == "" })
}

func insideAny(ip netip.Addr, networks []string) bool {
	return slices.ContainsFunc(networks, func(one string) bool { return netip.MustParsePrefix(one).Contains(ip) })
}

func (c clusterCase) registryDocuments() []piece {
	var all []piece
	for _, r := range c.Registries {
		if r.Username != "" {
			all = append(all, clusterDocument("RegistryAuthConfig", piece{"name": r.Host, "username": r.Username, "password": r.Password}))
		}
		if !r.OverridePath && !r.SkipFallback {
			continue
		}
		var endpoints []piece
		for _, url := range r.Mirrors {
			endpoint := piece{"url": url}
			if r.OverridePath {
				endpoint["overridePath"] = true
			}
			endpoints = append(endpoints, endpoint)
		}
		mirror := piece{"name": r.Host, "endpoints": endpoints}
		if r.SkipFallback {
			mirror["skipFallback"] = true
		}
		all = append(all, clusterDocument("RegistryMirrorConfig", mirror))
	}
	return all
}
