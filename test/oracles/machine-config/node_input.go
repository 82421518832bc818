package main

import (
	"encoding/json"
	"strings"

	"github.com/siderolabs/talos/pkg/machinery/cel"
	"github.com/siderolabs/talos/pkg/machinery/cel/celenv"
	"github.com/siderolabs/talos/pkg/machinery/config/types/v1alpha1"
)

// nodeInput is what our generator was told about a node, its network and its cluster.
type nodeInput struct {
	MAC            string       `json:"mac"`
	InstallerImage string       `json:"installerImage"`
	Node           nodeSettings `json:"node"`
	Network        nodeNetwork  `json:"network"`
	Cluster        struct {
		Contract       string           `json:"contract"`
		Talos          string           `json:"talos"`
		VIP            string           `json:"vip"`
		CNI            string           `json:"cni"`
		PodSubnets     []string         `json:"podSubnets"`
		KubeSpan       bool             `json:"kubespan"`
		TalosAPIAccess *json.RawMessage `json:"talosApiAccess"`
	} `json:"cluster"`
	Firewall *struct {
		Admin []string   `json:"admin"`
		Open  []nodeOpen `json:"open"`
	} `json:"firewall"`
	Wireguard *nodeWireguard `json:"wireguard"`
	Peers     []nodePeer     `json:"peers"`
}

type nodeSettings struct {
	Name     string `json:"name"`
	Role     string `json:"role"`
	IP       string `json:"ip"`
	SecondIP string `json:"secondIp"`
	Gateway  string `json:"gateway"`
	Prefix   int    `json:"prefix"`
	OnlyCard bool   `json:"onlyCard"`
	Tag      uint16 `json:"tag"`
	Bond     *struct {
		Mode           string   `json:"mode"`
		MACs           []string `json:"macs"`
		MIIMon         *uint32  `json:"miimon"`
		LACPRate       string   `json:"lacpRate"`
		XmitHashPolicy string   `json:"xmitHashPolicy"`
	} `json:"bond"`
	NICs        []nodeNIC         `json:"nics"`
	InstallDisk nodeDisk          `json:"installDisk"`
	GPU         string            `json:"gpu"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	Taints      map[string]string `json:"taints"`
	Sysctls     map[string]string `json:"sysctls"`
	Modules     []struct {
		Name       string   `json:"name"`
		Parameters []string `json:"parameters"`
	} `json:"kernelModules"`
	// KubeletMounts are folders that kubelet passes on to pods.
	KubeletMounts []string     `json:"kubeletMounts"`
	Volumes       []nodeVolume `json:"volumes"`
	Ephemeral     *struct {
		Min  uint64   `json:"minSize"`
		Max  uint64   `json:"maxSize"`
		Disk nodeDisk `json:"disk"`
	} `json:"ephemeral"`
	Encryption struct {
		State     *nodeKey `json:"state"`
		Ephemeral *nodeKey `json:"ephemeral"`
	} `json:"encryption"`
}

type nodeNetwork struct {
	CIDR        string   `json:"cidr"`
	Prefix      int      `json:"prefix"`
	Gateway     string   `json:"gateway"`
	Nameservers []string `json:"nameservers"`
	MTU         uint32   `json:"mtu"`
	Second      *struct {
		CIDR    string `json:"cidr"`
		Prefix  int    `json:"prefix"`
		Gateway string `json:"gateway"`
	} `json:"second"`
}

type nodeNIC struct {
	MAC       string   `json:"mac"`
	Addresses []string `json:"ip"`
	DHCP      bool     `json:"dhcp"`
	MTU       uint32   `json:"mtu"`
	Routes    []struct {
		To  string `json:"to"`
		Via string `json:"via"`
	} `json:"routes"`
	VLANs []struct {
		ID        uint16   `json:"id"`
		Addresses []string `json:"ip"`
		MTU       uint32   `json:"mtu"`
	} `json:"vlans"`
}

type nodeVolume struct {
	Name       string   `json:"name"`
	Kind       string   `json:"kind"`
	Disk       nodeDisk `json:"disk"`
	Min        uint64   `json:"minSize"`
	Max        uint64   `json:"maxSize"`
	Grow       bool     `json:"grow"`
	Filesystem string   `json:"filesystem"`
	Encryption *nodeKey `json:"encryption"`
}

type nodeKey struct {
	By         string `json:"by"`
	Passphrase string `json:"passphrase"`
	Endpoint   string `json:"kms"`
}

type nodeOpen struct {
	Name     string   `json:"name"`
	Ports    []string `json:"ports"`
	Protocol string   `json:"protocol"`
	From     []string `json:"from"`
	On       string   `json:"on"`
}

type nodePeer struct {
	Role     string `json:"role"`
	IP       string `json:"ip"`
	SecondIP string `json:"secondIp"`
}

// nodeDisk is a path, or a selector as machine.install has it.
type nodeDisk struct {
	path     string
	selector *v1alpha1.InstallDiskSelector
	// written is the value as it came.
	written any
}

func (d *nodeDisk) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &d.written); err != nil {
		return err
	}
	if json.Unmarshal(text, &d.path) == nil {
		return nil
	}
	var raw struct{ Size, Serial, Model, WWID, BusPath, Type string }
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	d.selector = &v1alpha1.InstallDiskSelector{
		Serial: raw.Serial, Model: raw.Model, WWID: raw.WWID, BusPath: raw.BusPath, Type: v1alpha1.InstallDiskType(raw.Type),
	}
	if raw.Size == "" {
		return nil
	}
	d.selector.Size = &v1alpha1.InstallDiskSizeMatcher{}
	return d.selector.Size.UnmarshalYAML(func(to any) error {
		*to.(*string) = raw.Size
		return nil
	})
}

// expression is what Talos makes of the same disk in machine.install, and `more` that must be true as well.
func (d nodeDisk) expression(more string) cel.Expression {
	text := ""
	switch {
	case d.selector != nil:
		made := must((&v1alpha1.InstallConfig{InstallDiskSelector: d.selector}).DiskMatchExpression())
		// Talos breaks what it prints into lines; whoever writes it down does not.
		text = strings.ReplaceAll(string(must(made.MarshalText())), "\n", " ")
	case d.isLink():
		text = `"` + d.path + `" in disk.symlinks`
	default:
		text = `disk.dev_path == "` + d.path + `"`
	}
	if more != "" {
		text += " && " + more
	}
	return expression(text)
}

func (d nodeDisk) isLink() bool { return len(d.path) > 10 && d.path[:10] == "/dev/disk/" }

// expression is one that Talos can compile, and prints as it was written.
func expression(text string) cel.Expression {
	must(cel.ParseBooleanExpression(text, celenv.DiskLocator()))
	var written cel.Expression
	if err := written.UnmarshalText([]byte(text)); err != nil {
		panic(err)
	}
	return written
}

// must is for cases that we have written wrong.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
