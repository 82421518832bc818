package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/siderolabs/talos/pkg/machinery/config/types/block"
	"go.yaml.in/yaml/v4"
)

// nodeEntry is what config.yaml says of nodes: of one, of a pool, or in the defaults.
type nodeEntry struct {
	Name    string      `yaml:"name"`
	Role    string      `yaml:"role"`
	Count   *int        `yaml:"count"`
	IP      several     `yaml:"ip"`
	MAC     string      `yaml:"mac"`
	GPU     string      `yaml:"gpu"`
	Patches []yaml.Node `yaml:"patches"`
	// What adds up.
	Labels        map[string]string `yaml:"labels"`
	Annotations   map[string]string `yaml:"annotations"`
	Sysctls       map[string]string `yaml:"sysctls"`
	Taints        []any             `yaml:"taints"`
	Extensions    []string          `yaml:"extensions"`
	KernelArgs    []string          `yaml:"kernelArgs"`
	KernelModules []any             `yaml:"kernelModules"`
	Volumes       []piece           `yaml:"volumes"`
	// What is replaced.
	Rest piece `yaml:",inline"`
}

// oneNode is a node of a pool.
type oneNode struct {
	nodeEntry
	addresses []netip.Addr
	// prefixes are those written behind the addresses, or -1.
	prefixes []int
	layers   []nodeEntry
}

func (f configurationFile) nodes() []oneNode {
	var all []oneNode
	for _, entry := range f.Nodes {
		count := 1
		if entry.Count != nil {
			count = *entry.Count
		}
		var addresses []netip.Addr
		var prefixes []int
		for _, text := range entry.IP {
			ip, bits, found := strings.Cut(text, "/")
			addresses, prefixes = append(addresses, netip.MustParseAddr(ip)), append(prefixes, -1)
			if found {
				prefixes[len(prefixes)-1] = must(strconv.Atoi(bits))
			}
		}
		for i := range count {
			one := oneNode{entry, slices.Clone(addresses), prefixes, []nodeEntry{f.Defaults["all"], f.Defaults[entry.Role], entry}}
			if entry.Count != nil {
				one.Name = fmt.Sprintf("%s-%d", entry.Name, i+1)
			}
			all = append(all, one)
			for at := range addresses {
				addresses[at] = addresses[at].Next()
			}
		}
	}
	return all
}

// settings is the node as nodeInput has it.
func (n oneNode) settings(f configurationFile) piece {
	all := piece{"installDisk": "/dev/sda"}
	labels, annotations, sysctls, taints := map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}
	modules, volumes := list{}, list{}
	for _, layer := range n.layers {
		maps.Copy(all, layer.Rest)
		maps.Copy(labels, layer.Labels)
		maps.Copy(annotations, layer.Annotations)
		maps.Copy(sysctls, layer.Sysctls)
		for _, taint := range layer.Taints {
			key, value := taintOf(taint)
			taints[key] = value
		}
		for _, module := range layer.KernelModules {
			if name, ok := module.(string); ok {
				module = piece{"name": name}
			}
			modules.put(module.(piece))
		}
		for _, volume := range layer.Volumes {
			volumes.put(volumeOf(volume))
		}
	}
	maps.Copy(all, piece{
		"name": n.Name, "role": n.Role, "ip": n.addresses[0].String(), "gpu": n.gpu(),
		"labels": labels, "annotations": annotations, "sysctls": sysctls, "taints": taints,
		"kernelModules": modules, "volumes": volumes,
	})
	if len(n.addresses) > 1 {
		all["secondIp"] = n.addresses[1].String()
	}
	if f.Platform != "proxmox" {
		all["tag"] = all["vlan"]
	}
	if f.Platform == "vps" {
		all["prefix"] = f.bits(n, 0)
		if all["gateway"] == nil {
			all["gateway"] = f.gatewayLike(n.addresses[0])
		}
		all["onlyCard"] = all["dhcp"] != true && n.MAC == "" && all["bond"] == nil
	}
	if ephemeral, ok := all["ephemeral"].(piece); ok {
		all["ephemeral"] = inBytes(ephemeral)
	}
	if keys, ok := all["encryption"].(piece); ok {
		all["encryption"] = piece{"state": keyOf(keys["state"]), "ephemeral": keyOf(keys["ephemeral"])}
	}
	var cards []piece
	written, _ := all["nics"].([]any)
	for _, card := range written {
		cards = append(cards, cardOf(card.(piece)))
	}
	all["nics"] = cards
	return all
}

// list holds pieces by name; who comes again takes the place of the first.
type list []piece

func (l *list) put(one piece) {
	at := slices.IndexFunc(*l, func(other piece) bool { return other["name"] == one["name"] })
	if at < 0 {
		*l = append(*l, one)
	} else {
		(*l)[at] = one
	}
}

func taintOf(taint any) (key, value string) {
	if parts, ok := taint.(piece); ok {
		return parts["key"].(string), fmt.Sprintf("%s:%s", parts["value"], parts["effect"])
	}
	text := taint.(string)
	if before, after, ok := strings.Cut(text, "="); ok {
		return before, after
	}
	key, value, _ = strings.Cut(text, ":")
	return key, value
}

func volumeOf(volume piece) piece {
	all := piece{"kind": "user", "filesystem": "xfs"}
	maps.Copy(all, inBytes(volume))
	all["encryption"] = keyOf(volume["encryption"])
	return all
}

// inBytes reads sizes as Talos does.
func inBytes(sizes piece) piece {
	all := maps.Clone(sizes)
	for from, to := range map[string][]string{"size": {"minSize", "maxSize"}, "minSize": {"minSize"}, "maxSize": {"maxSize"}} {
		for _, key := range to {
			if text, ok := sizes[from].(string); ok {
				all[key] = block.MustByteSize(text).Value()
			}
		}
	}
	return all
}

func keyOf(key any) any {
	switch key := key.(type) {
	case string:
		return piece{"by": key}
	case piece:
		if passphrase := key["passphrase"]; passphrase != nil {
			return piece{"by": "passphrase", "passphrase": passphrase}
		}
		return piece{"by": "kms", "kms": key["kms"]}
	default:
		return nil
	}
}

func cardOf(card piece) piece {
	all := maps.Clone(card)
	all["ip"] = listed(card["ip"])
	var vlans []piece
	written, _ := card["vlans"].([]any)
	for _, one := range written {
		vlan := maps.Clone(one.(piece))
		vlan["ip"] = listed(vlan["ip"])
		vlans = append(vlans, vlan)
	}
	all["vlans"] = vlans
	return all
}

func listed(value any) any {
	if text, ok := value.(string); ok {
		return []string{text}
	}
	return value
}

func (n oneNode) gpu() string {
	gpu := ""
	for _, layer := range n.layers {
		if layer.GPU != "" {
			gpu = layer.GPU
		}
	}
	return gpu
}

// schematic is what the node's image is made of.
func (n oneNode) schematic(file configurationFile) nodeSchematic {
	made := nodeSchematic{slices.Clone(file.Image.Extensions), slices.Clone(file.Image.KernelArgs), file.Image.Schematic}
	for _, layer := range n.layers {
		made.extensions = append(made.extensions, layer.Extensions...)
		made.kernelArgs = append(made.kernelArgs, layer.KernelArgs...)
	}
	if file.Platform == "vps" && made.known == "" {
		made.kernelArgs = append(made.kernelArgs, "talos.config=metal-iso")
	}
	for _, one := range file.needs() {
		if file.hasWorkloads(n) {
			made.extensions = append(made.extensions, one.extensions...)
		}
	}
	made.extensions = append(made.extensions, drivers(n.gpu(), file.Cluster["talos"].(string))...)
	slices.Sort(made.extensions)
	made.extensions = slices.Compact(made.extensions)
	return made
}

// drivers are a GPU's two extensions, of one branch; Talos 1.12 has the newest driver in its long-lived one.
func drivers(gpu, talos string) []string {
	if gpu == "" {
		return nil
	}
	branch, modules := "production", "nvidia-open-gpu-kernel-modules"
	if strings.HasSuffix(gpu, "-lts") || strings.HasPrefix(talos, "v1.12.") {
		branch = "lts"
	}
	if strings.HasPrefix(gpu, "nvidia-nonfree") {
		modules = "nonfree-kmod-nvidia"
	}
	return []string{"siderolabs/" + modules + "-" + branch, "siderolabs/nvidia-container-toolkit-" + branch}
}

// into fills a structure by its JSON names.
func into[T any](from piece) (made T, err error) {
	text, err := json.Marshal(from)
	if err != nil {
		return made, err
	}
	return made, json.Unmarshal(text, &made)
}
